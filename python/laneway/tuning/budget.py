# SPDX-License-Identifier: BSD-3-Clause
"""The budget of a tuning: how long each stage may take, and which contestants fit into that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from laneway.campaign.estimate import SET_ASIDE
from laneway.tuning.costs import LEAST, Costs
from laneway.tuning.progress import Tuning
from laneway.tuning.stage import Stage, TuningPoint

SHARES = {"screen": 0.3, "race": 0.2, "closer": 0.15, "confirm": 0.23, "check": 0.12}
"""Shares of the budget, for the stages in their order; with fewer runs in proportion less."""

RUNS = {"screen": 1, "race": 2, "closer": 2, "confirm": 6, "check": 3}
"""Runs of each stage. With six, exact tests can decide; the check compares medians."""

BRIEF = {"screen": 1, "race": 1, "closer": 1, "confirm": 6, "check": 1}
"""Runs of each stage where the starts of all RUNS would take more than STARTS of the budget."""

STARTS = 0.25
"""The share of the budget that the starts of jobs are to take at most."""

BORROWED = 1.25
"""The share of its time that a stage may take, if it takes longer than was foreseen."""

LOOKING = ("race", "closer")
"""Stages that look for something better than the screen has found: the last to get time.

The job of the screen does them, too: only what is confirmed and checked needs fresh jobs.
"""

UNKNOWN = 2.0
"""Speed of the best over native where nothing was measured yet, about."""

AGAIN = 1.1
"""Speed of the best of a further look at a size over the best so far, about."""

MOST = {"screen": 0.1, "race": 0.2, "closer": 0.3, "confirm": 0.5, "check": 0.5}
"""Seconds for a contestant at a point in a run, at most: the rest is left for the next stage."""


@dataclass(frozen=True)
class _Room:
    """The room of a stage: seconds besides starts, by how long calls should take."""

    share: float
    """Seconds for the stage."""
    left: float
    """Seconds for all stages that are left."""
    runs: Mapping[str, int]
    stage: str
    costs: Costs
    found: Mapping[TuningPoint, tuple[str, ...]]
    """The best contestants found so far."""

    @property
    def looking(self) -> bool:
        """Whether the stage looks for something better."""
        return self.stage in LOOKING

    def fits(self, wanted: Mapping[TuningPoint, tuple[str, ...]], pace: float = LEAST) -> bool:
        """Whether there is time for these, and to confirm and check the first one of each point."""
        seconds = self.runs[self.stage] * self.costs.of(wanted, pace)
        if not self.looking:
            return seconds <= self.share
        first = {**self.found, **{point: names[:1] for point, names in wanted.items()}}
        certain = self.runs["confirm"] * self.costs.of(first)
        certain += self.runs["check"] * self.costs.of_tuned(first)
        return seconds <= min(self.share, self.left - certain)


@dataclass(frozen=True)
class Budget:
    """Seconds for a tuning."""

    tuning: Tuning
    seconds: float

    def stage(
        self,
        name: str,
        chosen: Mapping[TuningPoint, tuple[str, ...]],
        costs: Costs,
        worth: Mapping[TuningPoint, float],
    ) -> Stage:
        """A stage as long as its share allows; if that is short, fewer contestants, then points.

        Points with most to gain for the time that they take, by the times known, come first. Where
        the stage looks for something better, points have all of their contestants. Time is then
        left to confirm and check the first of each: a certain good algorithm is worth more than an
        uncertain better one.
        """
        room = self._room(name, chosen, costs)
        gains = self.gains(name, chosen, costs, worth)

        runs = self._runs()[name]
        left = {point: names for point, names in chosen.items() if names and runs}
        most = max(map(len, left.values()), default=0)
        while most > 1 and not room.looking and not room.fits(left):
            most -= 1
            left = {point: names[:most] for point, names in left.items()}
        if not room.fits(left):
            wanted, left = sorted(left.items(), key=lambda one: gains[one[0]], reverse=True), {}
            for point, names in wanted:
                if room.fits({**left, point: names}):
                    left[point] = names
        pace = LEAST
        if self._is_used_up(name):
            return Stage(name, left, pace, min(runs, 1))
        while left and pace < MOST[name] and room.fits(left, 1.2 * pace):
            pace *= 1.2
        return Stage(name, left, round(pace, 4), runs)

    def _is_used_up(self, name: str) -> bool:
        """Whether the stages before the last one have left less than half of its share."""
        return not _later(name)[1:] and self._left([name]) < self._share(name) / 2

    def gains(
        self,
        name: str,
        chosen: Mapping[TuningPoint, tuple[str, ...]],
        costs: Costs,
        worth: Mapping[TuningPoint, float],
    ) -> dict[TuningPoint, float]:
        """The gain of each point for a second in a run of a stage."""
        found = {}
        for point, names in chosen.items():
            promise = (costs.promise(point) or 1.0) if self.tuning.stages else UNKNOWN
            if name in LOOKING and point in costs.known:
                promise = min(promise, AGAIN)
            if names:
                found[point] = worth.get(point, 1.0) * (promise - 1) / costs.of({point: names})
        return _in_pairs(found) if worth else found

    def seconds_of(self, stage: Stage) -> float:
        """Seconds that a stage may take, starts included: if need be, some of the later ones'."""
        starts = self._starts([stage.name])
        share = self._share(stage.name, besides=stage.name)
        if stage.name == _later(stage.name)[-1]:
            return starts + share
        left = self.seconds - self.tuning.seconds(stage.name) - self._starts(_later(stage.name)[1:])
        if stage.name == "screen":
            # The screen may have the time of those that look further: it is one run of everything.
            weights = self._weights()
            sure = sum(weights[each] for each in weights if each not in ("screen", *LOOKING))
            return left * (1 - sure / sum(weights.values()))
        return min(starts + BORROWED * share, left)

    def _room(
        self, name: str, chosen: Mapping[TuningPoint, tuple[str, ...]], costs: Costs
    ) -> _Room:
        """The room for a stage among these contestants."""
        runs, slowness = self._runs(), self._slowness(costs)
        found = {point: names[:1] for point, names in chosen.items()
                 if names and point in costs.known}  # fmt: skip
        left = self._left(_later(name))
        share = self._share(name)
        return _Room(share / slowness, left / slowness, runs, name, costs, found)

    def _runs(self) -> Mapping[str, int]:
        """The runs of each stage: fewer where the budget is small, which the race has decided."""
        race = next((stage for stage in self.tuning.stages if stage.name == "race"), None)
        if race:
            return RUNS if race.runs == RUNS["race"] else BRIEF
        return BRIEF if self._starts(SHARES, RUNS) > STARTS * self.seconds else RUNS

    def _share(self, name: str, besides: str | None = None) -> float:
        """Seconds besides starts: of those that are left, as many as the later stages leave over.

        The starts of all their jobs come first: without runs that confirm there is no profile. The
        last stage has its share whatever the others took: then it has room for all rules. If there
        is no time, it is one short run.
        """
        weights = self._weights()

        def part(seconds: float, among: Iterable[str]) -> float:
            return seconds * weights[name] / sum(weights[each] for each in among)

        later = _later(name)
        share = part(self._left(later, besides), later)
        if later[1:]:
            return share
        return max(share, part(self.seconds - self._starts(SHARES), SHARES))

    def _weights(self) -> dict[str, float]:
        """The stages' shares of the time, by their runs."""
        runs = self._runs()
        return {each: SHARES[each] * runs[each] / RUNS[each] for each in SHARES}

    def _left(self, stages: Iterable[str], besides: str | None = None) -> float:
        """Seconds of the budget that are left besides the starts of the stages' jobs."""
        return self.seconds - self.tuning.seconds(besides) - self._starts(stages)

    def _starts(self, stages: Iterable[str], runs: Mapping[str, int] | None = None) -> float:
        """Seconds for starts of stages' jobs, one a run; none to look for something better."""
        runs = self._runs() if runs is None else runs
        jobs = sum(runs[each] for each in stages if each not in LOOKING)
        return (self.tuning.start() or SET_ASIDE) * jobs

    def _slowness(self, costs: Costs) -> float:
        """The duration of the last stage over the time that it should have taken."""
        for stage in reversed(self.tuning.stages):
            should = stage.runs * costs.of(stage.contestants, stage.seconds)
            took = sum(self.tuning.seconds_of(stage, "block"))
            if should and took:
                return min(max(took / should, 0.8), 3.0)
        return 1.0


def _in_pairs(gains: Mapping[TuningPoint, float]) -> dict[TuningPoint, float]:
    """The gains of points of which one is of no use without the next.

    The calls of a program lie between powers of two, and a rule serves them that is confirmed at
    both. So both have the lesser gain of the two.
    """
    found = {}
    for point, own in gains.items():
        next_ones = (point._replace(bytes=size) for size in (point.bytes // 2, 2 * point.bytes))
        pairs = [min(own, gains[other]) for other in next_ones if other in gains]
        found[point] = max(pairs, default=own)
    return found


def _later(name: str) -> list[str]:
    """A stage and those after it."""
    names = [*SHARES]
    return names[names.index(name) :]
