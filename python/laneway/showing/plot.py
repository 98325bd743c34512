# SPDX-License-Identifier: BSD-3-Clause
"""The figures as files: SVG and PNG by matplotlib, CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laneway import files
from laneway.modelling import full_speed
from laneway.results.measurements import Measured
from laneway.results.reference import Published
from laneway.showing.figures import FIGURES, FigureTable, native_first
from laneway.showing.table import SIGNS, STANDINGS
from laneway.units import ratio, size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

FORMATS = ("svg", "png", "csv")

COLOURS = ("#17202a", "#0072b2", "#c2410c", "#00806a", "#870463", "#75502c", "#6a2cf7", "#3938a2")
"""Colours of native and of the others in alphabetical order, as in the report's light mode."""

MARKERS = "osD^Pv*X"

DASHES: Sequence[Any] = (
    "-", (0, (6, 2)), (0, (2, 2)), (0, (6, 2, 1, 2)), (0, (10, 2)), (0, (4, 1, 1, 1, 1, 1)),
)  # fmt: skip
"""Dashes of lines, which colour, dashes and markers tell apart, as in the report."""

HATCHES = ("", "//", "..", "xx", "--")
"""Hatches of lanes' bars."""

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "laneway",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.axisbelow": True,
}


def write(
    measured: Measured,
    names: Sequence[str],
    formats: Sequence[str],
    folder: Path,
    *,
    published: Sequence[Published] = (),
    operations: Sequence[str] = (),
) -> list[Path]:
    """Writes the figures of those names to `folder`; where no operation is named, of all.

    A figure without data is left out. Returns the files; raises Problem where one cannot be
    written.
    """
    written = []
    for name in names:
        table = [
            line
            for line in FIGURES[name].table(measured)
            if not operations or line.get("operation", "") in operations
        ]
        for extension in formats if table else ():
            written += (
                [_write_csv(table, folder / f"{name}.csv")]
                if extension == "csv"
                else _write_pictures(name, table, folder, extension, published)
            )
    if published and "csv" in formats:
        written.append(_write_csv([one.line() for one in published], folder / "reference.csv"))
    return written


def _write_csv(table: FigureTable, path: Path) -> Path:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, table[0].keys())
    writer.writeheader()
    writer.writerows(table)
    files.replace(path, text.getvalue())
    return path


def _write_pictures(
    name: str, table: FigureTable, folder: Path, extension: str, published: Sequence[Published]
) -> list[Path]:
    import matplotlib as mpl

    written = []
    draw, parts = _DRAWINGS[name]
    algorithms = native_first(str(line.get("algorithm", line.get("winner", ""))) for line in table)
    for title, own in _panels(table, parts):
        path = folder / f"{'-'.join([name, *map(files.slug, title)])}.{extension}"
        with mpl.rc_context(STYLE):
            canvas = draw(own, algorithms, published)
            canvas.suptitle(
                ", ".join([FIGURES[name].title, *title]), fontsize=10, x=0.01, ha="left"
            )
            metadata = {"Date": None} if extension == "svg" else None
            picture = io.BytesIO()
            canvas.savefig(picture, format=extension, dpi=160, metadata=metadata)
            files.replace(path, picture.getvalue())
        written.append(path)
    return written


def _panels(
    table: FigureTable, parts: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], FigureTable]]:
    """The lines of each picture, with the title that tells it from the others."""
    pictures: dict[tuple[str, ...], FigureTable] = {}
    for line in table:
        pictures.setdefault(tuple(_text(part, line[part]) for part in parts), []).append(line)
    yield from pictures.items()


def _text(name: str, value: object) -> str:
    match name:
        case "bytes":
            return size(int(str(value)))
        case "lanes" | "binding":
            return f"{name} {value}"
        case _:
            return str(value)


def _colour(algorithms: Sequence[str], name: str) -> str:
    position = algorithms.index(name) if name in algorithms else len(algorithms)
    return COLOURS[position % len(COLOURS)]


def _style(algorithms: Sequence[str], line: Mapping[str, Any]) -> dict[str, Any]:
    """The style of an algorithm's line; under another binding than `lane`, markers are hollow."""
    name = line["algorithm"]
    position = algorithms.index(name) if name in algorithms else len(algorithms)
    hollow = "(" in line["curve"] and line["binding"] != "lane"
    return {
        "color": _colour(algorithms, name),
        "linestyle": DASHES[position % len(DASHES)],
        "marker": MARKERS[position % len(MARKERS)],
        "markerfacecolor": "none" if hollow else _colour(algorithms, name),
    }


def _canvas(width: float, height: float) -> tuple[Canvas, Axes]:
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(width, height), layout="constrained")
    return canvas, canvas.subplots()


def _what(table: FigureTable) -> str:
    """The meaning of a table's times, with their units."""
    units = dict.fromkeys(full_speed.unit(line["slower"]) for line in table)
    return ", ".join([*dict.fromkeys(line["statistic"] for line in table), "us"]) + "".join(
        f"; {unit}" for unit in units if unit
    )


