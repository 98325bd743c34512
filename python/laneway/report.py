# SPDX-License-Identifier: BSD-3-Clause
"""A report of measurements: one HTML file that needs no network."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from laneway import table
from laneway.caveats import caveats
from laneway.cluster.spec import format_rate
from laneway.errors import Problem
from laneway.floor import Wire
from laneway.rows import Key, Row, Summary, describe, impossible, lane_use, notes, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TEMPLATE = Path(__file__).with_name("report.html.j2")


@dataclass(frozen=True)
class Section:
    """One collective on one library and shape: its picture and its table."""

    title: str
    picture: str
    summaries: Sequence[Summary]


def write(rows: Sequence[Row], path: Path) -> None:
    """Writes the report of a comparison's rows to `path`, its folder included.

    Raises Problem where it cannot be written.
    """
    html = render(rows)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise Problem(f"cannot write the report {path}: {error.strerror}") from error


def render(rows: Sequence[Row]) -> str:
    """The report as HTML."""
    summaries = summarise(rows)
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["microseconds"] = table.microseconds
    environment.filters["size"] = table.size
    environment.filters["ratio"] = table.ratio
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        comparisons=[row for row in rows if row["kind"] == "campaign"],
        environments=_first_of_each_library(rows),
        machines=_once(summary.machine for summary in summaries if summary.machine),
        wires=_once(_wire(summary.wire) for summary in summaries if summary.wire),
        sections=_sections(summaries),
        lane_use=_lane_use(rows),
        notable=table.NOTABLE,
        caveats=caveats(rows),
        notes=notes(rows),
        failures=_once(
            [
                *(
                    row["message"] if row["kind"] == "failure" else describe(row)
                    for row in rows
                    if row["kind"] in ("failure", "error")
                ),
                *impossible(summaries),
            ]
        ),
    )


def _wire(wire: Wire) -> str:
    return f"lanes of {format_rate(wire.rate)} with a burst of {wire.burst} B"


def _lane_use(rows: Sequence[Row]) -> list[str]:
    """The lanes' traffic, library by library."""
    by_library: dict[str, list[Row]] = {}
    library = ""
    for row in rows:
        library = row["library"] if row["kind"] == "environment" else library
        by_library.setdefault(library, []).append(row)
    return [f"{library}, {line}" for library, own in by_library.items() for line in lane_use(own)]


def _once(texts: Iterable[str]) -> list[str]:
    """Without repetitions: every run notes the same."""
    return list(dict.fromkeys(texts))


def _first_of_each_library(rows: Sequence[Row]) -> list[Row]:
    first: dict[str, Row] = {}
    for row in rows:
        if row["kind"] == "environment":
            first.setdefault(row["library"], row)
    return list(first.values())


def _sections(summaries: Sequence[Summary]) -> list[Section]:
    def where(summary: Summary) -> Key:
        return replace(summary.key.case, count=0, bytes=0)

    sections = []
    for _, group in groupby(summaries, key=where):
        cases = list(group)
        key = cases[0].key
        lanes = f", {key.lanes} lane{'s'[: key.lanes != 1]}" if key.lanes else ""
        title = (
            f"{key.collective} of {key.datatype}, {key.library}, "
            f"{key.nodes} nodes x {key.ppn} ranks{lanes}"
        )
        sections.append(Section(title, _picture(cases), cases))
    return sections


def _picture(summaries: Sequence[Summary]) -> str:
    """Time, and ratio to native, against size; as an SVG element."""
    import matplotlib as mpl  # noqa: PLC0415 - slow to import, and only needed here
    from matplotlib.figure import Figure  # noqa: PLC0415

    style: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": repr(summaries[0].key),
        "font.size": 9.0,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.3,
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(9.5, 3.6), layout="constrained")
        times, ratios = figure.subplots(1, 2)
        curves = list(dict.fromkeys(_curve(summary) for summary in summaries))
        several_bindings = len({binding for _, binding in curves}) > 1
        for index, (algorithm, binding) in enumerate(curves):
            own = [summary for summary in summaries if _curve(summary) == (algorithm, binding)]
            name = f"{algorithm} ({binding})" if several_bindings else algorithm
            _draw(times, ratios, own, name, f"C{index}")
        _draw_floor(times, summaries)
        _label(times, "time of the slowest rank, us", "median; shaded: from run to run")
        times.set_yscale("log")
        _label(ratios, "times as fast as native", "native's median over the algorithm's")
        ratios.axhline(1, color="black", linewidth=0.8)
        ratios.set_yscale("log")
        ratios.yaxis.set_major_formatter("{x:g}")
        ratios.yaxis.set_minor_formatter("{x:g}")
        figure.legend(
            *times.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=min(len(curves) + 1, 7),
            frameon=False,
        )
        svg = io.StringIO()
        figure.savefig(svg, format="svg", metadata={"Date": None}, transparent=True)
    text = svg.getvalue()
    return text[text.index("<svg") :]


def _curve(summary: Summary) -> tuple[str, str]:
    return summary.key.algorithm, summary.key.binding


def _draw_floor(times: Axes, summaries: Sequence[Summary]) -> None:
    """The floor, which is the same for all algorithms, as a dashed line."""
    floors = {summary.key.bytes: summary.floor_us for summary in summaries if summary.floor_us}
    if floors:
        times.plot(
            sorted(floors),
            [floors[size] for size in sorted(floors)],
            color="black",
            linestyle="dashed",
            linewidth=1,
            label="floor",
        )


def _draw(times: Axes, ratios: Axes, summaries: Sequence[Summary], name: str, colour: str) -> None:
    """The curves of one algorithm under one binding."""
    sizes = [summary.key.bytes for summary in summaries]
    times.fill_between(
        sizes,
        [summary.spread_us[0] for summary in summaries],
        [summary.spread_us[1] for summary in summaries],
        color=colour,
        alpha=0.2,
        linewidth=0,
    )
    times.plot(
        sizes,
        [summary.median_us for summary in summaries],
        color=colour,
        label=name,
        marker="o",
        markersize=3.5,
    )
    compared = [summary for summary in summaries if summary.ratio_to_native is not None]
    if summaries[0].key.algorithm != "native" and compared:
        ratios.plot(
            [summary.key.bytes for summary in compared],
            [summary.ratio_to_native or 0 for summary in compared],
            color=colour,
            marker="o",
            markersize=3.5,
        )


def _label(axes: Axes, what: str, title: str) -> None:
    axes.set_xscale("symlog", linthresh=1)  # a size of zero has its place
    axes.set_xlabel("bytes")
    axes.set_ylabel(what)
    axes.set_title(title, fontsize=9, loc="left")
