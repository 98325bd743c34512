# SPDX-License-Identifier: BSD-3-Clause
"""All checks, in the order in which they are told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.spec import ClusterSpec, SpecError
from laneway.doctor import libraries, processors
from laneway.doctor import rails as network
from laneway.doctor.finding import Files, Finding, Status
from laneway.launching import this_machine
from laneway.libraries import native

USUAL_PPN = 4
"""Processes a node of an emulated cluster that does not say."""


@dataclass(frozen=True)
class Examination:
    """The findings, and the lanes."""

    findings: list[Finding]
    lanes: list[dict[str, Any]]
    """The map: a line for each lane of each node."""

    @property
    def worst(self) -> Status:
        """The worst of all findings."""
        order = [*Status]
        return max((finding.status for finding in self.findings), key=order.index)


def examine(files: Files | None = None, *, quick: bool = False) -> Examination:
    """Looks at this machine; `quick`: without starting anything."""
    files = files or Files()
    allowed = os.sched_getaffinity(0)
    found = network.rails(files)
    numa_nodes = len([*files.matching("sys/devices/system/node/node[0-9]*")])
    clusters = Cluster.all()
    findings = [
        *_processors(files, allowed),
        network.check(found, numa_nodes),
        libraries.variables(),
        *filter(None, [libraries.in_batch_job()]),
        *libraries.builds(native.installed()),
        *(() if quick else _trials()),
    ]
    lanes = network.lane_map(found, sorted(allowed))
    for cluster in clusters:
        ppn = dict(enumerate(cluster.spec.ppn(USUAL_PPN)))
        lanes += network.cluster_map(cluster.spec, ppn, cluster.state.rates)
    return Examination(findings, lanes)


def _processors(files: Files, allowed: set[int]) -> Iterator[Finding]:
    available = this_machine.cores()
    yield processors.cores(files, allowed)
    yield processors.threads(files)
    yield processors.node_messages(files)
    yield processors.governor(files)
    yield processors.turbo(files)
    yield processors.load(available)
    yield processors.hypervisor(files)
    yield processors.clock(files)
    yield from processors.limits(files, available)
    yield processors.open_files(files)
    yield processors.memory()
    yield processors.pages(files)
    yield processors.realtime(files, root=os.geteuid() == 0)


def _trials() -> Iterator[Finding]:
    """Findings that only a trial can give."""
    for build in native.installed():
        if build.mpiexec.name:
            yield libraries.pinning(build, min(2, this_machine.cores()))
    if (found := libraries.slurm()) is not None:
        yield found
    yield _emulation()


def _emulation() -> Finding:
    """Whether the kernel has what an emulated cluster needs: one is made, and taken down."""
    try:
        Cluster.up(ClusterSpec(f"doctor-{os.getpid()}", nodes=2, lanes=2)).down()
    except (ClusterError, SpecError, OSError) as error:
        return Finding(
            "emulated cluster",
            Status.WARNING,
            f"cannot be made here: {error}",
            "needs root or user namespaces, and the kernel's veth, bridge and tbf; without them "
            "laneway runs on virtual nodes, which have no lanes",
        )
    return Finding("emulated cluster", Status.GOOD, "can be made here: laneway cluster up")