def _curves(table: FigureTable) -> dict[str, FigureTable]:
    found: dict[str, FigureTable] = {}
    for line in table:
        found.setdefault(line["curve"], []).append(line)
    return found


# ---- one function a figure ----------------------------------------------------------------------


def _times(table: FigureTable, algorithms: Sequence[str], published: Sequence[Published]) -> Canvas:
    canvas, axes = _canvas(7.2, 4.6)
    for curve, own in _curves(table).items():
        sizes = [line["bytes"] for line in own]
        style = _style(algorithms, own[0])
        low, high = ([line[edge] for line in own] for edge in ("low_us", "high_us"))
        axes.fill_between(sizes, low, high, color=style["color"], alpha=0.18, linewidth=0)
        medians = [line["median_us"] for line in own]
        axes.plot(sizes, medians, label=curve, markersize=5, **style)
    floors = {line["bytes"]: line["floor_us"] for line in table if line["floor_us"]}
    if floors:
        sizes = sorted(floors)
        least = [floors[number] for number in sizes]
        axes.fill_between(
            sizes, 0, least, facecolor="none", edgecolor="0.75", hatch="///", linewidth=0
        )
        axes.plot(sizes, least, color="0.4", lw=1, label="floor")
    _draw_published(axes, table[0]["collective"], algorithms, published)
    _by_size(axes, _what(table))
    axes.set_yscale("log")
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return canvas


def _draw_published(
    axes: Axes, collective: str, algorithms: Sequence[str], published: Sequence[Published]
) -> None:
    curves: dict[tuple[str, str], list[Published]] = {}
    for one in published:
        if one.collective == collective and one.time_us > 0:
            curves.setdefault((one.place, one.algorithm), []).append(one)
    for (place, algorithm), own in curves.items():
        axes.plot(
            [one.bytes for one in own],
            [one.time_us for one in own],
            color=_colour(algorithms, algorithm),
            linestyle=":",
            linewidth=1,
            marker="o",
            markersize=3.5,
            markerfacecolor="none",
            label=f"published: {algorithm}, {place}",
        )


def _by_size(axes: Axes, what: str) -> None:
    axes.set_xscale("symlog", linthresh=1)  # a size of zero has its place
    axes.set_xlabel("bytes")
    axes.set_ylabel(what)


def _ratios(table: FigureTable, algorithms: Sequence[str], _: Sequence[Published]) -> Canvas:  # noqa: ARG001
    """A map of ratios: blue is faster, orange slower; colour saturates at four times."""
    rows = list(dict.fromkeys((line["operation"], line["curve"]) for line in table))
    sizes = sorted({line["bytes"] for line in table})
    lines = {(line["operation"], line["curve"], line["bytes"]): line for line in table}
    grid = [[_strength(lines.get((*row, number))) for number in sizes] for row in rows]
    canvas, axes = _canvas(2.6 + 0.62 * len(sizes), 1.3 + 0.27 * len(rows))
    axes.imshow(grid, cmap=_diverging(), vmin=-2, vmax=2, aspect="auto")
    for y, row in enumerate(rows):
        for x, number in enumerate(sizes):
            if line := lines.get((*row, number)):
                text = ratio(line["ratio_to_native"]) + SIGNS.get(line["verdict"], "")
                axes.text(x, y, text, ha="center", va="center", fontsize=7.5)
    axes.set_xticks(range(len(sizes)), [size(number) for number in sizes], rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), [f"{operation}: {curve}" for operation, curve in rows])
    axes.grid(visible=False)
    return canvas


def _strength(line: Mapping[str, Any] | None) -> float:
    return math.log2(line["ratio_to_native"]) if line and line["ratio_to_native"] else math.nan


def _diverging() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("laneway", ["#e8a15e", "#ffffff", "#6fb1dd"])


def _winners(table: FigureTable, algorithms: Sequence[str], _: Sequence[Published]) -> Canvas:
    """A map of winners, hatched where the runs don't show that the winner is the fastest."""
    rows = list(dict.fromkeys(line["operation"] for line in table))
    sizes = sorted({line["bytes"] for line in table})
    canvas, axes = _canvas(2.2 + 0.95 * len(sizes), 1.3 + 0.36 * len(rows))
    for line in table:
        x, y = sizes.index(line["bytes"]), rows.index(line["operation"])
        colour = _colour(algorithms, line["winner"])
        axes.add_patch(_cell(x, y, colour, clear=line["verdict"] == "VIOLATED"))
        sign = STANDINGS[line["verdict"]]
        margin = "" if line["margin"] is None else f"\n{ratio(line['margin'])}{sign}"
        axes.text(x, y, line["winner"] + margin, ha="center", va="center", fontsize=7)
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(sizes)), [size(number) for number in sizes], rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(visible=False)
    return canvas


