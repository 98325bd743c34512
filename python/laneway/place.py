# SPDX-License-Identifier: BSD-3-Clause
"""Where jobs run: on virtual nodes of this machine, or on the nodes of an emulated cluster."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from laneway import jobs, machine
from laneway.cluster.cluster import Cluster, ClusterError, borrowed
from laneway.cluster.launch import BINDINGS, Launch, LaunchError
from laneway.cluster.links import Traffic
from laneway.cluster.pace import Pace
from laneway.cluster.pace import mismatch as other_pace
from laneway.cluster.spec import MADE_FOR_IT, ClusterSpec, SpecError, format_rate
from laneway.errors import Misuse, Problem
from laneway.launch import Job, Launcher, Mpirun, Srun, assignments, placement_options
from laneway.native import NativeBuild

CLUSTER_NODES = 4
CLUSTER_PPN = 4
CLUSTER_LANES = 2
"""The cluster that is made where none is up: as much as two cores can keep busy."""


@dataclass(frozen=True)
class OnCluster:
    """The launcher of an MPI library on the nodes of an emulated cluster."""

    launch: Launch

    def command(self, job: Job) -> list[str]:
        """The complete command line, its environment included."""
        return [
            "env",
            *assignments(self.launch.env),
            *self.launch.argv,
            "env",
            *assignments(job.environment),
            *job.program,
        ]

    def started(self, _job: Job) -> list[str]:
        """See Launcher. What was made for the measurement is made again by the usual name."""
        launch, usual = self.launch, ClusterSpec().name
        name = usual if launch.cluster.name.startswith(MADE_FOR_IT) else launch.cluster.name
        return [
            *("laneway", "cluster", "run"),
            *(() if name == usual else ("--name", name)),
            *("--mpi", launch.library.family, "--ppn", str(launch.ppn[0])),
            *(() if launch.binding == "lane" else ("--binding", launch.binding)),
            *(("--realtime",) if launch.realtime else ()),
            "--",
        ]


LAUNCHERS = ("local", "mpirun", "srun")
"""What can start a job: mpirun on this machine or an emulated cluster; mpirun or srun on the nodes
of a real one."""


@dataclass(frozen=True)
class Place:
    """Nodes with `ppn` ranks each, ranked consecutively unless `placement` says otherwise."""

    nodes: int
    ppn: int
    cluster: Cluster | None = None
    """None: virtual nodes on this machine, which have no network."""
    realtime: bool = False
    """Ranks under SCHED_RR: nothing else on this machine takes their core."""
    options: Sequence[str] = ()
    """More options for the launcher, where there is no cluster: its nodes are real then."""
    placement: str = "node"
    """How consecutive ranks are placed, see launch.PLACEMENTS."""
    launcher: str = "local"
    """One of LAUNCHERS."""
    threads: int = 1
    """Of each rank that communicate: so many cores it needs."""

    @property
    def real(self) -> bool:
        """Whether the nodes are those of a real machine, named by options or a batch system."""
        return self.cluster is None and (bool(self.options) or self.launcher != "local")

    def __str__(self) -> str:
        if self.cluster is None:
            kind = "nodes" if self.real else "virtual nodes"
            return f"{self.nodes} {kind} x {self.ppn} ranks"
        return f"cluster {self.cluster.spec.name!r}: {self.cluster.spec}; {self.ppn} ranks a node"

    @property
    def machine(self) -> str:
        """Which machine figures from here come from, in words."""
        if self.cluster is None:
            if self.launcher == "srun":
                return f"{self.nodes} nodes, as Slurm allots them"
            if self.real:
                told = "launcher's options say" if self.options else "batch system allots them"
                return f"{self.nodes} nodes, as the {told}"
            return f"{self.nodes} virtual nodes on this machine, without a network"
        spec = self.cluster.spec
        lanes = "1 lane" if spec.lanes == 1 else f"{spec.lanes} lanes"
        return (
            f"an emulated cluster on this machine: {spec.nodes} nodes, {lanes} of "
            f"{format_rate(spec.rate)} each ({spec.pace or f'burst {spec.burst} B'})"
            f"{', ranks under SCHED_RR' if self.realtime else ''}"
        )

    def job(
        self, build: NativeBuild, program: Sequence[str], lanes: int | None, binding: str
    ) -> Job:
        """A job of `program` on all ranks, told how many lanes it has.

        `binding` is the cluster's: lane, all or one. Raises Problem where the library cannot be
        started so.
        """
        environment = {} if lanes is None else {"LANEWAY_LANES": str(lanes)}
        if self.cluster is None:
            if not self.real:
                environment["LANEWAY_NODE_SIZE"] = str(self.ppn)
                if self.placement != "node":
                    raise Misuse(
                        "--placement: virtual nodes have consecutive ranks; take a cluster, or "
                        "real nodes with --launcher-options"
                    )
            if self.launcher == "srun":
                srun = Srun(self.nodes, self.placement)
                return self._job(build, program, environment, srun, self.options)
            # Of itself, a batch system's mpirun fills node after node.
            place_them = self.options or self.placement != "node"
            placing = placement_options(build.family, self.placement) if place_them else ()
            options = [*placing, *self.options]
            return self._job(build, program, environment, Mpirun(), options)
        if self.placement == "socket":
            raise Misuse("--placement socket: an emulated cluster has no sockets")
        try:
            launch = self.cluster.launch_command(
                "openmpi" if build.family == "openmpi" else "mpich",
                build.version,
                str(build.mpiexec),
                self.ppn,
                "one" if binding == "one" else "all" if binding == "all" else "lane",
                realtime=self.realtime,
                cyclic=self.placement == "cyclic",
            )
        except (ClusterError, LaunchError) as error:
            raise Problem(str(error)) from error
        return self._job(build, program, environment, OnCluster(launch))

    def _job(
        self,
        build: NativeBuild,
        program: Sequence[str],
        environment: Mapping[str, str],
        launcher: Launcher,
        options: Sequence[str] = (),
    ) -> Job:
        return Job(
            build,
            self.nodes * self.ppn,
            program,
            environment,
            options,
            launcher,
            elsewhere=self.real or self.cluster is not None,
            threads=self.threads,
        )

    def counters(self) -> list[list[Traffic]]:
        """What went over every lane of every node so far, [node][lane]; empty without a cluster.

        Raises Problem where the cluster is no longer up.
        """
        try:
            return self.cluster.counters() if self.cluster else []
        except ClusterError as error:
            raise Problem(str(error)) from error

    @property
    def axes(self) -> dict[str, float]:
        """What a sample says of the place's lanes; nothing of usual ones without a latency."""
        return self.cluster.spec.axes if self.cluster else {}

    @property
    def starts(self) -> dict[str, str]:
        """How ranks begin together here, if not by a barrier: an option of laneway-bench.

        Where messages take time, ranks leave a barrier up to a latency apart, and what the first
        ones send is under way before the last ones look at their clock.
        """
        return {"sync": "clock"} if self.cluster and self.cluster.spec.timed else {}

    def facts(self) -> dict[str, Any]:
        """What a reader of results must know of the place."""
        return {
            "place": self.machine,
            "cluster": None if self.cluster is None else self.cluster.spec.to_json(),
            "realtime": self.realtime,
        }


