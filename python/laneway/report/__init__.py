# SPDX-License-Identifier: BSD-3-Clause
"""A report of measurements: one HTML file that needs no network."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from laneway import figures, files, table
from laneway.caveats import caveats
from laneway.cluster.spec import format_rate
from laneway.figures import FIGURES, Table
from laneway.floor import Wire
from laneway.measured import Measured
from laneway.reference import Published
from laneway.rows import Row, describe, impossible, lane_use, notes

HERE = Path(__file__).parent

SAMPLES_SHOWN = 250_000
"""Repetitions in a report at most; of more, evenly spaced ones of each run are shown."""

STRONG = 4.0
"""Ratio from which on a cell of the map has its full colour; and its inverse."""

FULL = 60
"""Percent of colour in such a cell: what is left keeps the text readable."""


@dataclass(frozen=True)
class Mark:
    """How a verdict on "native is as fast" is shown."""

    glyph: str
    meaning: str


MARKS = {
    "VIOLATED": Mark(
        table.SIGNS["VIOLATED"], "native is slower than this, beyond what runs differ by"
    ),
    "HOLDS": Mark(table.SIGNS["HOLDS"], "native is as fast"),
    "UNDECIDED": Mark(table.SIGNS["UNDECIDED"], "more runs are needed"),
    "INVALID": Mark(table.SIGNS["INVALID"], "there is nothing to judge by, or a result was wrong"),
}


@dataclass(frozen=True)
class Card:
    """A number at the top."""

    label: str
    value: str
    detail: str = ""


def write(measured: Measured, path: Path, published: Sequence[Published] = ()) -> None:
    """Writes the report to `path`, its folder included.

    Raises Problem where it cannot be written.
    """
    files.replace(path, render(measured, published))


def render(measured: Measured, published: Sequence[Published] = ()) -> str:
    """The report as HTML."""
    points = figures.points(measured)
    ratios = figures.ratios(measured)
    heat = _heat(ratios)
    wins = _wins(figures.winners(measured))
    lanes = figures.lanes(measured)
    counters = figures.counters(measured)
    samples, thinned = _samples(measured)
    drawn = bool(points or lanes or counters)
    data = {
        "algorithms": _algorithms(points),
        "points": points,
        "samples": samples,
        "lanes": lanes,
        "counters": counters,
        "reference": [one.line() for one in published],
    }
    sections = {
        "overview": "Overview",
        "ratio": "Ratio" if heat else "",
        "winners": "Winners" if wins else "",
        "curves": "Curves" if points else "",
        "lanes": "Lanes" if lanes else "",
        "counters": "Counters" if counters else "",
        "numbers": "Numbers" if points else "",
        "setup": "Setup",
    }
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=_title(measured),
            subtitle=_subtitle(measured),
            contents=[(id_, name) for id_, name in sections.items() if name],
            figures=FIGURES,
            statistics=_once(summary.key.statistic for summary in measured.summaries),
            cards=_cards(measured, points, ratios),
            failures=_failures(measured),
            caveats=caveats(measured.rows),
            heat=heat,
            marks=_marks(ratios),
            wins=wins,
            numbers=_numbers(points),
            thinned=thinned,
            lanes=lanes,
            counters=counters,
            lane_use=_lane_use(measured.rows),
            wires=_once(_wire(each.wire) for each in measured.summaries if each.wire),
            commands=_commands(measured),
            environments=_first_of_each_library(measured),
            notes=notes(measured.rows),
            published=_once(one.place for one in published),
            style=_asset("style.css"),
            data=_packed(json.dumps(data, separators=(",", ":"), allow_nan=False)) if drawn else "",
            library=_packed(_plotly()) if drawn else "",
            script=_asset("script.js") if drawn else "",
        )
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["microseconds"] = table.microseconds
    environment.filters["size"] = table.size
    environment.filters["ratio"] = table.ratio
    return environment


def _asset(name: str) -> Markup:
    """A file of ours, which goes into the page as it is."""
    return Markup((HERE / name).read_text(encoding="utf-8"))  # noqa: S704 - ours


def _plotly() -> str:
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - slow to import, needed only here

    return str(get_plotlyjs())


def _packed(text: str) -> str:
    """Compressed, in characters that are safe in HTML; the browser unpacks it."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def _algorithms(points: Table) -> list[str]:
    """Native first: an algorithm has one colour in the whole report."""
    names = sorted({point["algorithm"] for point in points})
    return sorted(names, key=lambda name: name != "native")