def _cell(x: int, y: int, colour: str, *, clear: bool) -> Any:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    return Rectangle(
        (x - 0.5, y - 0.5),
        1,
        1,
        facecolor=to_rgba(colour, 0.25 if clear else 0.08),
        edgecolor="white" if clear else to_rgba(colour, 0.3),
        hatch=None if clear else "//",
    )


def _lanes(table: FigureTable, algorithms: Sequence[str], _: Sequence[Published]) -> Canvas:  # noqa: ARG001
    canvas, axes = _canvas(5.2, 4.0)
    for position, (curve, own) in enumerate(_curves(table).items()):
        numbers = [line["lanes"] for line in own]
        colour = COLOURS[position % len(COLOURS)]
        marker = MARKERS[position % len(MARKERS)]
        axes.plot(
            numbers, [line["speedup"] for line in own], color=colour, marker=marker, label=curve
        )
        axes.plot(numbers, [line["ideal"] for line in own], "k--", lw=1, alpha=0.5)
    axes.plot([], [], "k--", lw=1, alpha=0.5, label="ideal")
    axes.set_xticks(sorted({line["lanes"] for line in table}))
    axes.set_xlabel("lanes")
    axes.set_ylabel("speed-up")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return canvas


def _samples(table: FigureTable, algorithms: Sequence[str], _: Sequence[Published]) -> Canvas:  # noqa: ARG001
    """Two panels: the share of samples within a time, and the samples in their order."""
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(9.2, 3.8), layout="constrained")
    spread, order = canvas.subplots(1, 2)
    for position, (curve, own) in enumerate(_curves(table).items()):
        colour = COLOURS[position % len(COLOURS)]
        times = [line["time_us"] for line in own]
        spread.ecdf(times, color=colour, label=curve)
        order.plot(range(1, len(times) + 1), times, ".", color=colour, markersize=3)
    spread.set_xscale("log")
    spread.set_xlabel(_what(table))
    spread.set_ylabel("share of the samples within it")
    spread.legend(frameon=False, fontsize=8, loc="lower right")
    order.set_yscale("log")
    order.set_xlabel("sample, run after run")
    order.set_ylabel(_what(table))
    return canvas


def _carried(table: FigureTable, algorithms: Sequence[str], _: Sequence[Published]) -> Canvas:  # noqa: ARG001
    """The bytes that the busiest node moved over each lane, beside the least that it must."""
    curves = list(dict.fromkeys(line["curve"] for line in table))
    lanes = list(dict.fromkeys(line["lane"] for line in table))
    canvas, axes = _canvas(6.4, 1.2 + 0.2 * len(curves) * (len(lanes) + 1))
    height = 0.8 / len(lanes)
    for number, lane in enumerate(lanes):
        own = [line for line in table if line["lane"] == lane]
        axes.barh(
            [
                curves.index(line["curve"]) + (number - (len(lanes) - 1) / 2) * height
                for line in own
            ],
            [line["busiest_bytes"] / 1e3 for line in own],
            height,
            color=COLOURS[(number + 1) % len(COLOURS)],
            hatch=HATCHES[number % len(HATCHES)],
            edgecolor="white",
            label=lane,
        )
    if least := next((line["least_bytes"] for line in table if line["least_bytes"]), None):
        axes.axvline(least / 1e3, color="k", linestyle="--", lw=1, label="least")
    axes.set_yticks(range(len(curves)), curves)
    axes.invert_yaxis()
    axes.set_xlabel("over a lane of the busiest node in one call, kB")
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return canvas


def _counters(table: FigureTable, algorithms: Sequence[str], _: Sequence[Published]) -> Canvas:  # noqa: ARG001
    canvas, axes = _canvas(6.0, 3.6)
    lanes = sorted({line["lane"] for line in table})
    width = 0.8 / len(lanes)
    for lane in lanes:
        own = [line for line in table if line["lane"] == lane]
        axes.bar(
            [line["node"] + (lane - (len(lanes) - 1) / 2) * width for line in own],
            [line["sent_bytes"] / 1e6 for line in own],
            width,
            color=COLOURS[(lane + 1) % len(COLOURS)],
            label=f"lane {lane}",
        )
    axes.set_xticks(sorted({line["node"] for line in table}))
    axes.set_xlabel("node")
    axes.set_ylabel("sent, MB")
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    return canvas


_Drawing = Callable[[FigureTable, Sequence[str], Sequence[Published]], "Canvas"]

_DRAWINGS: Mapping[str, tuple[_Drawing, Sequence[str]]] = {
    "time": (_times, ("operation", "place")),
    "ratio": (_ratios, ("place",)),
    "winners": (_winners, ("place",)),
    "lanes": (_lanes, ("operation", "place", "bytes")),
    "samples": (_samples, ("operation", "place", "bytes")),
    "carried": (_carried, ("operation", "place", "bytes")),
    "counters": (_counters, ("library", "lanes", "binding")),
}
"""The function that draws a figure, and the columns by which it falls into pictures."""
