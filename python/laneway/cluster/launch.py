# SPDX-License-Identifier: BSD-3-Clause
"""How an MPI library is started on a cluster: its launcher's options and its environment.

Everything that is set, and why, is in docs/cluster.md; `Launch.to_json` records it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from laneway import helpers
from laneway.cluster.namespaces import SHARED_MEMORY
from laneway.cluster.spec import MANAGEMENT, Binding, ClusterSpec
from laneway.cluster.state import State
from laneway.libraries import identity, native
from laneway.libraries.native import Family

Transport = Literal["btl", "ucx", "ofi"]

_DEVICE_VARIABLE: dict[Transport, str] = {
    "btl": "OMPI_MCA_btl_tcp_if_include",
    "ucx": "UCX_NET_DEVICES",
    "ofi": "FI_TCP_IFACE",
}

_LAUNCHERS: dict[Family, tuple[str, ...]] = {
    "openmpi": ("mpirun.openmpi", "mpirun", "mpiexec"),
    "mpich": ("mpirun.mpich", "mpiexec.hydra", "mpirun", "mpiexec"),
}


class LaunchError(RuntimeError):
    """A program that can't be started as asked."""


@dataclass(frozen=True)
class MpiLibrary:
    """An MPI library, named by its launcher. `transport` carries its messages between nodes."""

    family: Family
    version: str
    mpiexec: str
    transport: Transport


def identify(mpiexec: str) -> MpiLibrary:
    """The library that a launcher belongs to, by what the launcher says of itself."""
    path = shutil.which(mpiexec)
    if path is None:
        raise LaunchError(f"{mpiexec}: no such program")
    known = identity.identify(path)
    if known and known.product == "Open MPI":
        return MpiLibrary("openmpi", known.version, path, "btl")
    if known and known.product == "MPICH":
        return MpiLibrary("mpich", known.version, path, _transport(known.said))
    raise LaunchError(
        f"{path}: an emulated cluster starts Open MPI and MPICH alone; `--cluster none` measures "
        "on virtual nodes of this machine"
    )


def _transport(said: str) -> Transport:
    """The transport of an MPICH whose launcher says this."""
    device = re.search(r"--with-device=([^' ]+)", said)
    return "ofi" if device is None or "ofi" in device[1] else "ucx"


def find(mpi: str | None = None) -> MpiLibrary:
    """The library of this family (`openmpi`, `mpich`), native build (`openmpi-4.1`) or launcher.

    The first on PATH if None.
    """
    if mpi is not None and mpi not in _LAUNCHERS:
        builds = {build.id: build.mpiexec for build in native.installed()}
        return identify(str(builds.get(mpi, mpi)))
    for family, launchers in _LAUNCHERS.items():
        if mpi in (None, family):
            for launcher in filter(shutil.which, launchers):
                library = identify(launcher)
                if library.family == family:
                    return library
    raise LaunchError(f"no launcher of {mpi or 'an MPI library'} on PATH")


