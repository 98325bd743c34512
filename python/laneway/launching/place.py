# SPDX-License-Identifier: BSD-3-Clause
"""The nodes on which jobs run: virtual ones of this machine, those of a cluster, or real ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.launch import Launch, LaunchError
from laneway.cluster.links import Traffic
from laneway.cluster.spec import MADE_FOR_IT, ClusterSpec, rates_in_words
from laneway.errors import Misuse, Problem
from laneway.launching.launchers import (
    Flux,
    Job,
    Launcher,
    Mpirun,
    Srun,
    assignments,
    placement_options,
)
from laneway.libraries.native import NativeBuild
from laneway.units import counted, shape_in_words


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
        """See Launcher. A cluster made for the measurement is made again by the usual name."""
        launch, usual = self.launch, ClusterSpec().name
        name = usual if launch.cluster.name.startswith(MADE_FOR_IT) else launch.cluster.name
        return [
            *("laneway", "cluster", "run"),
            *(() if name == usual else ("--name", name)),
            *("--mpi", launch.library.family),
            *(() if launch.cluster.slots else ("--ppn", str(launch.ppn[0]))),
            *(() if len(launch.ppn) == launch.cluster.nodes else ("--nodes", str(len(launch.ppn)))),
            *(() if launch.binding == "lane" else ("--binding", launch.binding)),
            *(("--realtime",) if launch.realtime else ()),
            "--",
        ]


LAUNCHERS = ("local", "mpirun", "srun", "flux")
"""Programs that start a job: mpirun on this machine or an emulated cluster; mpirun, srun or
`flux run` on the nodes of a real one."""


@dataclass(frozen=True)
class Place:
    """Nodes with `ppn` ranks each, ranked consecutively unless `placement` says otherwise."""

    nodes: int
    """The number of nodes: of a cluster that has more, the first ones."""
    ppn: int
    """The ranks of a node; where nodes are unequal, of the fullest one."""
    cluster: Cluster | None = None
    """None: virtual nodes on this machine, which have no network."""
    realtime: bool = False
    """Ranks under SCHED_RR: nothing else on this machine takes their core."""
    options: Sequence[str] = ()
    """More options for the launcher, where there is no cluster: its nodes are real then."""
    placement: str = "node"
    """How consecutive ranks are placed, see launchers.PLACEMENTS."""
    launcher: str = "local"
    """One of LAUNCHERS."""
    threads: int = 1
    """The threads of each rank that communicate: so many cores it needs."""
    variables: tuple[tuple[str, str], ...] = ()
    """Variables of the ranks' environment, besides those that say where they are."""

    @property
    def processes(self) -> tuple[int, ...]:
        """The processes of each node."""
        if self.cluster is None:
            return (self.ppn,) * self.nodes
        return self.cluster.spec.ppn(self.ppn)[: self.nodes]

    @property
    def ranks(self) -> int:
        """The ranks on all nodes."""
        return sum(self.processes)

    @property
    def unequal(self) -> bool:
        """Whether nodes have different numbers of ranks."""
        return len({*self.processes}) > 1

    @property
    def shape(self) -> str:
        """Nodes and ranks, in a word: 4 x 4, or 4+4+1."""
        if self.unequal:
            return "+".join(map(str, self.processes))
        return f"{self.nodes} x {self.ppn}"

    @property
    def real(self) -> bool:
        """Whether the nodes are those of a real machine, named by options or a batch system."""
        return self.cluster is None and (bool(self.options) or self.launcher != "local")

    @property
    def kind(self) -> str:
        """The kind of its nodes, as the headers of profiles have it: real, virtual or emulated.

        A single one is real: what processes of one machine say to each other goes by its memory.
        """
        if self.real or self.nodes == 1:
            return "real"
        return "virtual" if self.cluster is None else "emulated"

    def __str__(self) -> str:
        if self.cluster is None:
            return shape_in_words(self.nodes, self.ppn, "node" if self.real else "virtual node")
        ranks = f"{self.shape} ranks" if self.unequal else f"{counted(self.ppn, 'rank')} a node"
        part = "" if self.nodes == self.cluster.spec.nodes else f" on {self.nodes} of them"
        return f"cluster {self.cluster.spec.name!r}: {self.cluster.spec}; {ranks}{part}"

    @property
    def machine(self) -> str:
        """Which machine figures from here come from, in words."""
        if self.cluster is None:
            if self.launcher == "srun":
                return f"{counted(self.nodes, 'node')}, as Slurm allots them"
            if self.real:
                told = "launcher's options say" if self.options else "batch system allots them"
                return f"{counted(self.nodes, 'node')}, as the {told}"
            return f"{counted(self.nodes, 'virtual node')} on this machine, without a network"
        spec = self.cluster.spec
        return (
            f"an emulated cluster on this machine: {counted(self.nodes, 'node')}"
            f"{f' of {self.shape} ranks' if self.unequal else ''}, "
            f"{counted(spec.lanes, 'lane')} of {rates_in_words(self.cluster.state.rates)} each "
            f"({spec.pace or f'burst {spec.burst} B'})"
            f"{', ranks under SCHED_RR' if self.realtime else ''}"
        )

    def job(
        self, build: NativeBuild, program: Sequence[str], lanes: int | None, binding: str
    ) -> Job:
        """A job of `program` on all ranks, told how many lanes it has.

        `binding` is the cluster's: lane, all or one. Raises Problem where the library cannot be
        started so.
        """
        environment = dict(self.variables)
        if lanes is not None:
            environment["LANEWAY_LANES"] = str(lanes)
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
            if self.launcher == "flux":
                if self.placement != "node":
                    raise Misuse("--placement: `flux run` places ranks by --launcher-options")
                return self._job(build, program, environment, Flux(self.nodes), self.options)
            # By itself, a batch system's mpirun fills node after node.
            place_them = self.options or self.placement != "node"
            placing = (
                placement_options(build.family, self.placement, self.options) if place_them else ()
            )
            options = [*placing, *self.options]
            return self._job(build, program, environment, Mpirun(), options)
        if self.placement == "socket":
            raise Misuse("--placement socket: an emulated cluster has no sockets")
        try:
            launch = self.cluster.launch_command(
                "openmpi" if build.family == "openmpi" else "mpich",
                "" if build.interface == "abi" else build.version,
                str(build.mpiexec),
                self.ppn,
                "one" if binding == "one" else "all" if binding == "all" else "lane",
                nodes=self.nodes,
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
            self.ranks,
            program,
            environment,
            options,
            launcher,
            elsewhere=self.real or self.cluster is not None,
            threads=self.threads,
        )

    def counters(self) -> list[list[Traffic]]:
        """The traffic of every lane of every node so far, [node][lane]; empty without a cluster.

        Raises Problem where the cluster is no longer up.
        """
        try:
            return self.cluster.counters() if self.cluster else []
        except ClusterError as error:
            raise Problem(str(error)) from error

    @property
    def axes(self) -> dict[str, float]:
        """The axes of the place's lanes in a sample; none for usual lanes without a latency."""
        return self.cluster.spec.axes if self.cluster else {}

    @property
    def starts(self) -> dict[str, str]:
        """How ranks begin together here, if not by a barrier: an option of laneway-bench.

        Where messages take time, ranks leave a barrier up to a latency apart. Then what the first
        ones send is under way before the last ones look at their clock.
        """
        return {"sync": "clock"} if self.cluster and self.cluster.spec.timed else {}

    def facts(self) -> dict[str, Any]:
        """Facts that a reader of results must know of the place."""
        return {
            "place": self.machine,
            "cluster": None if self.cluster is None else self.cluster.state.described(),
            "realtime": self.realtime,
        }


@dataclass(frozen=True)
class Setting:
    """A place, and how its ranks use the lanes there."""

    place: Place
    lanes: int | None = None
    """The lanes of a node; None: unknown."""
    binding: str = "all"

    @property
    def bound(self) -> str | None:
        """The binding as rules ask for it; None where ranks would not know it, or it is all one."""
        return self.binding if self.place.cluster and (self.lanes or 1) > 1 else None

    @property
    def name(self) -> str:
        """The setting in a few words, without blanks."""
        place = self.place
        lanes = "" if self.lanes is None else f",{self.lanes}-lanes"
        placement = "" if place.placement == "node" else f",{place.placement}"
        threads = "" if place.threads == 1 else f",{place.threads}-threads"
        shape = place.shape.replace(" ", "")
        return f"{shape}{lanes},{self.binding}{placement}{threads}"
