# SPDX-License-Identifier: BSD-3-Clause
"""The shapes of communicators that a tuning is about, and the points to tune on each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from laneway.choosing.recommendation import Recommendation, serve
from laneway.collectives import IN_BLOCKS
from laneway.decisions import CallCount, CountedCase, DecisionReport
from laneway.tuning.sizes import grids, power_above, power_below
from laneway.tuning.stage import TuningPoint

ENOUGH = 60.0
"""Seconds that a shape needs for each binding: with less, its jobs do little but start."""

Say = Callable[[str], None]


class JobShape(NamedTuple):
    """A number of nodes, and processes on each."""

    nodes: int
    ppn: int

    def __str__(self) -> str:
        return f"{self.nodes} x {self.ppn}"


class Limits(NamedTuple):
    """Limits of the bytes of messages, of all blocks together where there are some, and of time."""

    least: int
    most: int
    budget: float
    bindings: int = 1
    """Bindings under which jobs are started, each in its own job."""


SizeRange = tuple[TuningPoint, ...]
"""The sizes between which those of some calls lie: the powers of two below and above."""


@dataclass(frozen=True)
class ShapePart:
    """The part of a tuning on one shape."""

    shape: JobShape
    points: Sequence[TuningPoint]
    share: float
    """The shape's share of the budget; all shapes have 1 together."""
    calls: Mapping[SizeRange, float] = field(default_factory=dict)
    """The worth of a program's calls, by their sizes: seconds that it spends in them, or bytes.
    Empty where no program is looked at."""

    seconds: Mapping[TuningPoint, float] = field(default_factory=dict)
    """Seconds that a program's call takes, as far as its report says."""

    @property
    def worth(self) -> dict[TuningPoint, float]:
        """The worth of a program's calls by point."""
        found: dict[TuningPoint, float] = defaultdict(float)
        for sizes, own in self.calls.items():
            for point in sizes:
                found[point] += own / len(sizes)
        return dict(found)

    def saved(self, rules: Iterable[Recommendation], ratios: Mapping[TuningPoint, float]) -> float:
        """The share of the worth of a program's calls that rules save, where some serve them.

        `ratios`: how many times as fast as native the profile was at each point.
        """
        listed, total = [*rules], sum(self.calls.values())
        found = 0.0
        for sizes, own in self.calls.items():
            first, last = sizes[0], sizes[-1]
            serving = serve(listed, first.collective, first.bytes, last.bytes)
            if not serving or any(point not in ratios for point in sizes):
                continue
            # Rules that serve between two sizes alone were not checked, but confirmed at both.
            between = [gain.ratio for rule in serving if rule.between for gain in rule.gains]
            found += own / total * (1 - 1 / min([ratios[point] for point in sizes] + between))
        return found


def of_machine(
    largest: JobShape,
    collectives: Iterable[str],
    limits: Limits,
    say: Say,
    *,
    smaller: bool = True,
) -> list[ShapePart]:
    """The largest shape; with `smaller` also powers of two of nodes from 2 on, with less time.

    `say` is told the shapes for which there is no time.
    """
    numbers = [largest.nodes]
    while smaller and power_below(numbers[-1] - 1) >= 2:
        numbers.append(power_below(numbers[-1] - 1))
    names = [*collectives]
    parts = []
    for nodes in numbers:
        points = grids(names, nodes * largest.ppn, limits.least, limits.most)
        parts.append(ShapePart(JobShape(nodes, largest.ppn), points, float(nodes)))
    return _with_time(parts, limits, say)


