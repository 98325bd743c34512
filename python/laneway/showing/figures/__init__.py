# SPDX-License-Identifier: BSD-3-Clause
"""The contents of each figure, as a table of plain values.

The report, the plots, the CSV files and the tests all take a figure's numbers from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from laneway.results.measurements import Measured
from laneway.showing.figures.cases import points, ratios, samples, times, winners
from laneway.showing.figures.lanes import carried, counters, lanes
from laneway.showing.figures.names import FigureTable, native_first, place_name

__all__ = [
    "FIGURES", "Figure", "FigureTable", "carried", "counters", "lanes", "native_first",
    "place_name", "points", "ratios", "samples", "times", "winners",
]  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """One way to look at measurements."""

    name: str
    title: str
    shows: str
    """The contents of the figure and how to read it, in plain words."""
    table: Callable[[Measured], FigureTable]


FIGURES = {
    figure.name: figure
    for figure in (
        Figure(
            "time",
            "Time against size",
            "A line is an algorithm, a point the median of one size. The band around a line "
            "says how far runs differ: it holds the middle four fifths of them. In the hatched "
            "area no algorithm can be: the lanes allow no shorter time.",
            times,
        ),
        Figure(
            "ratio",
            "Times as fast as native",
            "Native is the MPI library's own algorithm. Above 1 the algorithm beside the row is "
            "faster than native, below 1 it is slower.",
            ratios,
        ),
        Figure(
            "winners",
            "Which algorithm wins where",
            "The fastest algorithm at each size. The small line names the second, and how many "
            "times as long it takes.",
            winners,
        ),
        Figure(
            "lanes",
            "Lane scaling",
            "How many times as fast an algorithm gets with more lanes. A line that stays at 1 "
            "makes no use of them; dashed is the ideal, twice the lanes twice as fast.",
            lanes,
        ),
        Figure(
            "carried",
            "Bytes on each lane in one call",
            "Equal bars: the algorithm uses all lanes alike. A lane without a bar was not used. "
            "Bytes are those that the kernel counted while the calls ran, headers included.",
            carried,
        ),
        Figure(
            "samples",
            "Samples: distribution and order",
            "Every single measurement. Left: the share of them within a time; a steep line means "
            "that they are alike. Right: in the order in which they were taken; steps and slopes "
            "mean that something else on the machine changed.",
            samples,
        ),
        Figure(
            "counters",
            "Bytes on each lane in whole jobs",
            "Bytes by node and lane from the start of the jobs to their end, by the kernel's "
            "counters. All algorithms, their checks and their start-up are together.",
            counters,
        ),
    )
}
"""The figures by their names on the command line."""
