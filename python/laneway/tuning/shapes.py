# SPDX-License-Identifier: BSD-3-Clause
"""The shapes of communicators that a tuning is about, and what it looks at on each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from laneway.decisions import Case, Report
from laneway.tuning.sizes import grids, power_above, power_below
from laneway.tuning.stage import Point


class Shape(NamedTuple):
    """So many nodes with so many processes each."""

    nodes: int
    ppn: int

    def __str__(self) -> str:
        return f"{self.nodes} x {self.ppn}"


@dataclass(frozen=True)
class Part:
    """What is tuned on one shape."""

    shape: Shape
    points: Sequence[Point]
    share: float
    """Of the budget: what all shapes have in common is 1."""
    seconds: Mapping[Point, float] = field(default_factory=dict)
    """That a program spends at each point; empty where no program is looked at."""


ENOUGH = 60.0
"""Seconds that a shape needs: with less, its jobs do little but start."""


def of_machine(
    largest: Shape, collectives: Iterable[str], least: int, most: int, budget: float
) -> list[Part]:
    """The largest shape, and powers of two of nodes from 2 on, with less of the budget.

    Sizes go from `least` to `most` bytes. Shapes for which that is not enough are left out,
    those with the fewest nodes first.
    """
    numbers = [largest.nodes]
    while power_below(numbers[-1] - 1) >= 2:
        numbers.append(power_below(numbers[-1] - 1))
    while len(numbers) > 1 and budget * numbers[-1] / sum(numbers) < ENOUGH:
        numbers.pop()
    names = [*collectives]
    return [
        Part(
            shape := Shape(nodes, largest.ppn),
            grids(names, shape.nodes * shape.ppn, least, most),
            nodes / sum(numbers),
        )
        for nodes in numbers
    ]


def of_program(
    report: Report,
    largest: Shape,
    collectives: Collection[str],
    most: int,
    say: Callable[[str], None],
) -> list[Part]:
    """What a program does, by the report that its job wrote: shapes, sizes, and their time.

    Where the report has no times, data count in their stead. Sizes are powers of two, around those
    that occurred: between two an algorithm serves that is confirmed at both. `say` is told what is
    left out.
    """
    if not report.timed:
        say("the report has no times (`laneway exec --advise` measures them): bytes count instead")
    found: dict[Shape, dict[Point, float]] = defaultdict(lambda: defaultdict(float))
    left_out: set[str] = set()
    for case, count in report.cases.items():
        worth = count.seconds if report.timed else float(count.bytes)
        if case.collective not in collectives or not case.bytes_to or worth <= 0:
            continue
        shape = _shape(case)
        if shape is None or shape.nodes > largest.nodes or shape.ppn > largest.ppn:
            left_out.add(case.place.shape)
            continue
        if shape.nodes > 1:
            for point in _ends(case, most):
                found[shape][point] += worth / 2
    if left_out:
        say(f"left out: communicators of {', '.join(sorted(left_out))}; here are {largest}")
    total = sum(sum(own.values()) for own in found.values())
    return [
        Part(shape, [*own], sum(own.values()) / total, dict(own))
        for shape, own in sorted(found.items(), reverse=True)
    ]


def _shape(case: Case) -> Shape | None:
    """Of its communicator; None where its nodes are unequal, or unknown."""
    place = case.place
    if place.nodes is None or place.ppn_most is None or place.ppn_least != place.ppn_most:
        return None
    return Shape(place.nodes, place.ppn_most)


def _ends(case: Case, most: int) -> Iterator[Point]:
    """The sizes below and above those of a case."""
    if case.bytes_to is not None and case.bytes_from is not None:
        ends = power_below(max(4, case.bytes_from)), power_above(max(4, case.bytes_to))
        yield from (Point(case.collective, end) for end in ends if end <= max(4, most))


def saved(part: Part, ratios: Mapping[Point, float]) -> float:
    """Seconds (or bytes) of the program that faster algorithms save, of those in `part`."""
    return sum(
        own * (1 - 1 / ratios[point]) for point, own in part.seconds.items() if point in ratios
    )
