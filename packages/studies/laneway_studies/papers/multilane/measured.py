# SPDX-License-Identifier: BSD-3-Clause
"""The machine at hand: what the paper measures, measured here, beside what it found.

Both series of counts of the paper are measured: multiples of the number of processes, and powers of
ten. A published time stands beside ours of the same multiple, or of the same power. The mock-ups'
components are the library's, as in the paper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import log10

from laneway.campaign import Plan
from laneway.collectives import COLLECTIVES, IN_BLOCKS
from laneway.commands.shared.console import say
from laneway.launching.allocation import CLUSTER_PPN, Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild, is_called
from laneway.plans import comparison
from laneway.plans.probe import ProbePlan
from laneway.rows import NATIVE
from laneway.units import INT
from laneway_studies.papers.multilane import between
from laneway_studies.papers.multilane.tables import (
    SYSTEMS,
    PublishedCase,
    System,
    full_size,
    published,
)
from laneway_studies.study import Asked, Effort

SYSTEM_OF = {
    "openmpi": "hydra",
    "mpich": "hydra-mpich",
    "intelmpi": "hydra-intelmpi",
    "mvapich": "jupiter",
}
"""Published systems by the library that is measured; of any other library it is the first."""

MULTIPLES = range(5)
"""Powers of ten, times which the number of processes is a count (main text)."""

TENS = range(8)
"""Powers of ten that are counts (Appendix A)."""

BLOCKS_BETWEEN = tuple(10**power for power in range(6))
"""Counts of the allgather on a node and between nodes."""

VARIANTS = {
    "native": "native",
    "lane": "lane",
    "lane_irregular": "lane, irregular",
    "lane_no_datatypes": "lane, copies",
    "hier": "hierarchical",
}
"""The paper's variants, and their names in tables."""

PROBES = {
    "lane-pattern": ("The lane pattern", "sendrecv", "lane_pattern"),
    "multi-collective": ("Alltoall on several lanes at once", "alltoall", "multi_collective"),
}
"""Titles, operations and names in the tables of probes with virtual lanes."""

NODE_VS_LANE = "node-vs-lane"

OF_BCAST = (NATIVE, "lane(whole=0)", "lane_regular", "hierarchical(whole=0)")

OF_MESSAGES = (NATIVE, "lane", "lane_regular", "hierarchical")

OF_BLOCKS = (NATIVE, "lane", "lane_regular", "lane_reorder", "hierarchical")
"""The algorithms that are measured, as far as a collective has them; see PublishedCase."""

COMPONENTS = (
    "allgather", "allgatherv", "allreduce", "alltoall", "bcast", "exscan", "gather", "gatherv",
    "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv",
)  # fmt: skip
"""The collectives that mock-ups are made of."""

NATIVE_COMPONENTS = ",".join(
    f"{name}@{part}={NATIVE}" for part in ("node", "lane") for name in COMPONENTS
)


def places(wanted: Wanted, asked: Asked) -> list[Wanted]:
    """As many processes a node as asked for, and each number of these that is less."""
    most = wanted.ppn or CLUSTER_PPN
    fewer = sorted((ppn for ppn in asked["ppn-each"] if ppn < most), reverse=True)
    return [replace(wanted, ppn=ppn, equal=True) for ppn in (most, *fewer)]