def _samples(measured: Measured) -> tuple[dict[str, dict[int, list[float]]], str]:
    """The repetitions of each case and run, and what is to be said of them."""
    lines = figures.samples(measured)
    step = max(1, math.ceil(len(lines) / SAMPLES_SHOWN))
    cases: dict[str, dict[int, list[float]]] = {}
    for line in lines:
        if line["order"] % step == 0:
            case = "|".join(str(line[key]) for key in ("place", "operation", "curve", "bytes"))
            time = float(f"{line['time_us']:.4g}")
            cases.setdefault(case, {}).setdefault(line["run"], []).append(time)
    thinned = f"One repetition of every {step} is shown, out of {len(lines):,}." if step > 1 else ""
    return cases, thinned


# ---- tables of the page -------------------------------------------------------------------------


def _heat(ratios: Table) -> list[dict[str, Any]]:
    """For each place the sizes, and by operation and curve a cell for each of them."""
    maps = []
    for place, in_place in _grouped(ratios, "place"):
        sizes = sorted({line["bytes"] for line in in_place})
        groups = [
            (
                operation,
                [
                    (curve, _cells(sizes, {line["bytes"]: _cell(line) for line in lines}))
                    for curve, lines in _grouped(of_operation, "curve")
                ],
            )
            for operation, of_operation in _grouped(in_place, "operation")
        ]
        maps.append({"place": place, "sizes": sizes, "groups": groups})
    return maps


def _cells(sizes: Sequence[int], known: Mapping[int, Any]) -> list[Any]:
    return [known.get(size) for size in sizes]


def _cell(line: Mapping[str, Any]) -> dict[str, Any]:
    ratio = line["ratio_to_native"]
    strength = min(1.0, abs(math.log(ratio)) / math.log(STRONG)) if ratio > 0 else 1.0
    even = abs(ratio - 1) <= table.NOTABLE
    return {
        "bytes": line["bytes"],
        "ratio": ratio,
        "weight": round(FULL * strength),
        "tone": "even" if even else "fast" if ratio > 1 else "slow",
        "glyph": MARKS[line["verdict"]].glyph if line["verdict"] else "",
        "told": (
            f"{line['operation']}, {line['curve']}, {table.size(line['bytes'])}: "
            f"{table.ratio(ratio)} times as fast as native{_judged(line)}"
        ),
    }


def _judged(line: Mapping[str, Any]) -> str:
    """What the runs say about a ratio, in words."""
    if not line["verdict"]:
        return ""
    told = f"; {line['verdict']}"
    if line["low"] is not None:
        told += f", between {table.ratio(line['low'])} and {table.ratio(line['high'])}"
    return told + (f", {line['more_runs']} more runs may decide" if line["more_runs"] else "")


def _marks(ratios: Table) -> dict[str, Mark]:
    """Those that occur."""
    verdicts = {line["verdict"] for line in ratios}
    return {verdict: mark for verdict, mark in MARKS.items() if verdict in verdicts}


def _wins(winners: Table) -> list[dict[str, Any]]:
    maps = []
    for place, in_place in _grouped(winners, "place"):
        sizes = sorted({line["bytes"] for line in in_place})
        lines = [
            (operation, _cells(sizes, {line["bytes"]: _win(line) for line in own}))
            for operation, own in _grouped(in_place, "operation")
        ]
        maps.append({"place": place, "sizes": sizes, "lines": lines})
    return maps


def _win(line: Mapping[str, Any]) -> dict[str, Any]:
    told = {
        "VIOLATED": "all others are slower, beyond what runs differ by",
        "HOLDS": "another one is as fast",
        "UNDECIDED": f"not shown yet{_more(line['more_runs'])}",
        "INVALID": "nothing to judge by",
    }[line["verdict"]]
    sign = table.STANDINGS[line["verdict"]]
    return {**line, "sign": f" {sign}" if sign else "", "told": told}


def _more(runs: int | None) -> str:
    return "" if runs is None else f": {runs} more run{'s'[: runs != 1]}"


