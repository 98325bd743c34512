# SPDX-License-Identifier: BSD-3-Clause
"""Whether times are still what they were: those of one day, or library, against those of another.

Runs of different campaigns are no pairs: what a run does to all of its times is not common to both
sides. So the medians of the runs of one side are held against those of the other, by the rank-sum
test of Wilcoxon, Mann and Whitney, exact, with the estimate and the interval of Hodges and Lehmann
from all differences of logarithms. It is made one-sided against a margin in both directions, as for
guidelines: *slower by more* is FAIL, *slower by less* is PASS (non-inferiority, not the mere
absence of evidence).
Sources: F. Wilcoxon, Biometrics Bulletin 1(6), 1945; H. B. Mann, D. R. Whitney, Annals of
Mathematical Statistics 18(1), 1947; J. L. Hodges, E. L. Lehmann, ibid. 34(2), 1963.
"""

from __future__ import annotations

import enum
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from statistics import NormalDist
from typing import Any

from laneway.guideline.judge import Terms
from laneway.guideline.statistics import HOPELESS_RUNS, POWER
from laneway.rows import FACTS, Key
from laneway.rows.gain import Times
from laneway.units import counted

ONE_RUN = "one run each: nothing can be said"


class Kept(enum.StrEnum):
    """What times say about being as they were."""

    PASS = "PASS"  # noqa: S105 - no password
    FAIL = "FAIL"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Shift:
    """How many times as long something takes now, by runs that are no pairs."""

    ratio: float
    """The Hodges-Lehmann estimate: the median of the ratios of all runs now to all before."""
    low: float
    high: float
    confidence: float
    """With which [low, high] covers the ratio, two-sided; 0 of one run each."""
    p_slower: float
    """Of times like these, or farther up, if it were slower by the margin at most."""
    p_kept: float
    """Of times like these, or farther down, if it were slower by the margin at least."""
    spread: float
    """Standard deviation of the logarithms of the medians of runs, of both sides."""


def shift(before: Sequence[float], now: Sequence[float], margin: float, alpha: float) -> Shift:
    """What medians of runs say, of at least one run each, all above 0; `margin` 0.05 is 5%."""
    old, new = ([math.log(value) for value in side] for side in (before, now))
    differences = sorted(b - a for a in old for b in new)
    left_out, confidence = _tail(len(old), len(new), alpha)
    beyond = [value - math.log1p(margin) for value in new]
    return Shift(
        ratio=math.exp(statistics.median(differences)),
        low=math.exp(differences[left_out]),
        high=math.exp(differences[-1 - left_out]),
        confidence=confidence,
        p_slower=_p_value(beyond, old, "greater"),
        p_kept=_p_value(beyond, old, "less"),
        spread=math.sqrt(_variance(old) + _variance(new)) / math.sqrt(2),
    )


def _variance(values: Sequence[float]) -> float:
    return statistics.variance(values) if len(values) > 1 else 0.0


def _p_value(values: Sequence[float], others: Sequence[float], alternative: str) -> float:
    """Exact; where times were rounded to ties, the labels are permuted instead."""
    import numpy as np
    from scipy import stats

    tied = len({*values, *others}) < len(values) + len(others)
    shuffled = stats.PermutationMethod(n_resamples=9999, rng=np.random.default_rng(1))
    method = shuffled if tied else "exact"
    return float(stats.mannwhitneyu(values, others, alternative=alternative, method=method).pvalue)


@cache
def _up_to(first: int, second: int) -> list[float]:
    """The distribution of the rank-sum statistic of so many runs: P(U <= u) by u from 0 up."""
    ways = [[1], *([0] for _ in range(first))]
    for rank in range(second + 1):  # each of the first may lie above 0 to `second` of the others
        for size in range(1, first + 1):
            longer = [0] * max(len(ways[size]), rank + len(ways[size - 1]))
            for total, number in enumerate(ways[size]):
                longer[total] += number
            for total, number in enumerate(ways[size - 1]):
                longer[total + rank] += number
            ways[size] = longer
    every = math.comb(first + second, first)
    sums, so_far = [], 0
    for number in ways[first]:
        so_far += number
        sums.append(so_far / every)
    return sums


