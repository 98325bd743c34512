# SPDX-License-Identifier: BSD-3-Clause
"""The diagrams of what was measured: times over counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from laneway.probe.summary import ProbeSummary
from laneway.rows import CaseKey, CaseSummary
from laneway.showing.diagram import Curve, Plot
from laneway_studies.papers.multilane.measured import VARIANTS


def case_plots(cases: Iterable[tuple[CaseKey, Mapping[str, CaseSummary]]]) -> Iterator[Plot]:
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


def probe_plots(own: Iterable[ProbeSummary]) -> Iterator[Plot]:
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
