# SPDX-License-Identifier: BSD-3-Clause
"""Sections on measured rows: directions, probes and collectives beside the published ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from laneway.collectives import COLLECTIVES
from laneway.plans.points import registered
from laneway.rows import CaseKey, CaseSummary, Row
from laneway_studies.agreement import agreement
from laneway_studies.papers.multilane.measured import (
    NODE_VS_LANE,
    PROBES,
    VARIANTS,
    Tables,
    system_of,
)
from laneway_studies.papers.multilane.measured_plots import case_plots, probe_plots
from laneway_studies.papers.multilane.tables import PublishedCase, System
from laneway_studies.study import PublishedComparison, Section, StudyPart

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
                plots=[*case_plots(cases)],
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
                plots=[*probe_plots(own)],
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