def find_cluster(name: str | None) -> Cluster | None:
    """The cluster of that name; of no name, the one that is up; None for `none` or where none is.

    Raises Misuse where it is not up, or where several are and none of them is called default.
    """
    if name == "none":
        return None
    up = {cluster.spec.name: cluster for cluster in Cluster.all()}
    if name is None and len(up) > 1 and "default" not in up:
        raise Misuse(f"several clusters are up: say which with --cluster {'|'.join(up)}|none")
    if name is None:
        return up.get("default") or next(iter(up.values()), None)
    if name not in up:
        raise Misuse(f"no cluster {name!r} is up: laneway cluster up --name {shlex.quote(name)}")
    return up[name]


def mismatch(spec: ClusterSpec, nodes: int | None, ppn: int | None) -> str | None:
    """Why a cluster cannot serve as so many equal nodes of `ppn` ranks; None where it can."""
    if nodes not in (None, spec.nodes):
        return f"cluster {spec.name!r} has {spec.nodes} nodes, not {nodes}"
    if len(set(spec.slots)) > 1:
        return f"cluster {spec.name!r} has unequal nodes: equal ones are needed"
    if spec.slots and ppn not in (None, spec.slots[0]):
        return f"cluster {spec.name!r} has {spec.slots[0]} processes a node, not {ppn}"
    return None


def lanes_mismatch(spec: ClusterSpec, lanes: Sequence[int]) -> str | None:
    """Why a cluster cannot serve with these numbers of lanes; None where it can."""
    if set(lanes) <= {1, spec.lanes}:
        return None
    return f"cluster {spec.name!r} has {spec.lanes} lanes: --lanes can be {spec.lanes}, or 1"


@dataclass(frozen=True)
class Wanted:
    """A place as asked for on the command line. None: what suits."""

    cluster: str = "auto"
    """The name of one, none, or auto: one that is up and fits, else one made for the occasion."""
    nodes: int | None = None
    ppn: int | None = None
    lanes: Sequence[int] = ()
    binding: str | None = None
    realtime: bool = False
    options: Sequence[str] = ()
    launcher: str | None = None
    """One of LAUNCHERS; None: not said, which is `local` where this is no batch job."""
    placement: str = "node"
    threads: int = 1
    pace: Pace = field(default_factory=dict)
    """Of the lanes of a cluster."""

    @property
    def real(self) -> bool:
        """Whether real nodes are asked for, by a launcher or its options."""
        return bool(self.options) or self.launcher not in (None, "local")

    def place(self, nodes: int, ppn: int, cluster: Cluster | None = None) -> Place:
        """A place of that size, with all else as asked for."""
        return Place(
            nodes,
            ppn,
            cluster,
            self.realtime,
            self.options,
            self.placement,
            self.launcher or "local",
            self.threads,
        )


