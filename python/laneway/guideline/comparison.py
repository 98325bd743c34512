# SPDX-License-Identifier: BSD-3-Clause
"""Finding, among the samples of a campaign, what can be held against which guideline."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from laneway.collectives import EQUAL
from laneway.guideline.rules import (
    MONOTONY,
    POWERS_OF_TWO,
    RULES,
    SPLITTING,
    Guideline,
    Scale,
    mockup,
    next_power_of_two,
)
from laneway.rows import NOT_AXES, WIDTHS, Row, gain
from laneway.rows.gain import TimesByRun

if TYPE_CHECKING:
    import polars as pl

OF_THE_CALL = (
    "collective", "algorithm", "count", "bytes", "op", "root", "layout", "layout_digest", "longest",
    "in_place", "datatype",
)  # fmt: skip
"""Axes in which the two sides of a guideline may differ."""


@dataclass(frozen=True)
class MeasuredPoint:
    """A point that was measured by itself."""

    collective: str
    algorithm: str
    count: int
    bytes: int
    op: str | None
    root: str | None
    layout: str | None
    layout_digest: str | None
    longest: int | None
    """The count of the longest block, where blocks have a layout."""
    in_place: bool | None
    datatype: str | None
    axes: tuple[tuple[str, Any], ...]
    """All other settings: the two sides of a guideline have them in common."""

    @property
    def amount(self) -> int:
        """The amount by which sides are paired: a count, or bytes where datatypes differ.

        Other benchmarks time reductions of floats beside broadcasts of bytes.
        """
        if dict(self.axes).get("benchmark") is None:
            return self.count
        return self.count * WIDTHS.get(self.datatype or "", 1)

    @property
    def is_equal(self) -> bool:
        """Whether its blocks are of one length, as far as that is known."""
        return self.layout in (None, EQUAL)

    def agrees(self, row: Row) -> bool:
        """Whether a row is about this point: every axis that it names is as here."""
        own = {**dict(self.axes), **{name: getattr(self, name) for name in OF_THE_CALL}}
        return all(
            own[name] is None
            or row[name] is None
            or own[name] == row[name]
            or str(own[name]) == str(row[name])
            for name in own.keys() & row.keys()
        )

    @property
    def facts(self) -> dict[str, Any]:
        """All that was set, except for what tells points of a collective apart anyway."""
        names = ("datatype", "op", "root", "layout", "layout_digest", "in_place")
        facts = {**{name: getattr(self, name) for name in names}, **dict(self.axes)}
        return {name: value for name, value in facts.items() if value is not None}

    def __str__(self) -> str:
        return f"{self.algorithm} {self.collective} {self.count}"


@dataclass(frozen=True)
class GuidelineComparison:
    """A guideline at one point: both sides in words, and their times by run."""

    guideline: str
    point: MeasuredPoint
    right: str
    left_us: TimesByRun
    right_us: TimesByRun
    invalid: str = ""
    """The reason why nothing can be said, if so."""

    @property
    def runs(self) -> list[int]:
        """Runs in which both sides were measured."""
        return sorted(self.left_us.keys() & self.right_us.keys())

    @property
    def log_ratios(self) -> list[float]:
        """The log-ratio of left to right, of each of these runs."""
        return gain.log_ratios(self.left_us, self.right_us)


class WrongResults:
    """Points with a wrong result in any run: a fast but wrong result decides nothing."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """`rows` are those of kind `error`."""
        self._rows: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
        for row in rows:
            self._rows[row["collective"], row["algorithm"], row["count"]].append(row)

    def has(self, point: MeasuredPoint) -> bool:
        """Whether a wrong result is about that point."""
        rows = self._rows.get((point.collective, point.algorithm, point.count), ())
        return any(point.agrees(row) for row in rows)

    def among(self, points: Iterable[MeasuredPoint]) -> str:
        """The complaint about these points; empty where all are right."""
        wrong = [str(point) for point in points if self.has(point)]
        return f"wrong result: {', '.join(wrong)}" if wrong else ""


class Medians:
    """The median times of all points by run, and what can be compared with what.

    `subject` is the algorithm that guidelines are about; `wrong` are the rows that tell of wrong
    results.
    """

    def __init__(self, samples: pl.DataFrame, subject: str, wrong: Iterable[Row]) -> None:
        self.subject = subject
        self.wrong = WrongResults(wrong)
        self.times = _medians(samples)
        self.left_out: Counter[tuple[str, str]] = Counter()
        """Points that `comparisons` paired with nothing, by guideline and reason."""
        self.by_call: dict[tuple[Any, ...], list[MeasuredPoint]] = defaultdict(list)
        self.by_operation: dict[tuple[str, str], list[MeasuredPoint]] = defaultdict(list)
        for point in self.times:
            self.by_call[point.axes, point.collective, point.algorithm, point.amount].append(point)
            self.by_operation[point.collective, point.algorithm].append(point)

    def comparisons(self) -> Iterator[GuidelineComparison]:
        """All comparisons that guidelines speak of, guideline by guideline."""
        own = sorted((point for point in self.times if point.algorithm == self.subject), key=_order)
        others = dict.fromkeys(
            point.algorithm for point in self.times if point.algorithm != self.subject
        )
        for other in others:
            for point in own:
                right = replace(point, algorithm=other)
                if right in self.times:
                    yield self._comparison(mockup(self.subject, other), point, [(1, right)])
                elif (point.collective, other) in self.by_operation:
                    self.left_out[mockup(self.subject, other), f"no {other} beside it"] += 1
        for rule in RULES:
            by_longest = any(part.scale is Scale.LONGEST for part in rule.parts)
            for point in own:
                # Points with equal blocks are judged by the rule for equal counts.
                unequal = not point.is_equal and point.longest is not None
                if rule.left == point.collective and (unequal or not by_longest):
                    yield from self._by_rule(rule, point)
        yield from self._by_size(own)
        yield from self._by_processes(own)

    def _by_rule(self, rule: Guideline, point: MeasuredPoint) -> Iterator[GuidelineComparison]:
        """A mock-up; if left out, it counts where all of its collectives were measured at all."""
        if all((part.collective, self.subject) in self.by_operation for part in rule.parts):
            found = self._mockup(rule, point)
            if isinstance(found, str):
                self.left_out[rule.name, found] += 1
            else:
                yield self._comparison(rule.name, point, [(1, part) for part in found])

    def _mockup(self, rule: Guideline, point: MeasuredPoint) -> list[MeasuredPoint] | str:
        """The parts of a mock-up, or why there are none."""
        facts = dict(point.axes)
        ranks = facts.get("ranks") or (facts.get("nodes") or 0) * (facts.get("ppn") or 0)
        if point.amount == 0:
            return "no data"
        if not ranks and any(part.scale is not Scale.SAME for part in rule.parts):
            return "how many processes there are is not known"
        parts = []
        for part in rule.parts:
            if part.scale is Scale.LONGEST:
                longest = self._longest(point, part.collective)
                if longest is None:
                    return f"no {part.collective} of the longest block"
                parts.append(longest)
                continue
            amount = part.scale.count(point.amount, ranks)
            call = point.axes, part.collective, self.subject, amount
            matching = [each for each in self.by_call.get(call, ()) if _fits(each, point)]
            if not matching:
                return self._why_missing(point, part.collective)
            # Where one benchmark prints several datatypes, its own goes first.
            parts.append(min(matching, key=lambda each: each.datatype != point.datatype))
        return parts

    def _longest(self, point: MeasuredPoint, collective: str) -> MeasuredPoint | None:
        """A regular collective whose blocks are as long as the longest, or else little longer."""
        there = self.by_operation[collective, self.subject]
        enough = [
            each
            for each in there
            if each.axes == point.axes
            and each.count >= (point.longest or 0)
            and _fits(each, replace(point, layout=None))
        ]
        return min(enough, key=lambda each: each.count, default=None)

    def _why_missing(self, point: MeasuredPoint, collective: str) -> str:
        """Why no measurement of a collective is the part of a mock-up that stands for a point."""
        there = self.by_operation[collective, self.subject]
        alike = [each for each in there if each.axes == point.axes]
        if any(_fits(each, point) for each in alike):
            return f"no {collective} of that size"
        differing = min((_differing(each, point) for each in alike or there), key=len)
        return f"no {collective} with the same {', '.join(differing)}"

    def _by_size(self, own: Sequence[MeasuredPoint]) -> Iterator[GuidelineComparison]:
        """Monotony between neighbouring sizes, splitting between the nearest that divide."""
        series: dict[MeasuredPoint, list[MeasuredPoint]] = defaultdict(list)
        for point in own:
            series[replace(point, count=0, bytes=0, longest=None)].append(point)
        for points in series.values():
            for less, more in pairwise(points):
                yield self._comparison(MONOTONY, less, [(1, more)])
        for points in series.values():
            for position, point in enumerate(points):
                for part in reversed(points[:position]):
                    if part.count and point.count % part.count == 0:
                        times = point.count // part.count
                        yield self._comparison(SPLITTING, point, [(times, part)])
                        break

    def _by_processes(self, own: Sequence[MeasuredPoint]) -> Iterator[GuidelineComparison]:
        """Comparisons with the next power of two, on more nodes of as many processes."""
        series: dict[MeasuredPoint, dict[int, MeasuredPoint]] = defaultdict(dict)
        for point in own:
            facts = dict(point.axes)
            nodes, ppn = (facts.get(name) or 0 for name in ("nodes", "ppn"))
            rest = tuple((name, facts[name]) for name in facts if name not in ("nodes", "ranks"))
            series[replace(point, axes=rest, longest=None)][nodes * ppn] = point
        for points in series.values():
            for processes, point in sorted(points.items()):
                power = next_power_of_two(processes)
                if processes & (processes - 1) and power in points:
                    yield self._comparison(POWERS_OF_TWO, point, [(1, points[power])])

    def _comparison(
        self, guideline: str, left: MeasuredPoint, parts: Sequence[tuple[int, MeasuredPoint]]
    ) -> GuidelineComparison:
        """The right side is the sum of its parts' medians, run by run."""
        runs = set.intersection(*({*self.times[part]} for _, part in parts))
        return GuidelineComparison(
            guideline=guideline,
            point=left,
            right=" + ".join(f"{n} x {part}" if n > 1 else str(part) for n, part in parts),
            left_us=self.times[left],
            right_us={run: sum(n * self.times[part][run] for n, part in parts) for run in runs},
            invalid=self.wrong.among((left, *(part for _, part in parts))),
        )


