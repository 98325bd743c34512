# SPDX-License-Identifier: BSD-3-Clause
"""How many times as fast one thing is as another: the one estimate that all tables and texts show.

Times are compared within runs, which takes out the effect of a run on both. The estimate is that of
Hodges and Lehmann (guideline/statistics.py) from the log-ratios of the runs that have both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from statistics import median

TimesByRun = Mapping[int, float]
"""The median of the repetitions in microseconds, by run."""


def log_ratios(left: TimesByRun, right: TimesByRun) -> list[float]:
    """The log-ratios of left to right, of each run in which both took some time."""
    both = sorted(left.keys() & right.keys())
    return [math.log(left[run] / right[run]) for run in both if left[run] > 0 and right[run] > 0]


def typical(logs: Sequence[float]) -> float:
    """The typical ratio of log-ratios: from the median of all means of two of them."""
    return math.exp(median((a + b) / 2 for a, b in combinations_with_replacement(logs, 2)))


def ratio(left: TimesByRun, right: TimesByRun) -> float | None:
    """How many times as long the left takes as the right; None where the right takes no time.

    Where no run has both, as in campaigns shown together, it is the ratio of the medians.
    """
    if logs := log_ratios(left, right):
        return typical(logs)
    below = median(right.values())
    return median(left.values()) / below if below > 0 else None
