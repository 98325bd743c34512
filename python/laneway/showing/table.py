# SPDX-License-Identifier: BSD-3-Clause
"""Summaries as a table for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.table import Table

from laneway.modelling.full_speed import titled
from laneway.results.measurements import Measured
from laneway.rows import CaseKey, CaseSummary
from laneway.showing import figures
from laneway.simulation.prediction import Predictions
from laneway.units import microseconds, ratio, size

NOTABLE = 0.05
"""Ratios closer to 1 than this are not coloured: two runs differ by as much."""


SIGNS = {"VIOLATED": "▲", "HOLDS": "▽", "UNDECIDED": "?", "INVALID": "!"}
"""Signs of verdicts on "native is as fast as this"."""

STANDINGS = {"VIOLATED": "", "HOLDS": "=", "UNDECIDED": "?", "INVALID": "!"}
"""Signs of verdicts on "another is as fast as the fastest"."""


def render(
    summaries: Sequence[CaseSummary],
    title: str,
    predictions: Predictions | None = None,
    winners: Container[CaseKey] = (),
) -> Table:
    """One line an algorithm, the cases apart; lines of `winners` are bold, else the lowest median.

    Binding, number of lanes, layout of blocks, nodes, processes of a node and floor have columns
    where there is something to tell. Where there are several numbers of processes, those of one
    collective and count stand side by side.
    """
    several_bindings = len({summary.key.binding for summary in summaries}) > 1
    several_lanes = len({summary.key.lanes for summary in summaries}) > 1
    several_processes = len({_processes(summary) for summary in summaries}) > 1
    several_nodes = len({_nodes(summary) for summary in summaries}) > 1
    if several_processes or several_nodes:
        summaries = sorted(summaries, key=lambda each: (each.key.collective, each.key.count))
    several_layouts = any(summary.key.layout for summary in summaries)
    bounded = any(summary.floor_us is not None for summary in summaries)
    table = Table(
        title=titled(title, (summary.slower for summary in summaries)),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),  # no more than it takes: there are many columns
    )
    for heading in (
        *(["lanes"] if several_lanes else ()),
        "collective",
        "count",
        "bytes",
        *(["layout"] if several_layouts else ()),
        *(["nodes"] if several_nodes else ()),
        *(["a node"] if several_processes else ()),
        "algorithm",
        *(["binding"] if several_bindings else ()),
    ):
        left = heading in ("collective", "layout", "algorithm", "binding")
        table.add_column(heading, justify="left" if left else "right", no_wrap=True)
    for heading in (
        "min us",
        "median us",
        "mean us",
        "x native",
        *(["floor us", "/ floor"] if bounded else ()),
        *(["predicted", "error"] if predictions else ()),
    ):
        table.add_column(heading, justify="right", no_wrap=True)

    for _, group in groupby(summaries, key=lambda summary: summary.key.case):
        case = list(group)
        lowest = min(case, key=lambda summary: summary.median_us)
        best = next((summary for summary in case if summary.key in winners), lowest)
        for position, summary in enumerate(case):
            key = summary.key
            what = (
                *([str(key.lanes)] if several_lanes else ()),
                key.collective,
                str(key.count),
                size(key.bytes),
                *([_layout(key)] if several_layouts else ()),
                *([_nodes(summary)] if several_nodes else ()),
                *([_processes(summary)] if several_processes else ()),
            )
            table.add_row(
                *(what if position == 0 else [""] * len(what)),
                key.algorithm,
                *([key.binding] if several_bindings else ()),
                microseconds(summary.min_us),
                microseconds(summary.median_us),
                microseconds(summary.mean_us),
                _coloured(summary.ratio_to_native),
                *(_floor(summary) if bounded else ()),
                *(_predicted(summary, predictions) if predictions else ()),
                style=_style(summary, best),
                end_section=position == len(case) - 1,
            )
    return table


def _layout(key: CaseKey) -> str:
    """The layout of a case's blocks, `equal` among others; empty where it has no such blocks."""
    return str(dict(key.axes).get("layout") or "")


def _processes(summary: CaseSummary) -> str:
    """Processes of a node, in a few words: 16, one with threads, or of each where they differ."""
    facts = dict(summary.key.axes)
    threads = facts.get("threads", 1)
    ppn = facts.get("unequal") or summary.key.ppn or "?"
    return f"{ppn}" if threads == 1 else f"{ppn} x {threads} threads"


def _nodes(summary: CaseSummary) -> str:
    """The nodes of a job, or all its ranks where the nodes are not known."""
    if summary.key.nodes:
        return f"{summary.key.nodes}"
    ranks = dict(summary.key.axes).get("ranks")
    return f"{ranks} ranks" if ranks else "?"


KEY = (
    "▲ shown to be faster than native, ▽ native is as fast; fastest: shown, = another is as fast; "
    "? not shown yet, ! nothing to judge by"
)
"""The legend of the signs in `maps`."""


def maps(measured: Measured) -> list[Table]:
    """Ratios to native, and winners, by operation and size: two tables for each place."""
    found = []
    for title, lines, heading, cell in (
        ("Times as fast as native", figures.ratios(measured), ("operation", "curve"), _ratio_cell),
        ("Fastest, and how much slower the next is", figures.winners(measured), ("operation",),
         _winner_cell),
    ):  # fmt: skip
        for place in dict.fromkeys(line["place"] for line in lines):
            own = [line for line in lines if line["place"] == place]
            found.append(_map(f"{title}: {place}", own, heading, cell))
    return found


def _map(
    title: str,
    lines: figures.FigureTable,
    heading: tuple[str, ...],
    cell: Callable[[Mapping[str, Any]], str],
) -> Table:
    """A table with sizes as columns."""
    sizes = sorted({line["bytes"] for line in lines})
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in heading:
        table.add_column(name, no_wrap=True)
    for number in sizes:
        table.add_column(size(number), justify="right")
    cells: dict[tuple[str, ...], dict[int, str]] = {}
    for line in lines:
        cells.setdefault(tuple(line[name] for name in heading), {})[line["bytes"]] = cell(line)
    for names, known in cells.items():
        table.add_row(*names, *(known.get(number, "-") for number in sizes))
    return table


def _ratio_cell(line: Mapping[str, Any]) -> str:
    return f"{_coloured(line['ratio_to_native'])}{SIGNS.get(line['verdict'], '')}"


def _winner_cell(line: Mapping[str, Any]) -> str:
    margin = "" if line["margin"] is None else f" {ratio(line['margin'])}"
    return f"{line['winner']}{margin}{STANDINGS[line['verdict']]}"


def _style(summary: CaseSummary, best: CaseSummary) -> str | None:
    if summary.below_floor:
        return "red"
    return "bold" if summary is best else None


def _floor(summary: CaseSummary) -> tuple[str, str]:
    """The floor, and the median over it."""
    floor, over = summary.floor_us, summary.over_floor
    return microseconds(floor) if floor else "-", "-" if over is None else ratio(over)


def _predicted(summary: CaseSummary, predictions: Predictions) -> tuple[str, str]:
    """The predicted time, and its excess over the median in percent of it."""
    time, error = predictions.times_us.get(summary.key), predictions.error(summary)
    return (
        "-" if time is None else microseconds(time),
        "-" if error is None else f"{100 * error:+.0f}%",
    )


def _coloured(value: float | None) -> str:
    if value is None:
        return "-"
    colour = "green" if value > 1 + NOTABLE else "red" if value < 1 - NOTABLE else "default"
    return f"[{colour}]{ratio(value)}[/]"
