# SPDX-License-Identifier: BSD-3-Clause
"""Lines through times by size, and the sizes beyond which messages take longer.

Errors of times are relative: a time of 10 ms is not known to the microsecond that one of 10 us is.
So the squares of residuals over times are made least. How many jumps there are is decided by the
Bayesian information criterion (G. Schwarz, Annals of Statistics 6(2), 1978), which asks of each
further parameter that it explains more than chance would.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from laneway.units import size as in_units

TimesBySize = Mapping[int, Sequence[float]]
"""Times in microseconds, by size in bytes."""

FEWEST = 2
"""Sizes at least on each side of a place where messages begin to take longer."""

MOST = 2
"""Such places at most: a library has short, middle and long messages."""

ENOUGH = 3
"""Times for each parameter: of fewer, anything can be explained."""

LEAST_RESIDUAL = 1e-3
"""No measurement is better: what fits better is not believed more."""

STRONG = 10.0
"""Difference of the criterion that is strong evidence (Kass and Raftery, JASA 90, 1995)."""


def sizes_in_words(times: TimesBySize) -> str:
    """The least and the largest size, such as 4 B to 4 MiB."""
    return f"{in_units(min(times))} to {in_units(max(times))}"


@dataclass(frozen=True)
class Jump:
    """A place where messages begin to take longer, whatever their bytes are."""

    size: int
    """The last size that does not take longer."""
    time: float


@dataclass(frozen=True)
class LinearFit:
    """`time = start + byte * size`, and what jumps add, in microseconds; nothing is negative."""

    start: float
    byte: float
    jumps: tuple[Jump, ...]
    residual: float
    """Root of the mean square of relative residuals."""


def line(
    times: TimesBySize, carried: Callable[[int], float] = float, jumps: Sequence[int] = ()
) -> LinearFit:
    """The line through times; `carried` are the bytes of a size that take time.

    Sizes beyond each of `jumps` take longer, as much as fits best.
    """
    import numpy as np
    from scipy.optimize import nnls

    points = [(size, time) for size, own in times.items() for time in own]
    columns = np.array(
        [(1.0, carried(size), *(float(size > jump) for jump in jumps)) for size, _ in points]
    )
    scale = columns.max(axis=0)
    scale[scale == 0] = 1.0
    weighted = columns / scale / np.array([[time] for _, time in points])
    found, error = nnls(weighted, np.ones(len(points)))
    start, byte, *waits = (float(each) for each in found / scale)
    return LinearFit(
        start,
        byte,
        tuple(map(Jump, jumps, waits)),
        float(error) / math.sqrt(len(points)),
    )


def with_jumps(
    times: TimesBySize, carried: Callable[[int], float] = float, highest: float = math.inf
) -> LinearFit:
    """The line with as many jumps as the criterion asks for, where they fit best.

    No jump is higher than so many times what 0 bytes take.
    """
    sizes = sorted(times)
    places = sizes[FEWEST - 1 : -FEWEST]
    count = sum(map(len, times.values()))
    found = [
        line(times, carried, jumps)
        for number in range(MOST + 1)
        if number == 0 or count >= ENOUGH * (2 + 2 * number)
        for jumps in combinations(places, number)
    ]
    found = [fit for fit in found if all(jump.time <= highest * fit.start for jump in fit.jumps)]
    return min(found, key=lambda fit: criterion(fit.residual, count, 2 + 2 * len(fit.jumps)))


def beyond_burst(times: TimesBySize) -> int:
    """How many bytes of a message take no time, as a burst lets them pass; 0: none to be seen."""
    sizes = sorted(times)
    first, last = max(1, sizes[0]), sizes[-1] / 2
    tried = {round(first * (last / first) ** (step / _STEPS)) for step in range(1, _STEPS + 1)}
    fits = {burst: line(times, partial(_more_than, burst)) for burst in sorted(tried)}
    best = min(fits, key=lambda burst: fits[burst].residual)
    count = sum(map(len, times.values()))
    if count < ENOUGH * 3:
        return 0
    plain = criterion(with_jumps(times).residual, count, 2)
    return best if criterion(fits[best].residual, count, 3) + STRONG < plain else 0


_STEPS = 100


def _more_than(burst: int, size: int) -> float:
    return max(0, size - burst)


def criterion(residual: float, count: int, parameters: int) -> float:
    """The Bayesian information criterion of a fit to so many times; less is better."""
    return 2 * count * math.log(max(residual, LEAST_RESIDUAL)) + parameters * math.log(count)
