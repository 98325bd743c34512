# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms that win at each size: an algorithm needs a predicted gain to be chosen.

Nothing is simulated here: times are given, and ranges of bytes come out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from laneway.rows import NATIVE

MARGIN = 1.25
"""How many times as fast as native an algorithm must be predicted to be: with less, it may lose.

Predictions of algorithms are off by 7% to 10% at the median (docs/calibration.md). How far those of
native are off, by its native profile, is not measured."""

AS_GOOD = 1.05
"""Time over the fastest's within which predictions cannot tell (docs/calibration.md)."""

KEPT = 1.2
"""Time over the fastest's up to which the choice without predictions is kept. Where nothing gains
enough it is kept up to so much over native's time. It was measured somewhere."""

REACH = 2
"""Size of a call at an end of a range over the nearest simulated size, or its inverse, at most."""


@dataclass(frozen=True)
class Forecast:
    """The times of a call of one size, by the simulated clock."""

    bytes: int
    """Bytes as conditions of rules count them."""
    native_us: float
    """The time by the algorithm that serves the call in the MPI library."""
    times_us: Mapping[str, float]
    """Times by algorithm, with its tunables."""
    standing: str = NATIVE
    """The algorithm that serves without predictions: one of `times_us`, or native."""

    def gain(self, algorithm: str) -> float:
        """How many times as fast as native an algorithm is; 0 where it does not serve."""
        time = self.native_us if algorithm == NATIVE else self.times_us.get(algorithm, math.inf)
        return self.native_us / time if time > 0 else math.inf

    def next_to(self, algorithm: str) -> tuple[str, float] | None:
        """The fastest besides an algorithm and its tunables; how many times as long it takes."""
        own = self.times_us[algorithm]
        name = algorithm.partition("(")[0]
        others = [(time, other) for other, time in self.times_us.items()
                  if other.partition("(")[0] != name]  # fmt: skip
        return (min(others)[1], min(others)[0] / own) if others and own > 0 else None


@dataclass(frozen=True)
class Win:
    """An algorithm, and the sizes that it is to serve."""

    algorithm: str
    """An algorithm, or native where the choice without predictions is predicted to be slower."""
    least: int
    most: int
    """Bytes from `least` to `most`, both ends included."""
    forecasts: tuple[Forecast, ...]
    """Forecasts of the sizes that were simulated."""


def wins(forecasts: Sequence[Forecast], margin: float = MARGIN) -> list[Win]:
    """The algorithms to serve a collective, with their sizes; `forecasts` ascend by their bytes.

    An algorithm must gain `margin` at each simulated size of its range, and take at most AS_GOOD
    times as long as the fastest there. The choice without predictions is kept where it takes at
    most KEPT times as long, whatever it gains. As many neighbouring sizes as possible have the same
    algorithm. Where none gains that much, nothing is said; but native is chosen where the choice
    without predictions would take KEPT times as long.

    Where two neighbouring sizes have different algorithms, one serves up to their geometric mean,
    and no further than REACH times from its own size. Otherwise no algorithm serves beyond
    the sizes at which it was simulated.
    """
    runs = [*_runs(forecasts, margin)]
    found = []
    for number, (algorithm, own) in enumerate(runs):
        if not algorithm:
            continue
        before = runs[number - 1] if number else ("", ())
        after = runs[number + 1] if number + 1 < len(runs) else ("", ())
        least, most = own[0].bytes, own[-1].bytes
        if before[0]:
            least = max(1 + math.isqrt(before[1][-1].bytes * least), -(-least // REACH))
        if after[0]:
            most = min(math.isqrt(most * after[1][0].bytes), REACH * most)
        found.append(Win(algorithm, least, most, tuple(own)))
    return found


def whole(forecasts: Sequence[Forecast], margin: float = MARGIN) -> list[Win]:
    """The algorithm to serve a collective at all sizes, as a rule cannot ask for these; if any.

    It gains `margin` on the geometric mean of sizes, and is slower than native at none. The choice
    without predictions is kept where it gains 1 / KEPT of what the best gains.
    """
    gains = {
        name: geometric_mean(each.gain(name) for each in forecasts)
        for name in _common(forecasts)
        if all(each.gain(name) >= 1 for each in forecasts)
    }
    best = max(sorted(gains), key=lambda name: gains[name], default=NATIVE)
    if gains.get(best, 0) < margin:
        return []
    standing = forecasts[0].standing
    chosen = standing if gains.get(standing, 0) * KEPT >= gains[best] else best
    return [Win(chosen, forecasts[0].bytes, forecasts[-1].bytes, tuple(forecasts))]


def in_all(layouts: Sequence[Forecast]) -> Forecast:
    """One forecast of a call whose blocks may have any of several layouts.

    An algorithm has the gain that it has with its worst layout. The time of native is the geometric
    mean, and algorithms that serve only some layouts are left out.
    """
    first = layouts[0]
    if len(layouts) == 1:
        return first
    native_us = geometric_mean(each.native_us for each in layouts)
    gains = {name: min(each.gain(name) for each in layouts) for name in _common(layouts)}
    times = {name: native_us / gain for name, gain in gains.items()}
    return Forecast(first.bytes, native_us, times, first.standing)


def _common(forecasts: Sequence[Forecast]) -> set[str]:
    """The algorithms that serve all of these calls."""
    return set.intersection(*({*each.times_us} for each in forecasts))


def _runs(forecasts: Sequence[Forecast], margin: float) -> Iterator[tuple[str, Sequence[Forecast]]]:
    """Neighbouring sizes with one answer, and the answer; an empty one says nothing."""
    run: list[Forecast] = []
    shared: set[str] = set()
    for forecast in forecasts:
        own = _answers(forecast, margin)
        if run and (shared & own or not (shared or own)):
            shared &= own
        else:
            if run:
                yield _best(shared, run), run
            run, shared = [], own
        run.append(forecast)
    if run:
        yield _best(shared, run), run


def _answers(forecast: Forecast, margin: float) -> set[str]:
    """The algorithms that may serve a size; or native; or nothing."""
    least = min(forecast.times_us.values(), default=math.inf)
    standing = forecast.standing
    found = {
        name
        for name, time in forecast.times_us.items()
        if time <= AS_GOOD * least and forecast.gain(name) >= margin
    }
    if found and standing != NATIVE and forecast.times_us[standing] <= KEPT * least:
        return {standing}
    if not found and forecast.gain(standing) < 1 / KEPT:
        return {NATIVE}
    return found


def _best(shared: set[str], run: Sequence[Forecast]) -> str:
    """The fastest over all sizes of a run, by the geometric mean; then by name."""
    if shared <= {NATIVE}:
        return next(iter(shared), "")
    return max(sorted(shared), key=lambda name: sum(math.log(each.gain(name)) for each in run))