@dataclass(frozen=True)
class PaperCounts:
    """The paper's counts on a machine of so many nodes with `most` processes each, all or fewer."""

    nodes: int
    most: int
    largest: int
    """Bytes at most."""

    @property
    def _processes(self) -> int:
        return self.nodes * self.most

    @property
    def whole(self) -> list[int]:
        """Counts of a message."""
        multiples = {self._processes * 10**power for power in MULTIPLES}
        return self._up_to({*multiples, *(10**power for power in TENS)}, 1)

    def of(self, multiples: Iterable[int]) -> list[int]:
        """Multiples of the number of processes."""
        return self._up_to({self._processes * multiple for multiple in multiples}, 1)

    def blocks(self, ppn: int) -> list[int]:
        """Counts of a block: with fewer processes blocks are longer, and all together as long."""
        longer = {10**power * self.most // ppn for power in MULTIPLES}
        of_tens = {-(-(10**power) // self._processes) for power in TENS}
        return self._up_to({*longer, *of_tens}, self.nodes * ppn)

    def _up_to(self, counts: set[int], blocks: int) -> list[int]:
        return sorted(count for count in counts if count * blocks * INT <= self.largest)


def plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, asked: Asked
) -> Mapping[str, Plan]:
    """Probes and collectives for each number of processes a node; node against lane with all."""
    most = max(setting.place.ppn for setting in settings)
    found: dict[str, Plan] = {}
    for ppn, group in groupby(settings, key=lambda setting: setting.place.ppn):
        own = [*group]
        counts = PaperCounts(own[0].place.nodes, most, asked["largest"])
        if ppn > 1:
            lanes = sorted({*(2**power for power in range(ppn.bit_length())), ppn})
            for probe in {**PROBES, **between.PROBES}:
                probed = counts.whole if probe in PROBES else counts.of(between.MULTIPLES)
                found[f"{probe}-{ppn}"] = ProbePlan(build, probe, own, lanes, probed, **effort)
        if ppn == most > 1:
            found[NODE_VS_LANE] = ProbePlan(build, NODE_VS_LANE, own, [1], BLOCKS_BETWEEN, **effort)
        told = [
            replace(
                setting,
                place=replace(setting.place, variables=(("LANEWAY_ALGORITHM", NATIVE_COMPONENTS),)),
            )
            for setting in own
        ]
        messages = [name for name in COLLECTIVES if name not in (*IN_BLOCKS, "bcast")]
        blocks = [name for name in COLLECTIVES if name in IN_BLOCKS]
        for name, collectives, algorithms, amounts in (
            ("bcast", ["bcast"], OF_BCAST, counts.whole),
            ("messages", messages, OF_MESSAGES, counts.whole),
            ("blocks", blocks, OF_BLOCKS, counts.blocks(ppn)),
        ):
            arms = comparison.arms(told, algorithms, "best", build, say)
            found[f"{name}-{ppn}"] = comparison.ComparisonPlan(
                build, arms, collectives, amounts, **effort
            )
    return found


def system_of(library: str) -> System:
    """The published system that times of a library are laid beside."""
    names = (system for name, system in SYSTEM_OF.items() if is_called(library, name))
    return SYSTEMS[next(names, "hydra")]


Counterpart = tuple[str, str, int, int]
"""Benchmark, collective, processes a node and count, as they would be here."""


@dataclass(frozen=True)
class Tables:
    """The tables of a published system, by what stands for each case on a machine."""

    system: System
    nodes: int
    most: int
    """The machine's nodes, and the processes of a full one."""

    @cached_property
    def times(self) -> Mapping[Counterpart, Mapping[str | int, float]]:
        """Published times by variant, or virtual lanes. The main text goes before Appendix A."""
        found: dict[Counterpart, dict[str | int, float]] = defaultdict(dict)
        for case, time in published(self.system).items():
            here = self._here(case)
            if here[2] <= self.most:
                found[here].setdefault(case.virtual_lanes or case.variant, time)
        return found

    def _here(self, case: PublishedCase) -> Counterpart:
        if case.benchmark == "node_vs_lane":
            return case.benchmark, case.collective, self.most, case.count
        nodes, full = full_size(self.system)
        processes, ours = nodes * full, self.nodes * self.most
        ppn = self.most if case.ppn == full else case.ppn
        in_blocks = case.benchmark == "collective" and case.collective in IN_BLOCKS
        if case.section == "A" and case.ppn == full:  # powers of ten, of all blocks together
            power = round(log10(case.count * processes))
            count = -(-(10**power) // ours) if in_blocks else case.count
        elif in_blocks:
            count = case.count * case.ppn * self.most // (full * ppn)
        else:
            count = case.count * ours // processes
        return case.benchmark, case.collective, ppn, count
