# SPDX-License-Identifier: BSD-3-Clause
"""The tuner: stages of a race within a budget, confirmed by fresh runs, checked end to end."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from laneway import files
from laneway.campaign import Result
from laneway.campaign.standing import StandingJob
from laneway.choosing.profile import Tuned, profile_text
from laneway.choosing.recommendation import recommendations
from laneway.launching import this_machine
from laneway.libraries import profile, registry
from laneway.plans.points import registered
from laneway.rows import NATIVE, TUNED
from laneway.simulation.forecasts import Tell
from laneway.tuning import race
from laneway.tuning.budget import LOOKING, RUNS, Budget
from laneway.tuning.costs import Costs
from laneway.tuning.outcome import Outcome, conclude, points_of
from laneway.tuning.progress import Tuning
from laneway.tuning.room import StageRoom, in_turn
from laneway.tuning.sizes import COARSE
from laneway.tuning.stage import StagePlan, TuningPlace, TuningPoint, hopeful
from laneway.units import counted

DRAFT = "draft.conf"
"""The profile before it is checked."""

LOOKED = ("screen", *LOOKING)
"""The stages of the race."""


def _tell_nobody(_what: str, _part: float) -> None:
    pass


Measure = Callable[[StagePlan, Path], Result]
"""A function that carries out a stage in a folder, or goes on there."""

SURE = {"confirm": 1, "check": 1}
"""Points of a stage that have all runs, whatever they take: without them there is no profile.

