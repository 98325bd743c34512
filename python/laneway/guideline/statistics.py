# SPDX-License-Identifier: BSD-3-Clause
"""Deciding whether one thing is slower than another, by paired times of several runs.

The run of mpirun is the unit of replication: repetitions within a run resemble each other more
than those of another, and taking them for independent ones finds differences where there are none.
So a comparison is one number a run: the logarithm of the ratio of the two medians in that run,
which also takes out what the run did to both.

Against a margin d, log-ratios are tested by Wilcoxon's signed-rank test, exactly: for *more than d*
(then a guideline is violated) and for *less than d* (then it holds: non-inferiority, not the mere
absence of evidence). Neither: undecided. Sources: F. Wilcoxon, Biometrics Bulletin 1(6), 1945;
J. L. Hodges and E. L. Lehmann, Annals of Mathematical Statistics 34(2), 1963, for estimate and
interval; Y. Benjamini and Y. Hochberg, JRSS B 57(1), 1995, for many comparisons at once.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]

POWER = 0.8
"""With which probability the runs that are advised decide."""

HOPELESS_RUNS = 1000
"""More are not advised: the truth lies at the margin, and no number of runs tells."""

EXACT_UP_TO = 50
"""Runs; beyond, the normal distribution is as good for p-values."""


class Verdict(enum.StrEnum):
    """What times say about a guideline."""

    VIOLATED = "VIOLATED"
    HOLDS = "HOLDS"
    UNDECIDED = "UNDECIDED"
    INVALID = "INVALID"


@dataclass(frozen=True)
class Estimate:
    """How many times as long the left side takes as the right, by paired log-ratios."""

    runs: int
    ratio: float
    """The Hodges-Lehmann estimate: the median of all means of two runs."""
    low: float
    high: float
    confidence: float
    """With which [low, high] covers the ratio, two-sided: 1 - 2 alpha, or what is nearest to it."""
    p_violated: float
    """Of times like these, or farther up, if the left side were slower by the margin at most."""
    p_holds: float
    """Of times like these, or farther down, if it were slower by the margin at least."""
    spread: float
    """Standard deviation of the log-ratios of runs."""


def estimates(log_ratios: Sequence[Sequence[float]], margin: float, alpha: float) -> list[Estimate]:
    """What each comparison's log-ratios, of at least one run, say; `margin` 0.05 is 5% slower."""
    by_runs: dict[int, list[int]] = {}
    for position, values in enumerate(log_ratios):
        by_runs.setdefault(len(values), []).append(position)
    found: dict[int, Estimate] = {}
    for runs, positions in by_runs.items():
        matrix: Floats = np.array([log_ratios[each] for each in positions], dtype=np.float64)
        first, second = np.triu_indices(runs)
        walsh = np.sort((matrix[:, first] + matrix[:, second]) / 2, axis=1)
        left_out = _tail(runs, alpha)
        beyond = matrix - math.log1p(margin)
        above, below = _p_values(beyond, "greater"), _p_values(beyond, "less")
        for row, position in enumerate(positions):
            found[position] = Estimate(
                runs=runs,
                ratio=math.exp(float(np.median(walsh[row]))),
                low=math.exp(walsh[row, left_out]),
                high=math.exp(walsh[row, -1 - left_out]),
                confidence=1 - 2 * _probability_up_to(runs, left_out),
                p_violated=float(above[row]),
                p_holds=float(below[row]),
                spread=float(np.std(matrix[row], ddof=1)) if runs > 1 else math.inf,
            )
    return [found[position] for position in range(len(log_ratios))]


def estimate(log_ratios: Sequence[float], margin: float, alpha: float) -> Estimate:
    """`estimates` of one comparison."""
    return estimates([log_ratios], margin, alpha)[0]


def _p_values(values: Floats, alternative: Literal["greater", "less"]) -> Floats:
    """The p-values of the signed-rank test, a row each; exact up to 50 runs.

    Where times were rounded to ties, the signs are permuted instead, which the test's distribution
    is derived from: all 2^n assignments where those are fewer than 10,000.
    """
    exact = values.shape[1] <= EXACT_UP_TO
    magnitudes = np.sort(np.abs(values), axis=1)
    tied = (magnitudes[:, :1] == 0).any(axis=1) | (np.diff(magnitudes, axis=1) == 0).any(axis=1)
    method = "exact" if exact else "asymptotic"
    found: Floats = np.ones(len(values))
    if not tied.all():
        test = stats.wilcoxon(values[~tied], alternative=alternative, method=method, axis=1)
        found[~tied] = test.pvalue
    for row in np.flatnonzero(tied & values.any(axis=1)):
        signs = stats.PermutationMethod(n_resamples=9999, rng=np.random.default_rng(1))
        found[row] = stats.wilcoxon(
            values[row],
            alternative=alternative,
            method=signs if exact else "asymptotic",
            zero_method="zsplit",
        ).pvalue
    return found


_quantile = NormalDist().inv_cdf


@cache
def _null(runs: int) -> Floats:
    """The distribution of the signed-rank statistic where signs are fair: by value from 0 up."""
    probabilities = np.ones(1)
    for rank in range(1, runs + 1):
        without = np.pad(probabilities, (0, rank))
        probabilities = (without + np.roll(without, rank)) / 2
    return np.asarray(probabilities)


def _probability_up_to(runs: int, value: int) -> float:
    return float(_null(runs)[: value + 1].sum())


def _tail(runs: int, alpha: float) -> int:
    """How many of the ordered means of two runs lie outside the interval, on each side."""
    within = np.flatnonzero(np.cumsum(_null(runs)) <= alpha)
    return int(within[-1]) if len(within) else 0


def corrected(p_values: Sequence[float]) -> list[float]:
    """The p-values of many comparisons, corrected by Benjamini and Hochberg.

    Of those called significant at alpha by them, a share of alpha at most is expected to be so by
    chance.
    """
    return [*map(float, stats.false_discovery_control(p_values))] if p_values else []


def runs_at_least(alpha: float) -> int:
    """Runs below which no data, however clear, have a p-value of alpha or less: 2^-n > alpha."""
    return math.ceil(-math.log2(alpha) - 1e-9)


def runs_wanted(found: Estimate, margin: float, alpha: float) -> int | None:
    """How many runs in all will decide, if they are like those so far; None where none will.

    `alpha` is what the p-value must come down to, all corrections considered. By the normal
    approximation of the test's power, with its efficiency of 3 / pi.
    """
    distance = abs(math.log(found.ratio) - math.log1p(margin))
    needed = runs_at_least(alpha)
    if found.runs < 3:  # too few to know how much they spread
        return max(needed, found.runs + 1)
    if distance == 0:
        return None
    effort = (_quantile(1 - alpha) + _quantile(POWER)) * found.spread / distance
    wanted = max(needed, math.ceil(math.pi / 3 * effort**2), found.runs + 1)
    return wanted if wanted <= HOPELESS_RUNS else None
