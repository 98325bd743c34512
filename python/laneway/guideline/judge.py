# SPDX-License-Identifier: BSD-3-Clause
"""Judging the rows of a campaign: a verdict on each guideline at each point."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from laneway.guideline.comparison import GuidelineComparison, Medians
from laneway.guideline.statistics import (
    Estimate,
    GuidelineVerdict,
    runs_at_least,
    runs_wanted,
)
from laneway.rows import NATIVE, Row, frame
from laneway.units import counted

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Terms:
    """The terms by which a guideline is judged."""

    margin: float = 0.05
    """A side that is slower by less does not matter."""
    alpha: float = 0.05
    """The share of wrong decisions that is put up with, of each kind, within a guideline."""
    subject: str = NATIVE
    """The algorithm that guidelines are about."""


@dataclass(frozen=True)
class GuidelineFinding:
    """A guideline at one point, judged."""

    guideline: str
    verdict: GuidelineVerdict
    collective: str
    algorithm: str
    count: int
    bytes: int
    right: str
    """The side that the left one, `algorithm` at this point, was held against."""
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
    """So many more runs will decide, if they are like these; None where that is no question."""
    reason: str
    axes: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> Row:
        """The finding as one JSON object."""
        return {"kind": "finding", **asdict(self)}


@dataclass(frozen=True)
class PointsLeftOut:
    """Points of which a guideline speaks, and that it was not held against."""

    guideline: str
    points: int
    reason: str

    def __str__(self) -> str:
        return f"{counted(self.points, 'point')} left out: {self.reason}"

    def to_json(self) -> Row:
        """The points as one JSON object."""
        return {"kind": "left_out", **asdict(self)}


@dataclass(frozen=True)
class Judgement:
    """The findings on guidelines, and the points where they say nothing."""

    findings: list[GuidelineFinding]
    left_out: list[PointsLeftOut]


def judge_rows(rows: Iterable[Row], terms: Terms = Terms()) -> list[GuidelineFinding]:
    """Judges the rows of a campaign by all guidelines of which both sides were measured.

    Findings of one guideline stand together, by point.
    """
    return judgement(rows, terms).findings


def judgement(rows: Iterable[Row], terms: Terms = Terms()) -> Judgement:
    """The findings, and points that guidelines leave out though their collectives were measured."""
    samples, wrong = [], []
    for row in rows:
        if row["kind"] == "sample" and row.get("time_us") is not None:
            samples.append(row)
        elif row["kind"] == "error":
            wrong.append(row)
    return judge(frame(samples), terms, wrong)


def judge(samples: pl.DataFrame, terms: Terms, wrong: Iterable[Row] = ()) -> Judgement:
    """Judges samples, one a line, as `Folder.samples` has them.

    `wrong` are the rows that tell of wrong results: a fast but wrong result decides nothing.
    """
    if samples.is_empty():
        return Judgement([], [])
    medians = Medians(samples, terms.subject, wrong)
    groups: dict[str, list[GuidelineComparison]] = defaultdict(list)
    for comparison in medians.comparisons():
        groups[comparison.guideline].append(comparison)
    findings = [each for comparisons in groups.values() for each in decide(comparisons, terms)]
    left_out = medians.left_out.items()
    return Judgement(
        findings, [PointsLeftOut(name, points, why) for (name, why), points in left_out]
    )


def decide(comparisons: Sequence[GuidelineComparison], terms: Terms) -> Iterator[GuidelineFinding]:
    """Judges all points of a guideline together: chance has more to choose from among many."""
    from laneway.guideline.signed_rank import (
        corrected,
        estimates,
    )

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
            yield _finding(comparison, GuidelineVerdict.INVALID, None, reason=why)
            continue
        each, q = next(judged)
        if min(q) <= terms.alpha:
            verdict = GuidelineVerdict.VIOLATED if q[0] <= terms.alpha else GuidelineVerdict.HOLDS
            yield _finding(comparison, verdict, each, q, reason=_words(each, terms))
            continue
        side = 0 if each.ratio > 1 + terms.margin else 1
        threshold = terms.alpha * min(significant[side] + 1, len(valid)) / len(valid)
        wanted = runs_wanted(each, terms.margin, threshold)
        yield _finding(
            comparison,
            GuidelineVerdict.UNDECIDED,
            each,
            q,
            more=None if wanted is None else wanted - each.runs,
            reason=_undecided(each, terms, wanted),
        )


def _why_invalid(comparison: GuidelineComparison) -> str:
    """The reason why nothing can be said; empty where something can."""
    if comparison.invalid:
        return comparison.invalid
    runs = comparison.runs
    if not runs:
        return "no run has times of both sides"
    if any(comparison.left_us[run] <= 0 or comparison.right_us[run] <= 0 for run in runs):
        return "a time is zero: the clock is too coarse for this"
    return ""


def _words(found: Estimate, terms: Terms) -> str:
    """The words for a decision."""
    if found.ratio > 1 + terms.margin:
        return f"slower by more than {terms.margin:.0%}"
    if found.high <= 1:
        return "faster"
    return f"not slower by {terms.margin:.0%}"


def _undecided(found: Estimate, terms: Terms, wanted: int | None) -> str:
    least = runs_at_least(terms.alpha)
    if found.runs < least:
        return (
            f"{counted(found.runs, 'run')} can never decide: the least p-value is "
            f"1/{2**found.runs}; take {least} at least"
        )
    if wanted is None:
        return f"the ratio is so close to the margin of {terms.margin:.0%} that runs don't tell"
    return f"about {counted(wanted - found.runs, 'more run')} will decide, if they are like these"


def _finding(
    comparison: GuidelineComparison,
    verdict: GuidelineVerdict,
    found: Estimate | None,
    q: tuple[float, float] | tuple[None, None] = (None, None),
    *,
    more: int | None = None,
    reason: str,
) -> GuidelineFinding:
    point, runs = comparison.point, comparison.runs
    return GuidelineFinding(
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
        axes=point.facts,
    )


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None
