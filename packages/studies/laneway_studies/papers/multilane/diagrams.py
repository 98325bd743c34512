# SPDX-License-Identifier: BSD-3-Clause
"""The diagrams of the tables: published times and ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from laneway.showing.diagram import Curve, Plot
from laneway_studies.papers.multilane.tables import PublishedCase


def diagrams_of(
    cases: Iterable[PublishedCase],
    theirs: Mapping[PublishedCase, float],
    ours: Mapping[PublishedCase, float],
    label: Callable[[PublishedCase], str] = lambda case: case.variant,
) -> Iterator[Plot]:
    """A diagram a table: time over count, published and ours."""

    def table(case: PublishedCase) -> tuple[str, int]:
        return case.section, 0 if case.benchmark == "node_vs_lane" else case.ppn

    for (section, ppn), own in groupby(sorted(cases, key=table), key=table):
        curves: dict[str, list[PublishedCase]] = defaultdict(list)
        for case in sorted(own):
            curves[label(case)].append(case)
        shape = f"{ppn} processes a node" if ppn else "32 processes"
        yield Plot(
            f"{shape} ({'main text' if section == 'main' else f'Appendix {section}'})",
            "count",
            "us",
            [
                curve
                for name, each in curves.items()
                for curve in (
                    Curve(
                        f"{name}, published",
                        [(case.count, theirs[case]) for case in each],
                        published=True,
                        of=name,
                    ),
                    Curve(
                        name,
                        [(case.count, ours[case]) for case in each if case in ours],
                        of=name,
                    ),
                )
            ],
            log_x=True,
            log_y=True,
        )
