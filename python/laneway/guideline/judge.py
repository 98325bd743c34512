# SPDX-License-Identifier: BSD-3-Clause
"""Finding, among the rows of a campaign, what can be held against which guideline."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import pairwise
from typing import Any

import polars as pl

from laneway.guideline.rules import MONOTONY, RULES, SPLITTING, Rule, mockup
from laneway.guideline.statistics import (
    Estimate,
    Verdict,
    corrected,
    estimates,
    runs_at_least,
    runs_wanted,
)
from laneway.rows import NESTED, NOT_AXES, Key, Row, axes_of

NATIVE = "native"

OF_THE_CALL = ("collective", "algorithm", "count", "bytes", "op", "root", "layout", "in_place")
"""Axes in which the two sides of a guideline may differ."""


@dataclass(frozen=True)
class Terms:
    """By which a guideline is judged."""

    margin: float = 0.05
    """What is slower by less does not matter."""
    alpha: float = 0.05
    """The share of wrong decisions that is put up with, of each kind, within a guideline."""
    subject: str = NATIVE
    """The algorithm that guidelines are about."""


@dataclass(frozen=True)
class Point:
    """What was measured by itself."""

    collective: str
    algorithm: str
    count: int
    bytes: int
    op: str | None
    root: str | None
    layout: str | None
    in_place: bool | None
    axes: tuple[tuple[str, Any], ...]
    """Everything else that was set: the two sides of a guideline have it in common."""

    def __str__(self) -> str:
        return f"{self.algorithm} {self.collective} {self.count}"


Times = Mapping[int, float]
"""By run: the median of its repetitions, in microseconds."""


@dataclass(frozen=True)
class Comparison:
    """A guideline at one point: both sides in words, and their times by run."""

    guideline: str
    point: Point
    right: str
    left_us: Times
    right_us: Times
    invalid: str = ""
    """Why nothing can be said, if so."""

    @property
    def runs(self) -> list[int]:
        """Those in which both sides were measured."""
        return sorted(self.left_us.keys() & self.right_us.keys())

    @property
    def log_ratios(self) -> list[float]:
        """Of left to right, of each of these runs."""
        return [math.log(self.left_us[run] / self.right_us[run]) for run in self.runs]


@dataclass(frozen=True)
class Finding:
    """A guideline at one point, judged."""

    guideline: str
    verdict: Verdict
    collective: str
    algorithm: str
    count: int
    bytes: int
    right: str
    """What the left side, `algorithm` at this point, was held against."""
    left_us: float | None
    right_us: float | None
    """Medians of the runs' medians."""
    ratio: float | None
    """How many times as long the left side takes: the Hodges-Lehmann estimate,"""
    low: float | None
    high: float | None
    """and its interval,"""
    confidence: float | None
    """with this probability."""
    p_violated: float | None
    q_violated: float | None
    p_holds: float | None
    q_holds: float | None
    """The p-values of both decisions, and corrected for all points of the guideline."""
    runs: int
    more_runs: int | None
    """So many more will decide, if they are like these; None where that is no question."""
    reason: str
    axes: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> Row:
        """As one JSON object."""
        return {"kind": "finding", **asdict(self)}


def judge_rows(rows: Iterable[Row], terms: Terms = Terms()) -> list[Finding]:
    """Judges the rows of a campaign by all guidelines of which both sides were measured.

    Findings of one guideline stand together, by point.
    """
    samples, wrong = [], set()
    for row in rows:
        if row["kind"] == "sample" and row.get("time_us") is not None:
            samples.append({key: x for key, x in row.items() if not isinstance(x, NESTED)})
        elif row["kind"] == "error":
            wrong.add((row["collective"], row["algorithm"], row["count"]))
    frame = pl.DataFrame(samples, infer_schema_length=None)
    return judge(frame, terms, wrong)


def judge(
    samples: pl.DataFrame, terms: Terms, wrong: Iterable[tuple[str, str, int]] = ()
) -> list[Finding]:
    """Judges samples, one a line, as `Folder.samples` has them.

    `wrong` are collective, algorithm and count where a result was: what is fast and wrong decides
    nothing.
    """
    if samples.is_empty():
        return []
    groups: dict[str, list[Comparison]] = defaultdict(list)
    for comparison in _Measured(samples, terms.subject, {*wrong}).comparisons():
        groups[comparison.guideline].append(comparison)
    return [finding for comparisons in groups.values() for finding in _decide(comparisons, terms)]


