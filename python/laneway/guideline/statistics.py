# SPDX-License-Identifier: BSD-3-Clause
"""Deciding whether one thing is slower than another, by paired times of several runs.

The run of mpirun is the unit of replication. Repetitions within a run resemble each other more than
those of another. Taking them for independent ones finds differences where there are none. So a
comparison is one number a run: the logarithm of the ratio of the two medians in that run. This
ratio also takes out what the run did to both.

Against a margin d, log-ratios are tested by Wilcoxon's signed-rank test, exactly. If they are *more
than d*, a guideline is violated. If they are *less than d*, it holds: non-inferiority, not the mere
absence of evidence. If neither, it is undecided. Sources: F. Wilcoxon, Biometrics Bulletin 1(6),
1945; J. L. Hodges and E. L. Lehmann, Annals of Mathematical Statistics 34(2), 1963, for estimate
and interval; Y. Benjamini and Y. Hochberg, JRSS B 57(1), 1995, for many comparisons at once.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from statistics import NormalDist

POWER = 0.8
"""The probability with which the runs that are advised decide."""

HOPELESS_RUNS = 1000
"""More runs are not advised: the truth lies at the margin, and no number of runs tells."""


class GuidelineVerdict(enum.StrEnum):
    """The answers of times to a guideline."""

    VIOLATED = "VIOLATED"
    HOLDS = "HOLDS"
    UNDECIDED = "UNDECIDED"
    INVALID = "INVALID"


ONE_RUN = "one run each: nothing can be said"


@dataclass(frozen=True)
class Ratio:
    """How many times as long one side takes as another, by the estimate of Hodges and Lehmann."""

    ratio: float
    low: float
    high: float
    confidence: float
    """The probability with which [low, high] covers the ratio, two-sided: 1 - 2 alpha, or what is
    nearest; 0 if each side has one run."""


@dataclass(frozen=True)
class Shift(Ratio):
    """A ratio by runs that are no pairs, and tests of it against a margin."""

    p_slower: float
    """The p-value of times like these, or farther up, if it were slower by the margin at most."""
    p_kept: float
    """The p-value of times like these, or farther down, if it were slower by that at least."""
    spread: float
    """Standard deviation of the logarithms of the times of runs, of both sides."""


@dataclass(frozen=True)
class Estimate(Ratio):
    """A ratio by paired log-ratios, and tests of it against a margin."""

    runs: int
    p_violated: float
    """The p-value of times like these, or farther up, if left were slower by the margin at most."""
    p_holds: float
    """The p-value of times like these, or farther down, if it were slower by that at least."""
    spread: float
    """Standard deviation of the log-ratios of runs."""


_quantile = NormalDist().inv_cdf


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
