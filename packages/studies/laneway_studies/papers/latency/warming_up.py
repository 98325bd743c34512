# SPDX-License-Identifier: BSD-3-Clause
"""Warm-up and iterations: means of so many, after so many others."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from laneway.rows import CaseKey, Row, Samples
from laneway.showing.diagram import Curve, Plot
from laneway_studies.study import Section

WARM_UPS = (0, 1, 10, 100, 1000)

ITERATIONS = (10, 100, 1000, 10000)
"""Numbers of iterations whose means are compared, as far as so many were measured."""

WARMING_UP = (
    "Nothing was warmed up before the first repetition. A ratio is the mean of so many "
    "iterations, after so many others, over that of a run's second half. The table has the median "
    "of all runs, the least and the most."
)


def warming_up(samples: Mapping[CaseKey, Samples]) -> Iterator[Section]:
    """Means of so many iterations after so many others, over that of the second half."""
    runs = [run for own in samples.values() for run in own.times_us.values()]
    lines = []
    for warm_up in WARM_UPS:
        for iterations in ITERATIONS:
            ratios = [
                statistics.fmean(run[warm_up : warm_up + iterations])
                / statistics.fmean(run[len(run) // 2 :])
                for run in runs
                if len(run) >= warm_up + iterations
            ]
            if len(ratios) > 1:
                lines.append(
                    {
                        "warm-up": warm_up,
                        "iterations": iterations,
                        "mean / settled mean": statistics.median(ratios),
                        "from": min(ratios),
                        "to": max(ratios),
                        "runs": len(ratios),
                    }
                )
    if lines:
        yield Section(
            "Warm-up and iterations",
            [WARMING_UP],
            table=lines,
            plots=[_warm_up_plot(lines)],
        )


def _warm_up_plot(lines: Sequence[Row]) -> Plot:
    by_warm_up: Callable[[Row], int] = lambda line: line["warm-up"]  # noqa: E731 - with its type
    return Plot(
        "Warm-up and iterations",
        "iterations",
        "mean / settled mean",
        [
            Curve(
                f"{warm_up} before",
                [(line["iterations"], line["mean / settled mean"]) for line in own],
            )
            for warm_up, own in groupby(lines, by_warm_up)
        ],
        log_x=True,
    )