@dataclass(frozen=True)
class Launch:
    """A command line up to the program to start, and what to add to the environment.

    Run `[*argv, program, ...]` with `{**os.environ, **env}`, from anywhere outside the cluster.
    `device_variable` is the variable by which each rank is told its lanes, `preload` the library
    that is loaded into it.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    library: MpiLibrary
    cluster: ClusterSpec
    ppn: tuple[int, ...]
    binding: Binding
    realtime: bool
    timeout: float
    device_variable: str
    preload: str | None

    def environment(self) -> dict[str, str]:
        """The calling process's environment with the launch's own in it."""
        return {**os.environ, **self.env}

    def to_json(self) -> dict[str, Any]:
        """All of it, in plain types."""
        return asdict(self)


def plan(
    cluster: State,
    library: MpiLibrary,
    *,
    nodes: int | None = None,
    ppn: int = 4,
    binding: Binding = "lane",
    realtime: bool = False,
    cyclic: bool = False,
    timeout: float = 0,
) -> Launch:
    """How to start a program on the nodes of a cluster.

    The options mean:

        nodes     how many of them, the first ones; all if None
        ppn       processes a node, unless the cluster itself says how many
        binding   `lane`: the ranks of a node spread over its lanes, one each; `all`: every rank
                  sees every lane; `one`: every rank has lane 0, the control of an experiment
        realtime  run ranks under SCHED_RR (root only), evenly spread over the processors
        cyclic    deal consecutive ranks round the nodes, instead of filling one after the other
        timeout   seconds until the job is ended, 0 for none
    """
    per_node = cluster.spec.ppn(ppn)[:nodes]
    if cyclic and len(set(per_node)) > 1:
        raise LaunchError("ranks go round nodes that have equally many of them, only")
    if realtime and not cluster.privileged:
        raise LaunchError("real-time scheduling needs root: this cluster is in a user namespace")
    if binding == "all" and library.transport == "ofi":
        raise LaunchError(
            "libfabric's tcp provider gives a rank one device: binding all is not to be had"
        )
    preload = _yielding(library) if library.family == "mpich" else None
    variable = _DEVICE_VARIABLE[library.transport]
    hosts = ",".join(
        # Hydra goes round the hosts, and gives each as many ranks a turn as it has slots.
        f"{host}:{1 if cyclic and library.family == 'mpich' else n}"
        for host, n in zip(cluster.spec.hosts[:nodes], per_node, strict=True)
    )
    agent = str(cluster.folder / "agent")
    if library.family == "openmpi":
        options, env = _openmpi(library, agent, "node" if cyclic else "slot")
    else:
        options, env = _mpich(library, agent)
    rank = (
        "/bin/sh",
        str(Path(__file__).with_name("rank.sh")),
        variable,
        binding,
        str(cluster.spec.lanes),
        *_numbering(per_node),
        _processors(sum(per_node)) if realtime else "",
        str(preload or ""),
    )
    job = helpers.module("laneway.cluster.job", cluster.spec.name, f"{timeout:g}")
    start = (library.mpiexec, *options, hosts, "-np", str(sum(per_node)))
    return Launch(
        argv=(*job, *start, *rank),
        env={**env, "TMPDIR": SHARED_MEMORY},
        library=library,
        cluster=cluster.spec,
        ppn=per_node,
        binding=binding,
        realtime=realtime,
        timeout=timeout,
        device_variable=variable,
        preload=str(preload) if preload else None,
    )


def _numbering(per_node: Sequence[int]) -> tuple[str, str]:
    """The number of each node's first rank, and the step to its next: ranks get processors by them.

    Numbers have no gaps, so that all processors have equally many ranks. Where nodes have equally
    many ranks, those of a node are on as few processors as can be.
    """
    equal = len(set(per_node)) == 1
    firsts = range(len(per_node)) if equal else accumulate(per_node[:-1], initial=0)
    return ",".join(map(str, firsts)), str(len(per_node) if equal else 1)


def _processors(ranks: int) -> str:
    """The processors that real-time ranks are spread over; `any` where each can have its own."""
    usable = sorted(os.sched_getaffinity(0))
    return ",".join(map(str, usable)) if ranks > len(usable) else "any"


def _openmpi(
    library: MpiLibrary, agent: str, map_by: str
) -> tuple[Sequence[str], Mapping[str, str]]:
    """Options up to the hosts, and environment, of Open MPI 4 (ORTE) or 5 (PRRTE)."""
    common = {
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_mpi_show_help_aggregate": "0",
    }
    if int(library.version.split(".")[0]) < 5:
        daemons = {
            "OMPI_MCA_plm": "rsh",
            "OMPI_MCA_plm_rsh_agent": agent,
            "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
            "OMPI_MCA_oob_tcp_if_include": MANAGEMENT,
            "OMPI_MCA_btl": "self,vader,tcp",
            # PMIx chooses, as if unset. With `hash`, which images of containers set, ranks hang:
            # they take the next node's for their neighbours, as the login node has no ranks.
            "PMIX_MCA_gds": "",
        }
    else:
        daemons = {
            "PRTE_MCA_plm": "ssh",
            "PRTE_MCA_plm_ssh_agent": agent,
            "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
            "PRTE_MCA_prte_if_include": MANAGEMENT,
            "OMPI_MCA_btl": "self,sm,tcp",
        }
    options = ("--allow-run-as-root", "--map-by", map_by, "--bind-to", "none", "--host")
    return options, {**common, **daemons}


def _mpich(library: MpiLibrary, agent: str) -> tuple[Sequence[str], Mapping[str, str]]:
    """Options up to the hosts, and environment, of MPICH's Hydra."""
    env = {
        "ucx": {"MPIR_CVAR_CH4_NETMOD": "ucx", "UCX_TLS": "tcp,self,posix,cma"},
        "ofi": {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},
    }[library.transport]
    return (
        "-launcher",
        "rsh",
        "-launcher-exec",
        agent,
        "-iface",
        MANAGEMENT,
        "-hosts",
    ), env


def _yielding(library: MpiLibrary) -> Path | None:
    """The library that makes ranks yield, of the native build that fits best; None without one."""
    builds = sorted(
        (build for build in native.installed() if build.yielding.exists()),
        key=lambda build: (
            (build.family, build.release) != (library.family, native.release(library.version))
        ),
    )
    if not builds:
        print("laneway cluster: no native build: ranks that wait will not yield", file=sys.stderr)
        return None
    return builds[0].yielding