def against_native(
    rows: Iterable[Row],
    terms: Terms = Terms(),
) -> dict[Key, Finding]:
    """By case and algorithm: whether native is as fast as that algorithm there."""
    found = {}
    prefix = mockup(NATIVE, "")
    for finding in judge_rows(rows, replace(terms, subject=NATIVE)):
        if finding.guideline.startswith(prefix):
            facts: dict[str, Any] = {**finding.axes, **asdict(finding)}
            facts["algorithm"] = finding.guideline.removeprefix(prefix)
            key: dict[str, Any] = {each.name: facts.get(each.name) for each in fields(Key)}
            key["axes"] = axes_of(finding.axes)
            found[Key(**key)] = finding
    return found


class _Measured:
    """The times of all points, and what can be compared with what."""

    def __init__(
        self, samples: pl.DataFrame, subject: str, wrong: set[tuple[str, str, int]]
    ) -> None:
        self.subject = subject
        self.wrong = wrong
        self.times = _medians(samples)
        self.by_call: dict[tuple[Any, ...], list[Point]] = defaultdict(list)
        for point in self.times:
            self.by_call[point.axes, point.collective, point.algorithm, point.count].append(point)

    def comparisons(self) -> Iterator[Comparison]:
        """All that guidelines speak of, guideline by guideline."""
        own = sorted((point for point in self.times if point.algorithm == self.subject), key=_order)
        others = dict.fromkeys(
            point.algorithm for point in self.times if point.algorithm != self.subject
        )
        for other in others:
            for point in own:
                right = replace(point, algorithm=other)
                if right in self.times:
                    yield self._comparison(mockup(self.subject, other), point, [(1, right)])
        for rule in RULES:
            for point in own:
                if rule.left == point.collective:
                    yield from self._by_rule(rule, point)
        yield from self._by_size(own)

    def _by_rule(self, rule: Rule, point: Point) -> Iterator[Comparison]:
        facts = dict(point.axes)
        ranks = facts.get("ranks") or (facts.get("nodes") or 0) * (facts.get("ppn") or 0)
        if not ranks or point.count == 0:
            return
        parts = []
        for part in rule.parts:
            count = part.scale.count(point.count, ranks)
            call = point.axes, part.collective, self.subject, count
            matching = [each for each in self.by_call.get(call, ()) if _fits(each, point)]
            if not matching:
                return
            parts.append((1, matching[0]))
        yield self._comparison(rule.name, point, parts)

    def _by_size(self, own: Sequence[Point]) -> Iterator[Comparison]:
        """Monotony between neighbouring sizes, splitting between the nearest that divide."""
        series: dict[Point, list[Point]] = defaultdict(list)
        for point in own:
            series[replace(point, count=0, bytes=0)].append(point)
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

    def _comparison(
        self, guideline: str, left: Point, parts: Sequence[tuple[int, Point]]
    ) -> Comparison:
        """The right side is the sum of its parts' medians, run by run."""
        runs = set.intersection(*({*self.times[part]} for _, part in parts))
        wrong = [
            str(point)
            for point in (left, *(part for _, part in parts))
            if (point.collective, point.algorithm, point.count) in self.wrong
        ]
        return Comparison(
            guideline=guideline,
            point=left,
            right=" + ".join(f"{n} x {part}" if n > 1 else str(part) for n, part in parts),
            left_us=self.times[left],
            right_us={run: sum(n * self.times[part][run] for n, part in parts) for run in runs},
            invalid=f"wrong result: {', '.join(wrong)}" if wrong else "",
        )


def _medians(samples: pl.DataFrame) -> dict[Point, dict[int, float]]:
    """The median of every point in every run."""
    missing = [pl.lit(None).alias(name) for name in OF_THE_CALL if name not in samples.columns]
    frame = samples.with_columns(missing)
    others = sorted({*frame.columns} - {*NOT_AXES, *OF_THE_CALL})
    keys = [*OF_THE_CALL, *others, "run"]
    medians = frame.group_by(keys, maintain_order=True).agg(pl.col("time_us").median())
    times: dict[Point, dict[int, float]] = defaultdict(dict)
    for values in medians.iter_rows():
        of_call = dict(zip(OF_THE_CALL, values[: len(OF_THE_CALL)], strict=True))
        rest = values[len(OF_THE_CALL) : -2]
        run, median = values[-2:]
        if of_call["root"] is not None:
            of_call["root"] = str(of_call["root"])
        times[Point(**of_call, axes=tuple(zip(others, rest, strict=True)))][run] = median
    return times