def of_program(
    report: DecisionReport,
    largest: JobShape,
    collectives: Collection[str],
    limits: Limits,
    say: Say,
) -> list[ShapePart]:
    """The calls of a program, by the report that its job wrote: shapes, sizes, and their time.

    Where the report has no times, bytes count in their stead. Sizes are powers of two, around those
    that occurred. Calls at the start alone, as those that spread the input, are left out: a
    longer job has no more of them. `say` is told what is left out.
    """
    if not report.timed:
        say("the report has no times (`laneway exec --advise` measures them): bytes count instead")
    found: dict[JobShape, dict[SizeRange, float]] = defaultdict(lambda: defaultdict(float))
    took: dict[JobShape, dict[TuningPoint, float]] = defaultdict(dict)
    elsewhere: set[str] = set()
    beyond: set[str] = set()
    served = {case: count for case, count in report.cases.items()
              if case.collective in collectives and case.place.ranks > 1}  # fmt: skip
    begun = {case.collective for case, count in served.items() if count.at_the_start}
    for case, count in served.items():
        worth = count.seconds if report.timed else float(count.bytes)
        if worth <= 0 or count.at_the_start:
            continue
        shape = _shape(case)
        if shape is None or shape.nodes > largest.nodes or shape.ppn > largest.ppn:
            unknown = " ranks on nodes that the job did not find out"
            elsewhere.add(f"{case.place.shape}{unknown if case.place.nodes is None else ''}")
        elif sizes := _sizes(case, limits, shape):
            found[shape][sizes] += worth
            took[shape] |= _slowest(took[shape], sizes, count)
        elif case.bytes_from is not None:
            beyond.add(case.collective)
    if elsewhere:
        say(f"left out: communicators of {', '.join(sorted(elsewhere))}; here are {largest}")
    if begun:
        say(f"left out: calls at the start of the job alone: {', '.join(sorted(begun))}")
    if beyond:
        say(f"left out: {', '.join(sorted(beyond))} of other sizes than --min-bytes, --max-bytes")
    parts = [
        ShapePart(shape, [*dict.fromkeys(point for sizes in own for point in sizes)],
             sum(own.values()), dict(own), took[shape])
        for shape, own in found.items()
    ]  # fmt: skip
    return _with_time(sorted(parts, key=lambda part: -part.share), limits, say)


def _with_time(parts: Sequence[ShapePart], limits: Limits, say: Say) -> list[ShapePart]:
    """The parts for which time is enough, the last ones left out; their shares sum up to 1."""
    kept = [*parts]
    enough = ENOUGH * limits.bindings
    while (
        len(kept) > 1 and limits.budget * kept[-1].share / sum(part.share for part in kept) < enough
    ):
        kept.pop()
    if left := [str(part.shape) for part in parts[len(kept) :]]:
        say(f"no time for {', '.join(left)}: each shape needs {enough:.0f} s of the budget")
    total = sum(part.share for part in kept)
    return [replace(part, share=part.share / total) for part in kept]


def _slowest(
    known: Mapping[TuningPoint, float], sizes: SizeRange, count: CallCount
) -> dict[TuningPoint, float]:
    """Seconds of a call of these sizes, the longest of those known and counted; none untimed."""
    call = count.seconds / max(1, count.calls)
    return {point: max(call, known.get(point, 0.0)) for point in sizes} if call else {}


def _shape(case: CountedCase) -> JobShape | None:
    """The shape of a case's communicator; None where its nodes are unequal, or unknown."""
    place = case.place
    if place.nodes is None or place.ppn_most is None or place.ppn_least != place.ppn_most:
        return None
    return JobShape(place.nodes, place.ppn_most)


def _sizes(case: CountedCase, limits: Limits, shape: JobShape) -> SizeRange:
    """Points around the sizes of a case; empty where these are unknown, or beyond the limits."""
    if case.collective == "barrier":
        return (TuningPoint("barrier", 0),)
    if case.bytes_from is None or not case.bytes_to:
        return ()
    ends = power_below(max(4, case.bytes_from)), power_above(max(4, case.bytes_to))
    blocks = shape.nodes * shape.ppn if case.collective in IN_BLOCKS else 1
    most = power_above(max(4, limits.most))
    if ends[0] < power_below(limits.least) or ends[1] * blocks > most:
        return ()
    return tuple(TuningPoint(case.collective, end) for end in dict.fromkeys(ends))
