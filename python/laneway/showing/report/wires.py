# SPDX-License-Identifier: BSD-3-Clause
"""How far algorithms are from the least time that the wires allow, and the reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from laneway.showing.figures import FigureTable
from laneway.showing.report.maps import grouped
from laneway.showing.report.said import percent
from laneway.units import ratio


def table(points: FigureTable, carried: FigureTable) -> list[tuple[str, str, FigureTable]]:
    """A line for each case of which something is known, by place and operation.

    `allowed` is the least time that the lanes allow over the time taken. It is low for two reasons:
    the lanes carry more than they must (`excess`, of the busiest one), or they idle (`busy`).
    """
    lanes: dict[tuple[Any, ...], FigureTable] = defaultdict(list)
    for line in carried:
        lanes[_case(line)].append(line)
    known = [
        _line(point, lanes[_case(point)])
        for point in points
        if point["over_floor"] or _case(point) in lanes
    ]
    return [
        (place, operation, lines)
        for place, in_place in grouped(known, "place")
        for operation, lines in grouped(in_place, "operation")
    ]


def _case(line: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in ("place", "operation", "curve", "count", "bytes"))


def _line(point: Mapping[str, Any], lanes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    busiest = max(lanes, key=lambda lane: int(lane["busiest_bytes"]), default=None)
    least = busiest["least_bytes"] if busiest else None
    busy = busiest["busy"] if busiest else None
    return {
        **{name: point[name] for name in ("place", "operation", "curve", "algorithm", "bytes")},
        "median_us": point["median_us"],
        "allowed": percent(1 / point["over_floor"]) if point["over_floor"] else "–",
        "excess": f"{ratio(busiest['busiest_bytes'] / least)} ×" if busiest and least else "–",
        "busy": "–" if busy is None else percent(busy),
        "shares": ", ".join(f"{lane['lane']} {percent(lane['share'])}" for lane in lanes) or "–",
    }