def _medians(samples: pl.DataFrame) -> dict[MeasuredPoint, dict[int, float]]:
    """The median of every point in every run."""
    import polars as pl

    missing = [pl.lit(None).alias(name) for name in OF_THE_CALL if name not in samples.columns]
    table = samples.with_columns(missing)
    others = sorted({*table.columns} - {*NOT_AXES, *OF_THE_CALL})
    keys = [*OF_THE_CALL, *others, "run"]
    medians = table.group_by(keys, maintain_order=True).agg(pl.col("time_us").median())
    times: dict[MeasuredPoint, dict[int, float]] = defaultdict(dict)
    for values in medians.iter_rows():
        of_call = dict(zip(OF_THE_CALL, values[: len(OF_THE_CALL)], strict=True))
        rest = values[len(OF_THE_CALL) : -2]
        run, median = values[-2:]
        if of_call["root"] is not None:
            of_call["root"] = str(of_call["root"])
        times[MeasuredPoint(**of_call, axes=tuple(zip(others, rest, strict=True)))][run] = median
    return times


def _differing(part: MeasuredPoint, whole: MeasuredPoint) -> list[str]:
    """The facts in which a part and the whole must agree and do not."""
    axes, own = dict(part.axes), dict(whole.axes)
    of_axes = [name for name in own if axes.get(name) != own[name]]
    names = ("datatype", "op", "root", "in_place", "layout")
    of_call = [name for name in names if getattr(part, name) != getattr(whole, name)]
    return of_axes or of_call or ["form"]


def _fits(part: MeasuredPoint, whole: MeasuredPoint) -> bool:
    """Whether a part was called as the whole was, as far as that has a meaning for both."""
    same = all(
        getattr(part, name) is None
        or getattr(whole, name) is None
        or getattr(part, name) == getattr(whole, name)
        for name in ("op", "root")
    )
    imported = dict(whole.axes).get("benchmark") is not None
    same &= imported or part.datatype == whole.datatype
    same &= bool(part.in_place) == bool(whole.in_place)
    return same and part.is_equal and whole.is_equal


def _order(point: MeasuredPoint) -> tuple[object, ...]:
    return str(point.axes), point.collective, str(point.op), str(point.root), point.count
