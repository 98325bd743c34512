# SPDX-License-Identifier: BSD-3-Clause
"""The machine at hand: what the paper measures, measured here, beside what it found.

Both series of counts of the paper are measured: multiples of the number of processes, and powers of
ten. A published time stands beside ours of the same multiple, or of the same power. The mock-ups'
components are the library's, as in the paper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import log10
from typing import Any

from laneway.campaign import Plan
from laneway.collectives import COLLECTIVES, IN_BLOCKS
from laneway.commands.shared.console import say
from laneway.launching.allocation import CLUSTER_PPN, Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild, is_called
from laneway.plans import comparison
from laneway.plans.points import registered
from laneway.plans.probe import ProbePlan
from laneway.probe.summary import ProbeSummary
from laneway.rows import NATIVE, CaseKey, CaseSummary, Row
from laneway.showing.diagram import Curve, Plot
from laneway.units import INT
from laneway_studies.agreement import agreement
from laneway_studies.papers.multilane import between
from laneway_studies.papers.multilane.tables import (
    SYSTEMS,
    PublishedCase,
    System,
    full_size,
    published,
)
from laneway_studies.study import Asked, Effort, PublishedComparison, Section, StudyPart

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


# ---- what is measured ----------------------------------------------------------------------------


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


# ---- the published case of ours ------------------------------------------------------------------


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


# ---- what rows say -------------------------------------------------------------------------------

DIRECTIONS = (
    "Ours is another machine: the study compares on which side of 1 ratios lie. A published "
    "ratio within 20% of 1 is not judged. The mock-ups' components are the library's."
)


def sections(part: StudyPart) -> Iterator[Section]:
    """Directions first; then probes, and every collective, of one library."""
    compared = _Compared(part)
    ratios = [*compared.ratios()]
    probes = [*compared.probes(), *compared.node_vs_lane()]
    times = [*compared.times()]
    if ratios or probes:
        yield _directions(compared, [*probes, *ratios])
    yield from (*probes, *ratios, *times)


def _directions(compared: _Compared, found: Sequence[Section]) -> Section:
    """Whether ours lie on the published side of 1, by section."""
    judged = {section.title: agreement(section.comparisons) for section in found}
    return Section(
        "Do the published directions hold here?",
        [
            f"Published are {compared.system.name} with {compared.system.library}. {DIRECTIONS}",
            str(agreement(one for section in found for one in section.comparisons)),
        ],
        table=[
            {
                "of": title,
                "judged": len(own.judged),
                "on the published side": own.sided,
                "near": own.near,
            }
            for title, own in judged.items()
            if own.judged
        ],
    )


@dataclass(frozen=True)
class _Compared:
    """The rows of one library, and the tables that they are laid beside."""

    part: StudyPart

    @cached_property
    def system(self) -> System:
        """The published system."""
        libraries = (row["library"] for row in self.part.rows if row["kind"] in ("sample", "probe"))
        return system_of(next(libraries, ""))

    @cached_property
    def _most(self) -> Mapping[int, int]:
        """The most processes of a node that were measured, by nodes."""
        most: dict[int, int] = defaultdict(int)
        for row in self.part.rows:
            if row["kind"] in ("sample", "probe"):
                most[row["nodes"]] = max(most[row["nodes"]], row["ppn"])
        return most

    @cached_property
    def _tables(self) -> Mapping[int, Tables]:
        return {nodes: Tables(self.system, nodes, most) for nodes, most in self._most.items()}

    def _theirs(
        self, benchmark: str, collective: str, nodes: int, ppn: int, count: int
    ) -> Mapping[str | int, float]:
        """The published times beside ours; empty where there are none."""
        return self._tables[nodes].times.get((benchmark, collective, ppn, count), {})

    # ---- collectives

    @cached_property
    def _cases(self) -> Mapping[str, list[tuple[CaseKey, Mapping[str, CaseSummary]]]]:
        """The variants of each case, by collective."""
        groups: dict[CaseKey, list[CaseSummary]] = defaultdict(list)
        for summary in self.part.summaries:
            if summary.key.collective in COLLECTIVES:
                groups[summary.key.case].append(summary)
        found: dict[str, list[tuple[CaseKey, Mapping[str, CaseSummary]]]] = defaultdict(list)
        for case in sorted(groups, key=_order):
            if variants := self._variants(case, groups[case]):
                found[case.collective].append((case, variants))
        return {name: found[name] for name in COLLECTIVES if name in found}

    def _variants(self, case: CaseKey, own: Sequence[CaseSummary]) -> Mapping[str, CaseSummary]:
        """The fastest of each variant: native under the better binding."""
        by_algorithm: dict[str, CaseSummary] = {}
        for summary in sorted(own, key=lambda summary: -summary.median_us):
            by_algorithm[registered(summary.key.algorithm)] = summary
        found: dict[str, CaseSummary] = {}
        for variant in VARIANTS:
            of = PublishedCase(
                "collective", "", case.collective, case.nodes, case.ppn, case.count, variant, 0
            )
            names = (of.algorithm, of.irregular) if variant == "lane" else (of.algorithm,)
            for name in map(registered, names):
                if name in by_algorithm:
                    found.setdefault(variant, by_algorithm[name])
        if "lane" in found and found.get("lane_irregular") is found["lane"]:
            del found["lane_irregular"]
        used = {registered(summary.key.algorithm) for summary in found.values()}
        self.part.show(summary for summary in own if registered(summary.key.algorithm) in used)
        return found

    def ratios(self) -> Iterator[Section]:
        """The times of all variants over lane's, by collective."""
        for collective, cases in self._cases.items():
            compared: list[PublishedComparison] = []
            further: list[Row] = []
            for case, variants in cases:
                theirs = self._theirs("collective", collective, case.nodes, case.ppn, case.count)
                for variant in variants:
                    if variant == "lane" or "lane" not in variants:
                        continue
                    facts = {**_facts(case), "ratio": f"{VARIANTS[variant]}/lane"}
                    ours = variants[variant].median_us / variants["lane"].median_us
                    if variant in theirs and "lane" in theirs:
                        ratio = theirs[variant] / theirs["lane"]
                        compared.append(PublishedComparison(facts, ratio, ours))
                    else:
                        further.append({**facts, "ours": ours})
            if compared or further:
                yield Section(
                    f"{collective}: ratios",
                    comparisons=compared,
                    quantity="ratio of times",
                    ratios=True,
                    table=further,
                )

    def times(self) -> Iterator[Section]:
        """The times of all variants, by collective."""
        for collective, cases in self._cases.items():
            yield Section(
                f"{collective}: times",
                table=[
                    {
                        **_facts(case),
                        **{
                            f"{name}, us": own.median_us if own else None
                            for variant, name in VARIANTS.items()
                            for own in (variants.get(variant),)
                        },
                        "native's binding": variants["native"].key.binding
                        if "native" in variants
                        else None,
                    }
                    for case, variants in cases
                ],
                plots=[*_plots(cases)],
            )

    # ---- probes

    def probes(self) -> Iterator[Section]:
        """The speed-ups of several virtual lanes, in bytes a second, over one."""
        for probe, (title, collective, benchmark) in PROBES.items():
            own = self.part.show(
                one for one in self.part.probes(probe) if one.key.collective == collective
            )
            if not own:
                continue
            compared: list[PublishedComparison] = []
            further: list[Row] = []
            for one in own:
                key = one.key
                k = key.virtual_lanes or 1
                facts = {**_facts(key), "k": k, "us": one.median_us}
                theirs = self._theirs(benchmark, collective, key.nodes, key.ppn, key.count)
                if {1, k} <= theirs.keys():
                    work = k if probe == "multi-collective" else 1
                    compared.append(
                        PublishedComparison(facts, work * theirs[1] / theirs[k], one.speedup)
                    )
                else:
                    further.append({**facts, "ours": one.speedup})
            yield Section(
                title,
                comparisons=compared,
                quantity="bytes a second over those of k = 1",
                ratios=True,
                table=further,
                plots=[*_probe_plots(own)],
            )

    def node_vs_lane(self) -> Iterator[Section]:
        """The time of an allgather on a node over that between nodes."""
        own = self.part.show(
            one for one in self.part.probes(NODE_VS_LANE) if one.key.collective == "allgather"
        )
        by_key = {one.key: one for one in own}
        compared: list[PublishedComparison] = []
        further: list[Row] = []
        for key, one in by_key.items():
            if key.communicator != "lane":
                continue
            theirs = self._theirs("node_vs_lane", key.collective, key.nodes, key.ppn, key.count)
            node = by_key.get(key.reference)
            facts = {
                **_facts(key),
                "processes": one.processes,
                "node us": node.median_us if node else None,
                "lane us": one.median_us,
            }
            if {"node", "lane"} <= theirs.keys():
                compared.append(
                    PublishedComparison(facts, theirs["node"] / theirs["lane"], one.speedup)
                )
            else:
                further.append({**facts, "ours": one.speedup})
        if own:
            yield Section(
                "Allgather on a node, and between nodes",
                comparisons=compared,
                quantity="the node's time over that between nodes",
                ratios=True,
                table=further,
            )


