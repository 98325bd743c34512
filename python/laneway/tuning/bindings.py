# SPDX-License-Identifier: BSD-3-Clause
"""Which binding serves best as a whole: a job has one for all of its calls."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from laneway.tuning.shapes import JobShape
from laneway.tuning.stage import TuningPoint
from laneway.units import counted, ratio

MeasuredPlace = tuple[JobShape, TuningPoint]
"""A point on communicators of a shape."""

Times = Mapping[MeasuredPlace, float]
"""Microseconds that a call takes with what is tuned for a binding, by shape and point."""


@dataclass(frozen=True)
class BindingVerdict:
    """The binding that serves best, held against another one."""

    best: str
    other: str
    factor: float
    """How many times as fast calls are with the best one: a weighted geometric mean."""
    least: float
    """The least factor at a single point; `most` is the greatest."""
    most: float
    points: int

    def __str__(self) -> str:
        return (
            f"binding {self.best} serves best: calls are {ratio(self.factor)} times as fast as "
            f"with binding {self.other}, on geometric mean over {counted(self.points, 'point')} "
            f"({ratio(self.least)} to {ratio(self.most)})"
        )


def verdicts(
    times: Mapping[str, Times], worth: Mapping[MeasuredPlace, float]
) -> list[BindingVerdict]:
    """The best of several bindings against each other one, at the points that all have.

    `worth` weighs points by what a program spends in them; where it is empty all weigh the same.
    """
    common = set.intersection(*map(set, times.values())) if times else set()
    weights = {point: worth.get(point, 0.0) if worth else 1.0 for point in common}
    total = sum(weights.values())
    if len(times) < 2 or not total:
        return []

    def mean(own: Times) -> float:
        """The logarithm of the weighted geometric mean."""
        return sum(math.log(own[point]) * weight for point, weight in weights.items()) / total

    best = min(times, key=lambda name: mean(times[name]))
    found = []
    for other in sorted(times.keys() - {best}):
        factors = [times[other][point] / times[best][point] for point in common]
        factor = math.exp(mean(times[other]) - mean(times[best]))
        found.append(BindingVerdict(best, other, factor, min(factors), max(factors), len(common)))
    return found
