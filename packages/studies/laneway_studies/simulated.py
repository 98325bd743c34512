# SPDX-License-Identifier: BSD-3-Clause
"""Points on machines that are described: found once, and kept in a study's rows."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laneway.rows import NATIVE, Row
from laneway.simulation import comparison, program
from laneway.simulation.machine import Machine
from laneway.simulation.native import Native
from laneway.simulation.program import Call
from laneway_studies.study import SimulatedPoint, TellPart

_FOUND = "found"
"""The kind of the row that ends those of a point, and says how many they are: nothing that came
before it counts without it."""


def of_call(
    call: Call,
    machine: Machine,
    *,
    native: Native | None = None,
    work: float = 1,
    **axes: Any,
) -> SimulatedPoint:
    """The time of a collective call; no row where the algorithm does not serve it.

    `native` is the library whose choices the algorithm `native` and components are. `axes`
    stand in the row, in place of what follows from the call where they have its names.
    """
    told = {**call.options, **machine.options}
    rules = {"native": _digest(native.path), "name": native.name} if native else {}

    def rows(tell: TellPart) -> Iterator[Row]:
        asked = {**told, **(native.options if native else {})}
        (result,) = program.lines("time", asked, tell)
        if call.is_served(result):
            yield {
                **comparison.sample(call, machine, result),
                "time_us": result["time_us"],
                **(native.facts(result["rules"]) if native else {}),
                **({"served_by": result["served_by"]} if native else {}),
                **axes,
            }

    words = f"{call.collective} {call.count}, {call.algorithm}, {program.in_words(call.nodes)}"
    return SimulatedPoint(words, {"time": told, "axes": axes, **rules}, rows, work)


@dataclass(frozen=True)
class LaneExchange:
    """Messages between nodes by the first `lanes` processes of each, again and again."""

    between: str
    """The nodes that exchange: a pattern of laneway-simulate."""
    lanes: int
    repetitions: int = 1

    @property
    def options(self) -> dict[str, str]:
        """The options of laneway-simulate."""
        return {
            "pattern": "lanes",
            "between": self.between,
            "virtual-lanes": str(self.lanes),
            "repetitions": str(self.repetitions),
        }


def of_lanes(
    exchange: LaneExchange,
    count: int,
    nodes: Sequence[int],
    machine: Machine,
    /,
    **facts: Any,
) -> SimulatedPoint:
    """The time of an exchange by lanes, of `count` ints a node; `facts` stand in the row."""
    call = Call("alltoall", NATIVE, count, nodes)  # nothing is called: it tells count and nodes
    told = {**call.options, **machine.options, **exchange.options}

    def rows(tell: TellPart) -> Iterator[Row]:
        (result,) = program.lines("probe", told, tell)
        row = comparison.sample(call, machine, result)
        yield {**row, "time_us": result["time_us"], **facts}

    words = f"{exchange.between} {count}, {exchange.lanes} lanes, {program.in_words(nodes)}"
    return SimulatedPoint(words, {"probe": told, "axes": facts}, rows)


def fastest(points: Sequence[SimulatedPoint]) -> SimulatedPoint:
    """The fastest of several ways to do the same, such as of an algorithm's components."""

    def rows(tell: TellPart) -> Iterator[Row]:
        found = [row for point in points for row in point.rows(tell)]
        if found:
            yield min(found, key=lambda row: row["time_us"])

    return SimulatedPoint(points[0].told, {"fastest": [point.facts for point in points]}, rows)


@dataclass(frozen=True)
class FoundRows:
    """The rows of points, and how many of these have none yet."""

    rows: list[Row]
    left: int = 0


def found(
    points: Iterable[SimulatedPoint],
    machine: Machine,
    kept: Sequence[Row],
    keep: Callable[[Row], None],
    progress: Callable[[str, float], None],
    *,
    ends: float = math.inf,
) -> FoundRows:
    """The rows of all points: those that are `kept` already, and new ones, which `keep` gets.

    A machine of other values, or another laneway-simulate, has points of its own. Points with least
    work come first, so that as many as can be are there at any time. None but the first one begins
    after `ends`, a time of the monotonic clock.
    """
    known = _by_point(kept)
    identity = [machine.name, machine.options, _digest(program.find())]
    wanted = {_hash([identity, point.facts]): point for point in points}
    whole = sum(point.work for point in wanted.values())
    done = sum(point.work for key, point in wanted.items() if key in known)
    missing = (key for key in wanted if key not in known)
    for key in sorted(missing, key=lambda key: wanted[key].work):
        if known and time.monotonic() >= ends:
            break
        point = wanted[key]

        def tell(part: float, done: float = done, point: SimulatedPoint = point) -> None:
            progress(f"{machine.name}: {point.told}", (done + part * point.work) / whole)

        tell(0)
        marks = {"simulated": True, "machine": machine.name, "point": key}
        known[key] = [{**row, **marks} for row in point.rows(tell)]
        for row in (*known[key], {"kind": _FOUND, "rows": len(known[key]), **marks}):
            keep(row)
        done += point.work
    there = [key for key in wanted if key in known]
    return FoundRows([row for key in there for row in known[key]], len(wanted) - len(there))


def complete(rows: Iterable[Row]) -> list[Row]:
    """Rows without those of points that were cut short, or have been found once more."""
    rows = [*rows]
    measured = [row for row in rows if "point" not in row]
    return measured + [row for own in _by_point(rows).values() for row in own]


def _by_point(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of points that are complete."""
    begun: dict[str, list[Row]] = {}
    known = {}
    for row in rows:
        if "point" in row:
            own = begun.setdefault(row["point"], [])
            if row["kind"] == _FOUND:
                known[row["point"]] = own[len(own) - row["rows"] :]
            else:
                own.append(row)
    return known


@functools.cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _hash(facts: object) -> str:
    text = json.dumps(facts, sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