def _facts(key: Any) -> Row:
    """Where a case was measured, and its count."""
    return {"lanes": key.lanes, "nodes": key.nodes, "ppn": key.ppn, "count": key.count}


def _order(case: CaseKey) -> tuple[object, ...]:
    return case.lanes or 0, case.nodes, -case.ppn, case.count, str(case)


def _plots(cases: Iterable[tuple[CaseKey, Mapping[str, CaseSummary]]]) -> Iterator[Plot]:
    """A diagram for each number of lanes and shape: time over count, by variant."""

    def shape(of: tuple[CaseKey, Mapping[str, CaseSummary]]) -> tuple[int, int, int]:
        return of[0].lanes or 0, of[0].nodes, of[0].ppn

    for (lanes, nodes, ppn), group in groupby(cases, key=shape):
        own = [*group]
        yield Plot(
            f"{nodes} x {ppn}" + (f", lanes: {lanes}" if lanes else ""),
            "count",
            "us",
            [
                Curve(
                    name,
                    [(case.count, variants[variant].median_us)
                     for case, variants in own if variant in variants],
                )
                for variant, name in VARIANTS.items()
                if any(variant in variants for _, variants in own)
            ],
            log_x=True,
            log_y=True,
        )  # fmt: skip


def _probe_plots(own: Iterable[ProbeSummary]) -> Iterator[Plot]:
    """A diagram for each number of lanes and shape: time over count, by k."""

    def shape(one: ProbeSummary) -> tuple[int, int, int, str]:
        return one.key.lanes or 0, one.key.nodes, one.key.ppn, one.key.binding

    for (lanes, nodes, ppn, binding), group in groupby(sorted(own, key=shape), key=shape):
        by_k: dict[int, list[tuple[float, float]]] = defaultdict(list)
        for one in group:
            by_k[one.key.virtual_lanes or 1].append((one.key.count, one.median_us))
        yield Plot(
            f"{nodes} x {ppn}" + (f", lanes: {lanes}, binding {binding}" if lanes else ""),
            "count",
            "us",
            [Curve(f"k = {k}", sorted(points)) for k, points in sorted(by_k.items())],
            log_x=True,
            log_y=True,
        )