They are twice as many for a program, whose calls lie between two.
"""


@dataclass
class Tuner:
    """Spends a budget of seconds on points."""

    tuning: Tuning
    points: Sequence[TuningPoint]
    budget: float
    machine: TuningPlace
    measure: Measure
    say: Callable[[str], None]
    worth: Mapping[TuningPoint, float] = field(default_factory=dict)
    """The worth of each point to a program: then no other sizes are looked at, and points of most
    worth come first. Empty: all sizes are worth the same."""
    expected: Mapping[TuningPoint, race.Field] = field(default_factory=dict)
    """Times that are expected before anything was measured."""
    telling: Callable[[], AbstractContextManager[Tell]] = lambda: nullcontext(_tell_nobody)
    """The context of a function that is told the work under way and its part done, until measuring
    begins."""

    def __post_init__(self) -> None:
        self.spending = Budget(self.tuning, self.budget)
        self.algorithms = registry.by_key(self.machine.build)
        self.standing = functools.cache(self._standing)

    def limit(self, seconds: float) -> None:
        """Leaves the tuning so many seconds, where they are fewer than its budget."""
        self.spending = Budget(self.tuning, min(self.budget, seconds))

    def outcome(self, tuned: Tuned) -> Outcome | None:
        """Measures the stages not measured yet. Returns the outcome; None where interrupted."""
        looking = {"screen": self._screened, "race": self._race, "closer": self._closer}
        deciding = {"confirm": self._confirmed, "check": lambda: self._checked(tuned)}
        with StandingJob() as one_job:
            if not all(self._stage(*each, one_job) for each in looking.items()):
                return None
            with self._time_kept():
                one_job.end()
        if not all(self._stage(*each) for each in deciding.items()):
            return None
        measured = self.tuning.measured
        confirmed, checked = measured("confirm"), measured("check")
        return conclude(
            confirmed,
            checked,
            self._found(),
            tuned,
            points=self.points,
            standing=self.standing,
            binding=self.machine.setting.bound,
        )

    def _stage(
        self,
        name: str,
        choose: Callable[[], Mapping[TuningPoint, tuple[str, ...]]],
        standing: StandingJob | None = None,
    ) -> bool:
        """Measures a stage, or the rest of it, if there is anything to measure.

        Its runs are fresh jobs, unless a standing one does them.
        """
        tuning = self.tuning
        stage = next((each for each in tuning.stages if each.name == name), None)
        if stage is None:
            chosen = choose()
            stage = self.spending.stage(name, chosen, self._costs(), self.worth)
            able = {point for point, names in chosen.items() if names}
            if name == "race" and stage.runs < RUNS[name]:
                self.say("fewer runs from now on, as starts of jobs take much of the budget")
            if dropped := able - stage.contestants.keys():
                left_out = counted(len(dropped), "point")
                what = "no time to look closer at" if name in LOOKING else "no time for"
                self.say(f"{name}: {what} {left_out}, where least is to be gained")
            tuning.add(stage)
        if not stage.contestants:
            return True
        machine = self.machine
        if name == "check":
            machine = machine.told(profile.alone([tuning.folder / DRAFT]))
        room = StageRoom(
            self.spending.seconds_of(stage),
            self.spending.gains(name, stage.contestants, self._costs(), self.worth),
            SURE.get(name, 0) * (2 if self.worth else 1),
            self.say,
            before=sum(tuning.seconds_of(stage)),
        )
        by_gain = sorted(room.gains, key=lambda point: -room.gains[point])
        order = by_gain if self.worth else in_turn(room.gains)
        plan = StagePlan(machine, stage, standing=standing, order=order)
        plan = replace(plan, leave_out=functools.partial(room.left_out, plan))
        with self._time_kept():
            result = self.measure(plan, tuning.of(stage))
        for failure in result.failures:
            self.say(failure)
        return not result.interrupted

    @contextmanager
    def _time_kept(self) -> Iterator[None]:
        """Keeps the time that goes by besides jobs, also where this is interrupted."""
        tuning = self.tuning
        begun, before = time.monotonic(), tuning.seconds()
        try:
            yield
        finally:
            tuning.beside += max(time.monotonic() - begun - (tuning.seconds() - before), 0.0)
            tuning.keep()

    # ---- who takes part -------------------------------------------------------------------------

    def _screened(self) -> dict[TuningPoint, tuple[str, ...]]:
        begun = time.monotonic()
        found = {}
        # Each call of hopeful() starts processes.
        with ThreadPoolExecutor(max_workers=this_machine.cores()) as pool, self.telling() as tell:
            names = pool.map(lambda point: hopeful(point, self.machine), self.points)
            for point, own in zip(self.points, names, strict=True):
                first = dict.fromkeys([self.standing(point), *own])
                found[point] = (*(name for name in first if name != NATIVE),)
                tell(f"costs of {point.collective}", len(found) / len(self.points))
        self.tuning.thought = round(time.monotonic() - begun, 3)
        return found

    def _race(self) -> dict[TuningPoint, tuple[str, ...]]:
        return self._halved(1.5, 4)

    def _closer(self) -> dict[TuningPoint, tuple[str, ...]]:
        return self._halved(1.15, 2)

    def _halved(self, factor: float, most: int) -> dict[TuningPoint, tuple[str, ...]]:
        """The survivors of each point, and of sizes between two at which the winners differ."""
        found = race.as_rules_see(self._found())
        chosen = {point: self._with_neighbours(race.survivors(own, factor, most), point)
                  for point, own in found.items()}  # fmt: skip
        between = {} if self.worth else race.between(found)
        return self._with_standing({**chosen, **between}, found)

    def _confirmed(self) -> dict[TuningPoint, tuple[str, ...]]:
        found = race.as_rules_see(self._found())
        firsts = {point: names[:2] for point, names in race.serving(found).items()}
        return self._with_standing(race.with_neighbouring_winners(firsts), found)

    def _checked(self, tuned: Tuned) -> dict[TuningPoint, tuple[str, ...]]:
        """The sizes at which the profile chooses; it is written for the purpose."""
        confirmed = self.tuning.measured("confirm")
        rules = recommendations(confirmed, apart=COARSE, binding=self.machine.setting.bound)
        if rules:
            text = profile_text(rules, confirmed, tuned)
            files.replace(self.tuning.folder / DRAFT, text)
        return dict.fromkeys(points_of(rules), (TUNED,))

    def _standing(self, point: TuningPoint) -> str:
        """The algorithm that serves at a point where nobody has tuned."""
        setting = self.machine.setting
        place = setting.place
        # Nodes that are no real ones are all on this machine.
        here = place.ppn if place.kind == "real" else sum(place.processes)
        shape = profile.CommunicatorShape(
            place.nodes,
            place.ppn,
            setting.lanes or 0,
            setting.bound,
            this_machine.sharing(here),
        )
        return profile.standing(self.machine.build, shape, point.collective, point.bytes)

    def _with_standing(
        self, chosen: Mapping[TuningPoint, tuple[str, ...]], found: Mapping[TuningPoint, race.Field]
    ) -> dict[TuningPoint, tuple[str, ...]]:
        """Contestants plus the built-in choice where it looks faster than native or is untried."""
        added = {}
        for point, names in chosen.items():
            standing = self.standing(point)
            untried = {standing: 0.0, NATIVE: math.inf}
            added[point] = race.with_standing(names, standing, found.get(point, untried))
        return added

    def _with_neighbours(self, names: Sequence[str], point: TuningPoint) -> tuple[str, ...]:
        """The names plus labels of the first one with its tunables moved by a step each."""
        if not names:
            return ()
        first = registered(names[0])
        setting = self.machine.setting
        algorithm = self.algorithms[point.collective, first]
        near = race.neighbours(names[0], algorithm, setting.place.ppn, setting.lanes or 0)
        return tuple(dict.fromkeys([*names, *near]))

    # ---- what is known so far ----------------------------------------------------------------

    def _costs(self) -> Costs:
        return Costs(self._found("confirm") or self.expected, self.machine.cases)

    def _found(self, *besides: str) -> dict[TuningPoint, race.Field]:
        """All times of the race so far, and those of other stages."""
        return race.fields(self.tuning.measured(*LOOKED, *besides).summaries)