def _numbers(points: Table) -> list[tuple[str, str, Table]]:
    return [
        (place, operation, lines)
        for place, in_place in _grouped(points, "place")
        for operation, lines in _grouped(in_place, "operation")
    ]


def _grouped(lines: Table, name: str) -> list[tuple[str, Table]]:
    """By the values of a column, in the order of their first lines."""
    order = {value: i for i, value in enumerate(dict.fromkeys(line[name] for line in lines))}
    ordered = sorted(lines, key=lambda line: order[line[name]])
    return [(value, [*own]) for value, own in groupby(ordered, key=lambda line: line[name])]


# ---- what is said of all of it ------------------------------------------------------------------


def _title(measured: Measured) -> str:
    collectives = _once(summary.key.collective for summary in measured.summaries)
    if not collectives:
        return "Lanes probed"
    if len(collectives) > 4:
        return f"{len(collectives)} collectives compared"
    return f"{', '.join(collectives)} compared"


def _subtitle(measured: Measured) -> str:
    dates = sorted(row["date"] for row in measured.rows if "date" in row)
    machines = _once(summary.machine for summary in measured.summaries if summary.machine)
    return "; ".join([*machines, *([dates[0][:10]] if dates else [])])


def _cards(measured: Measured, points: Table, ratios: Table) -> list[Card]:
    cards = _gains(ratios) if ratios else []
    bounded = [p for p in points if p["over_floor"]]
    if bounded:
        best = min(bounded, key=lambda point: float(point["over_floor"]))
        cards.append(
            Card("closest to the floor", f"{table.ratio(best['over_floor'])} ×", _which(best))
        )
    if points:
        repetitions = sum(point["repetitions"] for point in points)
        runs = max(point["runs"] for point in points)
        cards.append(Card("measured", f"{repetitions:,}", f"samples of {len(points)} cases"))
        cards.append(Card("runs of mpirun", f"{runs}", "of each case at most"))
    libraries = _once(row["library"] for row in measured.of_kind("environment"))
    if libraries:
        cards.append(Card("MPI library", libraries[0], ", ".join(libraries[1:])))
    return cards


def _gains(ratios: Table) -> list[Card]:
    """What tests have shown of gains over native: a maximum of noisy ratios shows none."""
    shown = [line for line in ratios if line["verdict"] == "VIOLATED"]
    verdicts = Counter(line["verdict"] for line in ratios)
    open_ = [f"{n} {each.lower()}" for each in ("UNDECIDED", "INVALID") if (n := verdicts[each])]
    decided = ", ".join(open_) or "all decided"
    if not shown:
        least = min((line["more_runs"] for line in ratios if line["more_runs"]), default=None)
        yet = f" yet{_more(least)}" if verdicts["UNDECIDED"] else ""
        what = f"none shown{yet}" if open_ else "none"
        return [Card("gain over native", what, f"of {len(ratios)} cases; {decided}")]
    best = max(shown, key=lambda line: float(line["low"]))
    return [
        Card(
            "largest gain over native",
            f"{table.ratio(best['ratio_to_native'])} ×",
            f"{table.ratio(best['low'])} to {table.ratio(best['high'])}: {_which(best)}",
        ),
        Card("shown to be faster", f"{len(shown)} of {len(ratios)}", f"cases; {decided}"),
    ]


def _which(point: Mapping[str, Any]) -> str:
    return f"{point['operation']}, {point['curve']}, {table.size(point['bytes'])}"


def _failures(measured: Measured) -> list[str]:
    told = [
        row["message"] if row["kind"] == "failure" else describe(row)
        for row in measured.rows
        if row["kind"] in ("failure", "error")
    ]
    return _once([*measured.damage, *told, *impossible(measured.summaries)])


def _commands(measured: Measured) -> list[dict[str, str]]:
    return [
        {
            "date": row.get("date", ""),
            "machine": "{cpu}, {cores} cores, {system}".format(**row["machine"]),
            "command": row["command"],
            "job": row.get("job", ""),
        }
        for row in measured.rows
        if row["kind"] == "campaign"
    ]


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


def _first_of_each_library(measured: Measured) -> list[Row]:
    first: dict[str, Row] = {}
    for row in measured.of_kind("environment"):
        first.setdefault(row["library"], {"place": None, "launched": None, **row})
    return list(first.values())
