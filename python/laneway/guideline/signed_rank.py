# SPDX-License-Identifier: BSD-3-Clause
"""The signed-rank test and what comes with it, computed: see statistics.py for the sources.

Loads NumPy and SciPy, which takes as long as a small job: imported where something is computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from laneway.guideline.statistics import Estimate
from laneway.rows.gain import typical

Floats = NDArray[np.float64]

EXACT_UP_TO = 50
"""Runs; beyond, the normal distribution is as good for p-values."""


def estimates(log_ratios: Sequence[Sequence[float]], margin: float, alpha: float) -> list[Estimate]:
    """An estimate by each comparison's log-ratios, of one run at least; `margin` 0.05 is 5%."""
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
                ratio=typical(log_ratios[position]),
                low=math.exp(walsh[row, left_out]),
                high=math.exp(walsh[row, -1 - left_out]),
                confidence=1 - 2 * _probability_up_to(runs, left_out),
                p_violated=float(above[row]),
                p_holds=float(below[row]),
                spread=float(np.std(matrix[row], ddof=1)) if runs > 1 else math.inf,
            )
    return [found[position] for position in range(len(log_ratios))]


def estimate(log_ratios: Sequence[float], margin: float, alpha: float) -> Estimate:
    """The `estimates` of one comparison."""
    return estimates([log_ratios], margin, alpha)[0]


def _p_values(values: Floats, alternative: Literal["greater", "less"]) -> Floats:
    """The p-values of the signed-rank test, a row each; exact up to 50 runs.

    Where times were rounded to ties, the signs are permuted instead: the test's distribution is
    derived from that. All 2^n assignments are taken where those are fewer than 10,000.
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

    A share of alpha at most of those called significant at alpha by them is expected to be so by
    chance.
    """
    return [*map(float, stats.false_discovery_control(p_values))] if p_values else []
