# SPDX-License-Identifier: BSD-3-Clause
"""The budget of a tuning: which stage may take how long, and what that is enough for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from laneway.rows import NATIVE, TUNED
from laneway.tuning.progress import Tuning
from laneway.tuning.race import Field
from laneway.tuning.stage import Point, Stage

SHARES = {"screen": 0.3, "race": 0.2, "closer": 0.15, "confirm": 0.23, "check": 0.12}
"""Of the budget, for the stages in their order."""

RUNS = {"screen": 1, "race": 2, "closer": 2, "confirm": 6, "check": 3}
"""Of mpirun. With six, exact tests can decide; the check compares medians."""

LOOKING = ("race", "closer")
"""Stages that look for something better than what the screen has found: the last to have time."""

MOST = {"screen": 0.1, "race": 0.2, "closer": 0.3, "confirm": 0.5, "check": 0.5}
"""Seconds for a contestant at a point in a run, at most: then the next stage has more of it."""

LEAST = 0.01
"""Seconds for a contestant at a point in a run, at least."""

START = 3.0
"""Seconds that a job takes to start, until one has been timed."""

CALLS = 2
"""Of a contestant in a run besides those that are timed, about: warm-up, result checked."""

BEGIN = 0.04
"""Seconds that a contestant takes in a run besides its calls, about."""


@dataclass(frozen=True)
class Budget:
    """Seconds for a tuning, in which native is measured under so many bindings."""

    tuning: Tuning
    seconds: float
    bindings: int

    def stage(
        self,
        name: str,
        chosen: Mapping[Point, tuple[str, ...]],
        known: Mapping[Point, Field],
        worth: Mapping[Point, float],
    ) -> Stage:
        """As long as its share allows; too short: fewer contestants, then fewer points.

        Points at which there is most to be gained for the time that they take, by the times
        `known`, are the last to go.
        """
        unknown = 1.0 if self.tuning.stages else 2.0
        left = {point: names for point, names in chosen.items() if names}
        promise = {point: own[NATIVE] / min(own.values()) for point, own in known.items()
                   if NATIVE in own}  # fmt: skip

        def gain(point: Point) -> float:
            """For a second in a run."""
            own = worth.get(point, 1.0) * (promise.get(point, unknown) - 1)
            return own / self._cost({point: left[point]}, known, LEAST)

        share, slowness = self._share(name), self._slowness(known)
        if name in LOOKING:
            certain = slowness * self._certainty(left, known)
            share = min(share, self._left(_later(name)) - certain)
        allowed = share / RUNS[name] / slowness
        most = max(map(len, chosen.values()), default=0)
        while left and self._cost(left, known, LEAST) > allowed:
            if most > 1:
                most -= 1
                left = {point: names[:most] for point, names in left.items()}
            else:
                left.pop(min(left, key=gain))
        pace = LEAST
        while left and pace < MOST[name] and self._cost(left, known, 1.2 * pace) <= allowed:
            pace *= 1.2
        return Stage(name, left, round(pace, 4), RUNS[name])

    def _share(self, name: str) -> float:
        """Seconds besides starts: of what is left, as much as the later stages leave over.

        What all their jobs take to start comes first: without runs that confirm there is no
        profile. The last one has its share whatever the others took, as what is not checked is
        left out.
        """

        def part(seconds: float, among: Iterable[str]) -> float:
            return seconds * SHARES[name] / sum(SHARES[each] for each in among)

        later = _later(name)
        share = part(self._left(later), later)
        if later[1:]:
            return share
        return max(share, part(self.seconds - self._starts(SHARES), SHARES))

    def _certainty(
        self, left: Mapping[Point, tuple[str, ...]], known: Mapping[Point, Field]
    ) -> float:
        """Seconds in which the first of each point can be confirmed and checked.

        A good algorithm that is certain is worth more than a better one that is not.
        """
        firsts = {point: names[:1] for point, names in left.items()}
        tuned = dict.fromkeys(left, (TUNED,))
        return RUNS["confirm"] * self._cost(firsts, known, LEAST) + RUNS["check"] * self._cost(
            tuned, known, LEAST
        )

    def _left(self, stages: Iterable[str]) -> float:
        """Seconds of the budget that are left besides what the jobs of stages take to start."""
        return self.seconds - self.tuning.seconds() - self._starts(stages)

    def _starts(self, stages: Iterable[str]) -> float:
        """Seconds that their jobs take to start."""
        start = self.bindings * (self.tuning.start() or START)
        return start * sum(RUNS[each] for each in stages)

    def _slowness(self, known: Mapping[Point, Field]) -> float:
        """How many times as long as it should the last stage took."""
        for stage in reversed(self.tuning.stages):
            should = stage.runs * self._cost(stage.contestants, known, stage.seconds)
            took = sum(self.tuning.seconds_of(stage, "block"))
            if should and took:
                return min(max(took / should, 0.8), 3.0)
        return 1.0

    def _cost(
        self, chosen: Mapping[Point, tuple[str, ...]], known: Mapping[Point, Field], pace: float
    ) -> float:
        """Seconds of a run: contestants and native, native again under each further binding."""
        return sum(
            BEGIN + max(pace, call) + CALLS * call
            for point, names in chosen.items()
            if names
            for call in self._calls(_field(point, known), names)
        )

    def _calls(self, field: Field, names: tuple[str, ...]) -> list[float]:
        """Seconds that a call of each takes: as long as native's, where it is not known.

        What is tuned is measured under each binding, too.
        """
        native = field.get(NATIVE, 0.0)
        ours = [field.get(name, native) for name in names if name != TUNED]
        tuned = [min(field.values(), default=0.0)] * (self.bindings * (TUNED in names))
        return [time / 1e6 for time in (*ours, *tuned, *[native] * self.bindings)]


def _later(name: str) -> list[str]:
    """A stage and those after it."""
    names = [*SHARES]
    return names[names.index(name) :]


def _field(point: Point, known: Mapping[Point, Field]) -> Field:
    """Times at a point; where they are not known, those of a larger size.

    Where there is none, those of a smaller one, as if they grew with it.
    """
    if point in known:
        return known[point]
    sizes = sorted(each.bytes for each in known if each.collective == point.collective)
    larger = [size for size in sizes if size > point.bytes]
    if larger:
        return known[Point(point.collective, larger[0])]
    if not sizes:
        return {}
    factor = point.bytes / max(sizes[-1], 1)
    return {name: time * factor for name, time in known[point._replace(bytes=sizes[-1])].items()}
