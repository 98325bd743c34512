# SPDX-License-Identifier: BSD-3-Clause
"""Where a job runs: on virtual nodes of this machine, or on the nodes of an emulated cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.launch import Launch, LaunchError
from laneway.cluster.links import Traffic
from laneway.errors import Misuse, Problem
from laneway.launch import Job
from laneway.native import NativeBuild


@dataclass(frozen=True)
class ClusterJob(Job):
    """A job whose ranks run on a cluster's nodes."""

    launch: Launch = field(kw_only=True)

    @property
    def oversubscribed(self) -> bool:
        """The launch has made provision for it."""
        return False

    def command(self) -> list[str]:
        """The complete command line, its environment included."""
        return [
            "env",
            *_assignments(self.launch.env),
            *self.launch.argv,
            "env",
            *_assignments(self.environment),
            *self.program,
        ]


def _assignments(environment: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in environment.items()]


@dataclass(frozen=True)
class Place:
    """Nodes with `ppn` ranks each, ranked consecutively."""

    nodes: int
    ppn: int
    cluster: Cluster | None = None
    """None: virtual nodes on this machine, which have no network."""
    realtime: bool = False
    """Ranks under SCHED_RR: nothing else on this machine takes their core."""
    options: Sequence[str] = ()
    """More options for the launcher, where there is no cluster: its nodes are real then."""

    def __str__(self) -> str:
        if self.cluster is None:
            kind = "nodes" if self.options else "virtual nodes"
            return f"{self.nodes} {kind} x {self.ppn} ranks"
        return f"cluster {self.cluster.spec.name!r}: {self.cluster.spec}; {self.ppn} ranks a node"

    def job(
        self, build: NativeBuild, program: Sequence[str], lanes: int | None, binding: str
    ) -> Job:
        """A job of `program` on all ranks, told how many lanes it has.

        `binding` is the cluster's: lane, all or one. Raises Problem where the library cannot be
        started so.
        """
        environment = {} if lanes is None else {"LANEWAY_LANES": str(lanes)}
        ranks = self.nodes * self.ppn
        if self.cluster is None:
            if not self.options:
                environment["LANEWAY_NODE_SIZE"] = str(self.ppn)
            return Job(build, ranks, program, environment, self.options)
        try:
            launch = self.cluster.launch_command(
                "openmpi" if build.family == "openmpi" else "mpich",
                build.version,
                str(build.mpiexec),
                self.ppn,
                "one" if binding == "one" else "all" if binding == "all" else "lane",
                realtime=self.realtime,
            )
        except (ClusterError, LaunchError) as error:
            raise Problem(str(error)) from error
        return ClusterJob(build, ranks, program, environment, launch=launch)

    def counters(self) -> list[list[Traffic]]:
        """What went over every lane of every node so far, [node][lane]; empty without a cluster.

        Raises Problem where the cluster is no longer up.
        """
        try:
            return self.cluster.counters() if self.cluster else []
        except ClusterError as error:
            raise Problem(str(error)) from error

    def facts(self) -> dict[str, Any]:
        """What a reader of results must know of the place."""
        return {
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
        raise Misuse(f"no cluster {name!r} is up: laneway cluster up --name {name}")
    return up[name]