def _tail(first: int, second: int, alpha: float) -> tuple[int, float]:
    """How many of the ordered differences lie outside the interval on each side; its confidence."""
    below = [value for value in _up_to(first, second) if value <= alpha]
    left_out = max(0, len(below) - 1)
    return left_out, max(0.0, 1 - 2 * _up_to(first, second)[left_out])


def runs_at_least(alpha: float) -> int:
    """Runs of each side below which no data, however clear, have a p-value of alpha or less."""
    runs = 1
    while 1 / math.comb(2 * runs, runs) > alpha:
        runs += 1
    return runs


def runs_wanted(found: Shift, margin: float, alpha: float) -> int | None:
    """How many runs of each side will decide, if they are like those so far; None: none will."""
    distance = abs(math.log(found.ratio) - math.log1p(margin))
    least = runs_at_least(alpha)
    if found.spread == 0:
        return least
    if distance == 0:
        return None
    quantile = NormalDist().inv_cdf
    effort = (quantile(1 - alpha) + quantile(POWER)) * found.spread / distance
    wanted = max(least, math.ceil(2 * math.pi / 3 * effort**2))
    return wanted if wanted <= HOPELESS_RUNS else None


@dataclass(frozen=True)
class Change:
    """One case, before and now."""

    key: Key
    """As it is now."""
    verdict: Kept
    before_us: float
    now_us: float
    """Medians of the runs' medians."""
    runs_before: int
    runs_now: int
    shift: Shift | None
    q_slower: float | None
    q_kept: float | None
    """The p-values of both decisions, corrected for all cases."""
    runs: int | None
    """So many of each side will decide; None where that is no question."""
    reason: str

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        key, found = own.pop("key"), own.pop("shift")
        facts = {name: getattr(key, name) for name in FACTS} | dict(key.axes)
        figures = asdict(found) if found else dict.fromkeys(each.name for each in fields(Shift))
        return {"kind": "change", **facts, **own, **figures}


def changes(
    pairs: Sequence[tuple[Key, Times, Times]], terms: Terms, wrong: Mapping[Key, str]
) -> list[Change]:
    """Judges all cases together: times before and now, by run.

    `wrong`: what was wrong now, by case: what is fast and wrong is not as it was.
    """
    from laneway.guideline.signed_rank import corrected

    valid = [pair for pair in pairs if pair[0] not in wrong and _has_times(pair)]
    found = {
        key: shift([*before.values()], [*now.values()], terms.margin, terms.alpha)
        for key, before, now in valid
    }
    slower = dict(zip(found, corrected([each.p_slower for each in found.values()]), strict=True))
    kept = dict(zip(found, corrected([each.p_kept for each in found.values()]), strict=True))
    significant = [sum(q <= terms.alpha for q in side.values()) for side in (slower, kept)]

    def judged(key: Key, before: Times, now: Times) -> Change:
        own, runs, verdict = found.get(key), None, Kept.UNDECIDED
        if key in wrong:
            verdict, reason = Kept.FAIL, wrong[key]
        elif own is None:
            reason = "a time is zero: the clock is too coarse for this"
        elif slower[key] <= terms.alpha:
            verdict, reason = Kept.FAIL, f"slower by more than {terms.margin:.0%}"
        elif kept[key] <= terms.alpha:
            verdict, reason = Kept.PASS, f"not slower by {terms.margin:.0%}"
        elif len(before) == len(now) == 1:
            reason = ONE_RUN
        else:
            side = 0 if own.ratio > 1 + terms.margin else 1
            threshold = terms.alpha * min(significant[side] + 1, len(found)) / len(found)
            runs = runs_wanted(own, terms.margin, threshold)
            reason = _undecided(runs, terms)
        return Change(
            key,
            verdict,
            before_us=statistics.median(before.values()),
            now_us=statistics.median(now.values()),
            runs_before=len(before),
            runs_now=len(now),
            shift=own,
            q_slower=slower.get(key),
            q_kept=kept.get(key),
            runs=runs,
            reason=reason,
        )

    return [judged(*pair) for pair in pairs]


def _has_times(pair: tuple[Key, Times, Times]) -> bool:
    return all(value > 0 for side in pair[1:] for value in side.values())


def _undecided(runs: int | None, terms: Terms) -> str:
    if runs is None:
        return f"the ratio is so close to the margin of {terms.margin:.0%} that runs don't tell"
    return f"about {counted(runs, 'run')} of each side will decide, if they are like these"