def _fits(part: Point, whole: Point) -> bool:
    """Whether a part was called as the whole was, as far as that has a meaning for both."""
    same = all(
        getattr(part, name) is None
        or getattr(whole, name) is None
        or getattr(part, name) == getattr(whole, name)
        for name in ("op", "root")
    )
    same &= bool(part.in_place) == bool(whole.in_place)
    return same and part.layout in (None, "equal") and whole.layout in (None, "equal")


def _order(point: Point) -> tuple[object, ...]:
    return str(point.axes), point.collective, str(point.op), str(point.root), point.count


def _decide(comparisons: Sequence[Comparison], terms: Terms) -> Iterator[Finding]:
    """Judges all points of a guideline together: chance has more to choose from among many."""
    invalid = [_why_invalid(each) for each in comparisons]
    valid = [each for each, why in zip(comparisons, invalid, strict=True) if not why]
    found = estimates([each.log_ratios for each in valid], terms.margin, terms.alpha)
    qs = [
        *zip(
            corrected([each.p_violated for each in found]),
            corrected([each.p_holds for each in found]),
            strict=True,
        )
    ]
    significant = [sum(q[side] <= terms.alpha for q in qs) for side in (0, 1)]
    judged = iter(zip(found, qs, strict=True))
    for comparison, why in zip(comparisons, invalid, strict=True):
        if why:
            yield _finding(comparison, Verdict.INVALID, None, reason=why)
            continue
        each, q = next(judged)
        if min(q) <= terms.alpha:
            verdict = Verdict.VIOLATED if q[0] <= terms.alpha else Verdict.HOLDS
            yield _finding(comparison, verdict, each, q, reason=_words(each, terms))
            continue
        side = 0 if each.ratio > 1 + terms.margin else 1
        threshold = terms.alpha * min(significant[side] + 1, len(valid)) / len(valid)
        wanted = runs_wanted(each, terms.margin, threshold)
        yield _finding(
            comparison,
            Verdict.UNDECIDED,
            each,
            q,
            more=None if wanted is None else wanted - each.runs,
            reason=_undecided(each, terms, wanted),
        )


def _why_invalid(comparison: Comparison) -> str:
    """Why nothing can be said; empty where something can."""
    if comparison.invalid:
        return comparison.invalid
    runs = comparison.runs
    if not runs:
        return "no run has times of both sides"
    if any(comparison.left_us[run] <= 0 or comparison.right_us[run] <= 0 for run in runs):
        return "a time is zero: the clock is too coarse for this"
    return ""


def _words(found: Estimate, terms: Terms) -> str:
    """What a decision says."""
    if found.ratio > 1 + terms.margin:
        return f"slower by more than {terms.margin:.0%}"
    if found.high <= 1:
        return "faster"
    return f"not slower by {terms.margin:.0%}"


def _undecided(found: Estimate, terms: Terms, wanted: int | None) -> str:
    least = runs_at_least(terms.alpha)
    if found.runs < least:
        return (
            f"{_runs(found.runs)} can never decide: the least p-value is 1/{2**found.runs}; "
            f"take {least} at least"
        )
    if wanted is None:
        return f"the ratio is so close to the margin of {terms.margin:.0%} that runs don't tell"
    return f"about {_runs(wanted - found.runs)} more will decide, if they are like these"


def _runs(number: int) -> str:
    return f"{number} run{'' if number == 1 else 's'}"


def _finding(
    comparison: Comparison,
    verdict: Verdict,
    found: Estimate | None,
    q: tuple[float, float] | tuple[None, None] = (None, None),
    *,
    more: int | None = None,
    reason: str,
) -> Finding:
    point, runs = comparison.point, comparison.runs
    return Finding(
        guideline=comparison.guideline,
        verdict=verdict,
        collective=point.collective,
        algorithm=point.algorithm,
        count=point.count,
        bytes=point.bytes,
        right=comparison.right,
        left_us=_median([comparison.left_us[run] for run in runs]),
        right_us=_median([comparison.right_us[run] for run in runs]),
        ratio=found.ratio if found else None,
        low=found.low if found else None,
        high=found.high if found else None,
        confidence=found.confidence if found else None,
        p_violated=found.p_violated if found else None,
        q_violated=q[0],
        p_holds=found.p_holds if found else None,
        q_holds=q[1],
        runs=len(runs),
        more_runs=more,
        reason=reason,
        axes=_axes(point),
    )


def _axes(point: Point) -> dict[str, Any]:
    """All that was set, but for what the finding names itself."""
    of_the_call = {name: getattr(point, name) for name in ("op", "root", "layout", "in_place")}
    facts = {**of_the_call, **dict(point.axes)}
    return {name: value for name, value in facts.items() if value is not None}


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None