@dataclass(frozen=True)
class Setting:
    """A place, and how its ranks use the lanes there."""

    place: Place
    lanes: int | None = None
    """Of a node; None: unknown."""
    binding: str = "all"

    @property
    def name(self) -> str:
        """The setting in a few words, without blanks."""
        place = self.place
        lanes = "" if self.lanes is None else f",{self.lanes}-lanes"
        placement = "" if place.placement == "node" else f",{place.placement}"
        threads = "" if place.threads == 1 else f",{place.threads}-threads"
        return f"{place.nodes}x{place.ppn}{lanes},{self.binding}{placement}{threads}"


@contextlib.contextmanager
def settings(wanted: Wanted, say: Callable[[str], None]) -> Iterator[list[Setting]]:
    """A setting for each number of lanes asked for; clusters made for it end with the context.

    Where no cluster can be made for `auto`, the setting is virtual nodes, and `say` is told why.
    Raises Misuse for what makes no sense.
    """
    if 0 in wanted.lanes:
        raise Misuse("--lanes: a node has one lane at least")
    if wanted.real and wanted.cluster not in ("auto", "none"):
        raise Misuse("--launcher and --launcher-options go with --cluster none")
    if wanted.launcher is None and wanted.cluster == "auto" and not wanted.real:
        _refuse_to_guess()
    if wanted.pace and (wanted.cluster == "none" or wanted.real):
        raise Misuse(f"{_option(wanted.pace)}: only an emulated cluster's lanes can be slowed")
    if wanted.cluster == "none" or wanted.real:
        yield [_without_cluster(wanted)]
        return
    if wanted.binding not in (None, *BINDINGS):
        raise Misuse(f"--binding: '{wanted.binding}' is none of {', '.join(BINDINGS)}")
    with contextlib.ExitStack() as clusters:
        try:
            found = _up(wanted, say)
            chosen = _on(found, wanted) if found else _on_own(wanted, clusters)
        except SpecError as error:
            raise Misuse(str(error)) from error
        except (ClusterError, OSError) as error:
            if wanted.realtime or wanted.pace:
                option = "--realtime" if wanted.realtime else _option(wanted.pace)
                raise Problem(f"{option} needs a cluster, and none can be made: {error}") from error
            say(f"virtual nodes instead of a cluster, which cannot be made here: {error}")
            chosen = [_without_cluster(wanted)]
        yield chosen


def _option(pace: Pace) -> str:
    """An option by which a pace was asked for."""
    return f"--{next(iter(pace))}"


def _refuse_to_guess() -> None:
    """In a batch job, whoever says nothing means its nodes, but not how many ranks they get."""
    if job := jobs.current():
        raise Misuse(
            f"this is {job}: {job.system.launcher} measures its nodes, --launcher local a cluster "
            "emulated on this machine"
        )


def _without_cluster(wanted: Wanted) -> Setting:
    if wanted.realtime:
        raise Misuse("--realtime needs a cluster: laneway cluster up")
    if len(wanted.lanes) > 1:
        raise Misuse("--lanes: several numbers need a cluster: laneway cluster up")
    nodes = wanted.nodes or 2
    ppn = wanted.ppn or max(2, machine.cores() // nodes)
    lanes = wanted.lanes[0] if wanted.lanes else None
    return Setting(wanted.place(nodes, ppn), lanes, wanted.binding or "all")


def _up(wanted: Wanted, say: Callable[[str], None]) -> Cluster | None:
    """The cluster that is up and meant; None where there is none that will do."""
    automatic = wanted.cluster == "auto"
    found = find_cluster(None if automatic else wanted.cluster)
    if found is None:
        return None
    reason = (
        mismatch(found.spec, wanted.nodes, wanted.ppn)
        or lanes_mismatch(found.spec, wanted.lanes)
        or other_pace(found.spec, wanted.pace)
    )
    if reason is None:
        return found
    if not automatic:
        raise Misuse(reason)
    say(f"another cluster is made for this: {reason}")
    return None


def _on(cluster: Cluster, wanted: Wanted) -> list[Setting]:
    """On a cluster that was up; a single lane of several is the first."""
    spec = cluster.spec
    ppn = spec.slots[0] if spec.slots else wanted.ppn or CLUSTER_PPN
    place = wanted.place(spec.nodes, ppn, cluster)
    binding = wanted.binding or "lane"
    own = 1 if binding == "one" else spec.lanes
    return [
        Setting(place, lanes, "one" if lanes < spec.lanes else binding)
        for lanes in wanted.lanes or (own,)
    ]


def _on_own(wanted: Wanted, clusters: contextlib.ExitStack) -> list[Setting]:
    """On a cluster for each number of lanes, made here; all are up at the same time."""
    chosen = []
    for lanes in wanted.lanes or (CLUSTER_LANES,):
        name = f"{MADE_FOR_IT}{os.getpid()}-{lanes}"
        spec = ClusterSpec(name, wanted.nodes or CLUSTER_NODES, lanes, **wanted.pace)
        cluster = clusters.enter_context(borrowed(spec))
        place = wanted.place(spec.nodes, wanted.ppn or CLUSTER_PPN, cluster)
        chosen.append(Setting(place, lanes, wanted.binding or "lane"))
    return chosen
