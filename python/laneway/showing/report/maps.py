# SPDX-License-Identifier: BSD-3-Clause
"""The maps of a report: algorithms' speeds by operation and size, and the fastest ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from laneway import units
from laneway.showing import table
from laneway.showing.figures import FigureTable

STRONG = 4.0
"""The ratio from which on a cell of the map has its full colour; likewise its inverse."""

FULL = 60
"""Percent of colour in such a cell: the rest keeps the text readable."""


@dataclass(frozen=True)
class Mark:
    """How a verdict on "native is as fast" is shown."""

    glyph: str
    meaning: str


MARKS = {
    "VIOLATED": Mark(
        table.SIGNS["VIOLATED"],
        "native is slower: the algorithm is faster than it, by more than runs differ",
    ),
    "HOLDS": Mark(table.SIGNS["HOLDS"], "native is as fast, or faster"),
    "UNDECIDED": Mark(table.SIGNS["UNDECIDED"], "not known yet: more runs are needed"),
    "INVALID": Mark(table.SIGNS["INVALID"], "nothing to judge by, or a wrong result"),
}


def heat(ratios: FigureTable) -> list[dict[str, Any]]:
    """The sizes of each place, with a cell for each size by operation and curve."""
    maps = []
    for place, in_place in grouped(ratios, "place"):
        sizes = sorted({line["bytes"] for line in in_place})
        groups = [
            (
                operation,
                [
                    (curve, _cells(sizes, {line["bytes"]: _cell(line) for line in lines}))
                    for curve, lines in grouped(of_operation, "curve")
                ],
            )
            for operation, of_operation in grouped(in_place, "operation")
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
            f"{line['operation']}, {line['curve']}, {units.size(line['bytes'])}: "
            f"{units.ratio(ratio)} times as fast as native{_judged(line)}"
        ),
    }


def _judged(line: Mapping[str, Any]) -> str:
    """The verdict of the runs on a ratio, in words."""
    if not line["verdict"]:
        return ""
    told = ""
    if line["low"] is not None:
        told = f" ({units.ratio(line['low'])} to {units.ratio(line['high'])})"
    meaning = MARKS[line["verdict"]].meaning
    if line["verdict"] == "UNDECIDED" and line["more_runs"]:
        meaning = f"not known yet{more(line['more_runs'])} may decide"
    return f"{told}. {line['verdict']}: {meaning}"


def marks(ratios: FigureTable) -> dict[str, Mark]:
    """The marks that occur, by verdict."""
    verdicts = {line["verdict"] for line in ratios}
    return {verdict: mark for verdict, mark in MARKS.items() if verdict in verdicts}


def wins(winners: FigureTable) -> list[dict[str, Any]]:
    """The sizes of each place, with the fastest algorithm at each size by operation."""
    maps = []
    for place, in_place in grouped(winners, "place"):
        sizes = sorted({line["bytes"] for line in in_place})
        lines = [
            (operation, _cells(sizes, {line["bytes"]: _win(line) for line in own}))
            for operation, own in grouped(in_place, "operation")
        ]
        maps.append({"place": place, "sizes": sizes, "lines": lines})
    return maps


def _win(line: Mapping[str, Any]) -> dict[str, Any]:
    told = {
        "VIOLATED": "all others are slower, by more than runs differ",
        "HOLDS": "another one is as fast",
        "UNDECIDED": f"not shown yet{more(line['more_runs'])}",
        "INVALID": "nothing to judge by",
    }[line["verdict"]]
    sign = table.STANDINGS[line["verdict"]]
    return {**line, "sign": f" {sign}" if sign else "", "told": told}


def more(runs: int | None) -> str:
    """The number of further runs that may decide, to stand behind what they are to decide."""
    return "" if runs is None else f": {units.counted(runs, 'more run')}"


def grouped(lines: FigureTable, name: str) -> list[tuple[str, FigureTable]]:
    """Lines grouped by the values of a column, in the order of their first lines."""
    order = {value: i for i, value in enumerate(dict.fromkeys(line[name] for line in lines))}
    ordered = sorted(lines, key=lambda line: order[line[name]])
    return [(value, [*own]) for value, own in groupby(ordered, key=lambda line: line[name])]
