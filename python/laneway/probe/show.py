# SPDX-License-Identifier: BSD-3-Clause
"""A probe's summaries as a table for the terminal, and as a figure."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from laneway import files
from laneway.modelling.floor import Wire
from laneway.modelling.full_speed import titled
from laneway.probe.summary import ProbeKey, ProbeSummary
from laneway.units import counted, microseconds, ratio, shape_in_words, size

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def title(series: ProbeKey, wire: Wire | None) -> str:
    """The heading of a table: what, where and over what."""
    exchanges = f", {series.inner_repetitions} times" if series.inner_repetitions > 1 else ""
    lanes = "" if series.lanes is None else f", {counted(series.lanes, 'lane')}"
    rate = f" of {wire.told} ({wire.pace or f'burst {wire.burst} B'})" if wire else ""
    told = (
        f"{series.probe}: {series.collective}{exchanges}, {series.library}, "
        f"{shape_in_words(series.nodes, series.ppn)}{lanes}{rate}, binding {series.binding}"
    )
    return titled(told, [wire.slower] if wire else ())


def tables(summaries: Sequence[ProbeSummary], wire: Wire | None) -> list[tuple[str, Table]]:
    """Title and table of each series, one line a pattern; the columns of the paper, and ours."""
    return [
        (title(series, wire), _table(list(group)))
        for series, group in groupby(summaries, key=lambda summary: summary.key.series)
    ]


def _table(cases: Sequence[ProbeSummary]) -> Table:
    by_lanes = cases[0].key.virtual_lanes is not None
    bounded = any(case.floor_us is not None for case in cases)
    devices = sorted({device for case in cases for device in case.traffic})
    by_node = cases[0].key.node is not None
    headings = [
        *(("nodes", "process", "N", "n") if by_node else ()),
        *(() if by_node else ("k", "n", "N", "p") if by_lanes else ("on", "p")),
        *("count", "avg us", "median us", "min us", "speed-up", "MB/s"),
        *(("floor us", "/ floor") if bounded else ()),
        *([_range(devices)] if devices else ()),
    ]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "on" else "right", no_wrap=True)
    for _, group in groupby(cases, key=lambda case: (case.key.collective, case.key.count)):
        patterns = list(group)
        for case in patterns:
            key = case.key
            what: tuple[object, ...] = (key.communicator,)
            if by_lanes:
                what = (key.virtual_lanes, key.ppn, key.nodes)
            last = key.nodes * key.ppn if by_lanes else case.processes
            if key.node is not None:
                other = (key.node + 1) % key.nodes
                what, last = (f"{key.node}, {other}", key.process, key.nodes), key.ppn
            rate = case.bytes_per_second
            table.add_row(
                *map(str, what),
                str(last),
                str(key.count),
                microseconds(case.mean_us),
                microseconds(case.median_us),
                microseconds(case.min_us),
                _or_dash(None if case.speedup is None else ratio(case.speedup)),
                _or_dash(None if rate is None else f"{rate / 1e6:.3g}"),
                *(_floor(case) if bounded else ()),
                *([_shares(case, devices)] if devices else ()),
                style="red" if case.below_floor else None,
                end_section=case is patterns[-1],
            )
    return table


def _range(devices: Sequence[str]) -> str:
    """The heading above the devices' shares."""
    return f"% {devices[0]}" + (f"..{devices[-1]}" if len(devices) > 1 else "")


def _shares(case: ProbeSummary, devices: Sequence[str]) -> str:
    """The share that each device carried, in percent."""
    if not case.traffic:
        return "-"
    return " ".join(f"{100 * case.traffic.get(device, 0):.0f}" for device in devices)


def _or_dash(text: str | None) -> str:
    return "-" if text is None else text


def _floor(case: ProbeSummary) -> tuple[str, str]:
    over = case.over_floor
    return (
        _or_dash(None if case.floor_us is None else microseconds(case.floor_us)),
        _or_dash(None if over is None else ratio(over)),
    )


def write_figure(summaries: Sequence[ProbeSummary], wire: Wire | None, path: Path) -> None:
    """Writes times and speed-ups against size as SVG; raises Problem where that fails."""
    files.replace(path, figure(summaries, wire))


def figure(summaries: Sequence[ProbeSummary], wire: Wire | None) -> str:
    """Times and speed-ups against size, a row of two plots for each series, as an SVG document."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    groups = [
        (series, list(group))
        for series, group in groupby(summaries, key=lambda summary: summary.key.series)
    ]
    style: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": repr(groups),
        "font.size": 9.0,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.3,
    }
    with mpl.rc_context(style):
        drawing = Figure(figsize=(9.5, 3.8 * len(groups)), layout="constrained")
        parts = drawing.subfigures(len(groups), 1, squeeze=False)[:, 0]
        for part, (series, cases) in zip(parts, groups, strict=True):
            part.suptitle(title(series, wire), fontsize=9)
            times, speedups = part.subplots(1, 2)
            _draw(times, speedups, cases)
        svg = io.StringIO()
        drawing.savefig(svg, format="svg", metadata={"Date": None})
    return svg.getvalue()


def _draw(times: Axes, speedups: Axes, cases: Sequence[ProbeSummary]) -> None:
    patterns = dict.fromkeys(
        (case.key.collective, case.key.communicator, case.key.virtual_lanes) for case in cases
    )
    several = len({collective for collective, _, _ in patterns}) > 1
    for index, (collective, communicator, k) in enumerate(patterns):
        own = [
            case
            for case in cases
            if (case.key.collective, case.key.communicator, case.key.virtual_lanes)
            == (collective, communicator, k)
        ]
        name = communicator if k is None else f"k = {k}"
        sizes = [case.key.bytes for case in own]
        look: dict[str, Any] = {"color": f"C{index}", "marker": "o", "markersize": 3.5}
        times.plot(
            sizes,
            [case.median_us for case in own],
            label=f"{collective}, {name}" if several else name,
            **look,
        )
        bounded = [case for case in own if case.floor_us]
        times.plot(
            [case.key.bytes for case in bounded],
            [case.floor_us or 0 for case in bounded],
            color=f"C{index}",
            linestyle="dotted",
        )
        gained = [case for case in own if case.speedup is not None]
        speedups.plot(
            [case.key.bytes for case in gained], [case.speedup or 0 for case in gained], **look
        )
        if k is not None:
            speedups.axhline(k, color=f"C{index}", linewidth=0.8, linestyle="dashed")
    times.set_yscale("log")
    times.set_ylabel("time of the slowest rank, us")
    times.set_title("median; dotted: the floor", fontsize=9, loc="left")
    times.legend(frameon=False)
    speedups.set_ylabel("speed-up")
    over_k = cases[0].key.virtual_lanes is not None
    speedups.set_title(
        "over k = 1; dashed: k" if over_k else "over the node", fontsize=9, loc="left"
    )
    if not over_k:
        speedups.set_yscale("log")
    smallest = min(case.key.bytes for case in cases)
    for axes in (times, speedups):
        if smallest > 0:
            axes.set_xscale("log")
        else:
            axes.set_xscale("symlog", linthresh=1)  # zero has its place
            axes.set_xlim(left=0)
        axes.set_xlabel(f"bytes: count x {size(cases[0].key.bytes // max(1, cases[0].key.count))}")
