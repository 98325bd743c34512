# SPDX-License-Identifier: BSD-3-Clause
"""Whether something new is slower than something old, by runs of different jobs.

Such runs are no pairs: nothing that a run did to both sides cancels out. So all runs of one side
are held against all of the other. The exact test is that of Mann and Whitney (Annals of
Mathematical Statistics 18(1), 1947). The ratio and its interval are those of Hodges and Lehmann:
from the differences of all pairs of logarithms. Loads NumPy and SciPy.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats

from laneway.guideline.judge import Terms
from laneway.guideline.signed_rank import EXACT_UP_TO, Floats, corrected
from laneway.guideline.statistics import ONE_RUN, Ratio, Shift
from laneway.units import counted


class ShiftVerdict(enum.StrEnum):
    """The answers of the times of two jobs to whether something changed."""

    SLOWER = "SLOWER"
    FASTER = "FASTER"
    NO_SLOWER = "NO SLOWER"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Difference(Ratio):
    """How many times as long the new side takes as the old one, and what is decided."""

    q_slower: float
    q_faster: float
    q_no_slower: float
    """The p-values of the decisions, corrected for all that are made together."""
    change: ShiftVerdict
    reason: str


Runs = tuple[Sequence[float], Sequence[float]]
"""The times of the runs of the old and of the new side; none is zero."""


def shifts(sides: Sequence[Runs], terms: Terms) -> tuple[list[Shift], list[float], list[float]]:
    """Shifts by each comparison's runs, with both p-values corrected for all of them."""
    found = [_shift(*_logs(both), terms) for both in sides]
    slower = corrected([each.p_slower for each in found])
    return found, slower, corrected([each.p_kept for each in found])


def _logs(sides: Runs) -> tuple[Floats, Floats]:
    old, new = (np.log(np.asarray(own, dtype=np.float64)) for own in sides)
    return old, new


def _shift(old: Floats, new: Floats, terms: Terms) -> Shift:
    pairs = np.sort(np.subtract.outer(new, old), axis=None)
    left_out, beyond = outside(len(old), len(new), terms.alpha)
    shifted = new - math.log1p(terms.margin)
    variances = [float(np.var(own, ddof=1)) if len(own) > 1 else 0.0 for own in (old, new)]
    return Shift(
        ratio=math.exp(float(np.median(pairs))),
        low=math.exp(pairs[left_out]),
        high=math.exp(pairs[-1 - left_out]),
        confidence=max(0.0, 1 - 2 * beyond),
        p_slower=p_value(shifted, old, "greater"),
        p_kept=p_value(shifted, old, "less"),
        spread=math.sqrt(sum(variances) / 2),
    )


def differences(sides: Sequence[Runs], terms: Terms) -> list[Difference]:
    """Judges several comparisons together: chance has more to choose from among many."""
    found, slower, no_slower = shifts(sides, terms)
    margin = math.log1p(terms.margin)
    faster = corrected([p_value(new + margin, old, "less") for old, new in map(_logs, sides)])
    every = zip(sides, found, slower, faster, no_slower, strict=True)
    return [_difference(both, own, qs, terms) for both, own, *qs in every]


def _difference(sides: Runs, own: Shift, qs: Sequence[float], terms: Terms) -> Difference:
    changes = (ShiftVerdict.SLOWER, ShiftVerdict.FASTER, ShiftVerdict.NO_SLOWER)
    decided = (each for each, q in zip(changes, qs, strict=True) if q <= terms.alpha)
    change = next(decided, ShiftVerdict.UNDECIDED)
    old, new = map(len, sides)
    return Difference(
        ratio=own.ratio,
        low=own.low,
        high=own.high,
        confidence=own.confidence,
        q_slower=qs[0],
        q_faster=qs[1],
        q_no_slower=qs[2],
        change=change,
        reason=_reason(old, new, terms) if change is ShiftVerdict.UNDECIDED else "",
    )


def _reason(old: int, new: int, terms: Terms) -> str:
    """The reason why nothing is decided."""
    if old == new == 1:
        return ONE_RUN
    ways = math.comb(old + new, old)
    if ways * terms.alpha < 1 - 1e-9:
        runs = f"{old} and {counted(new, 'run')}"
        least = least_runs(terms.alpha)
        return f"{runs} can never decide: the least p-value is 1/{ways}; take {least}"
    return "the runs show neither"


def least_runs(alpha: float) -> int:
    """Runs of each side below which no times, however clear, have a p-value as low as that."""
    runs = 1
    while math.comb(2 * runs, runs) * alpha < 1 - 1e-9:
        runs += 1
    return runs


def p_value(left: Floats, right: Floats, alternative: str) -> float:
    """The p-value of times like these, or farther apart, if both sides were alike."""
    method: object = "asymptotic"
    if max(len(left), len(right)) <= EXACT_UP_TO:
        if not np.intersect1d(left, right).size:
            return _exact(left, right, alternative)
        # Figures that were rounded to ties.
        method = stats.PermutationMethod(n_resamples=9999, rng=np.random.default_rng(1))
    return float(stats.mannwhitneyu(left, right, alternative=alternative, method=method).pvalue)


def _exact(left: Floats, right: Floats, alternative: str) -> float:
    above = np.count_nonzero(np.greater.outer(left, right))
    null = _null(len(left), len(right))
    tail = null[above:] if alternative == "greater" else null[: above + 1]
    return min(1.0, float(tail.sum()))


@cache
def _null(old: int, new: int) -> Floats:
    """The distribution of the statistic where both sides are alike: by value from 0 up."""
    size = old * new + 1
    ways = np.zeros((old + 1, size))
    ways[0, 0] = 1
    for place in range(old + new):
        for chosen in range(min(place, old - 1), -1, -1):
            passed = place - chosen
            if passed <= new:
                ways[chosen + 1, passed:] += ways[chosen, : size - passed]
    return np.asarray(ways[old] / ways[old].sum())


def outside(old: int, new: int, alpha: float) -> tuple[int, float]:
    """How many of the ordered differences lie outside the interval, on each side, and how likely.

    They are by the normal distribution where there are many runs.
    """
    if max(old, new) > EXACT_UP_TO:
        spread = math.sqrt(old * new * (old + new + 1) / 12)
        outside = max(0, int(old * new / 2 + stats.norm.ppf(alpha) * spread))
        return outside, alpha
    below = np.cumsum(_null(old, new))
    within = np.flatnonzero(below <= alpha)
    outside = int(within[-1]) if len(within) else 0
    return outside, float(below[outside])
