# SPDX-License-Identifier: BSD-3-Clause
"""The tuner: stages of a race within a budget, confirmed by fresh runs, checked end to end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from laneway import files
from laneway.campaign import Folder, Result
from laneway.choosing.profile import Tuned, profile_text
from laneway.choosing.recommendation import recommendations
from laneway.errors import Misuse, Problem
from laneway.launching import this_machine
from laneway.libraries import registry
from laneway.libraries.profile import alone
from laneway.plans.points import registered
from laneway.results.measurements import Measured, read
from laneway.rows import NATIVE, TUNED
from laneway.tuning import race
from laneway.tuning.outcome import Outcome, conclude, points_of
from laneway.tuning.sizes import COARSE
from laneway.tuning.stage import Machine, Point, Stage, StagePlan, hopeful
from laneway.units import counted

DRAFT = "draft.conf"
"""The profile before it is checked."""

STATE = "tune.json"
"""The file of a tuning's folder that tells its options and stages."""

SHARES = {"screen": 0.35, "race": 0.2, "closer": 0.15, "confirm": 0.2, "check": 0.1}
"""Of the budget, for the stages in their order."""

RUNS = {"screen": 1, "race": 2, "closer": 2, "confirm": 6, "check": 5}
"""Of mpirun. With six, exact tests can decide."""

MOST = {"screen": 0.1, "race": 0.2, "closer": 0.3, "confirm": 0.5, "check": 0.5}
"""Seconds for a contestant at a point in a run, at most: then the next stage has more of it."""

START = 3.0
"""Seconds that a job takes to start, until one has been timed."""

LEAST = 0.01
"""Seconds for a contestant at a point in a run, at least."""

REPETITIONS = 4
"""Of a contestant in a run, about, where calls are long: warm-up and the check of its result."""

Tell = Callable[[str, float], None]


def _tell_nobody(_what: str, _part: float) -> None:
    pass


Measure = Callable[[StagePlan, Path], Result]
"""Carries out a stage in a folder, or goes on there."""


@dataclass
class Tuning:
    """What a tuning is about, and its stages so far: all that is needed to go on."""

    folder: Path
    options: Mapping[str, Any]
    stages: list[Stage] = field(default_factory=list)
    thought: float = 0.0
    """Seconds that were spent on costs, before anything was measured."""

    @classmethod
    def begin(cls, folder: Path, options: Mapping[str, Any]) -> Tuning:
        """A new one, or the one that was begun in this folder with the same options.

        Raises Misuse where it was begun with others, Problem where it cannot be read.
        """
        path = folder / STATE
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            stages = [Stage.of_json(each) for each in kept["stages"]]
            others = [name for name in options if kept["options"].get(name) != options[name]]
        except FileNotFoundError:
            if folder.is_dir() and any(folder.iterdir()):
                raise Misuse(
                    f"{folder} holds something else: name a new folder with --out"
                ) from None
            return cls(folder, options)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Problem(f"{path} is damaged ({error}): name a new folder with --out") from error
        if others:
            told = ", ".join(f"--{name} was {kept['options'].get(name)}" for name in others)
            raise Misuse(f"{folder} was begun with other options: {told}")
        return cls(folder, options, stages, float(kept.get("thought", 0)))

    def add(self, stage: Stage) -> None:
        """Keeps what is to be measured next."""
        self.stages.append(stage)
        stages = [each.to_json() for each in self.stages]
        kept = {"options": dict(self.options), "thought": self.thought, "stages": stages}
        files.replace(self.folder / STATE, json.dumps(kept, indent=1) + "\n")

    def of(self, stage: Stage) -> Path:
        """The folder of a stage."""
        return self.folder / f"{self.stages.index(stage) + 1}-{stage.name}"

    def measured(self, *names: str) -> Measured:
        """What the stages of these names have measured; nothing where they have not."""
        folders = [self.of(each) for each in self.stages if each.name in names]
        return read([each for each in folders if Folder(each).raw.exists()])

    def seconds(self) -> float:
        """That all jobs have taken so far, and the costs."""
        return self.thought + sum(self._seconds("end"))

    def start(self) -> float:
        """Seconds that a job takes besides its blocks."""
        jobs = self._seconds("end")
        return max(0.5, (sum(jobs) - sum(self._seconds("block"))) / len(jobs)) if jobs else START

    def seconds_of(self, stage: Stage, kind: str = "end") -> list[float]:
        """That each job (`end`) or `block` of a stage has taken."""
        rows = Folder(self.of(stage)).all_rows()
        return [float(row.get("seconds", 0)) for row in rows if row["kind"] == kind]

    def _seconds(self, kind: str) -> list[float]:
        """The same of all stages."""
        return [time for stage in self.stages for time in self.seconds_of(stage, kind)]


@dataclass
class Tuner:
    """Spends a budget of seconds on points."""

    tuning: Tuning
    points: Sequence[Point]
    budget: float
    machine: Machine
    measure: Measure
    say: Callable[[str], None]
    worth: Mapping[Point, float] = field(default_factory=dict)
    """What each point is to a program: then no other sizes are looked at, and what is most comes
    first. Empty: all sizes are worth the same."""
    telling: Callable[[], AbstractContextManager[Tell]] = lambda: nullcontext(_tell_nobody)
    """Whom to tell, before anything is measured, what is under way and which part of it is done."""

    def __post_init__(self) -> None:
        self.bindings = 1 + len(self.machine.others)
        self.algorithms = {entry.key: entry for entry in registry.load(self.machine.build)}

    def outcome(self, tuned: Tuned) -> Outcome | None:
        """Measures what is not measured yet: what it comes to; None where it was interrupted."""
        for name, choose in (
            ("screen", self._screened),
            ("race", self._race),
            ("closer", self._closer),
            ("confirm", self._confirmed),
            ("check", lambda: self._checked(tuned)),
        ):
            if not self._stage(name, choose):
                return None
        measured = self.tuning.measured
        return conclude(measured("confirm"), measured("check"), self._found(), tuned)

    def _stage(self, name: str, choose: Callable[[], Mapping[Point, tuple[str, ...]]]) -> bool:
        """Measures a stage, or what of it is left; nothing where there is nothing to measure."""
        tuning = self.tuning
        stage = next((each for each in tuning.stages if each.name == name), None)
        if stage is None:
            stage = self._within_budget(name, choose())
            tuning.add(stage)
        if not stage.contestants:
            return True
        machine = self.machine
        if name == "check":
            machine = machine.told(alone([tuning.folder / DRAFT]))
        result = self.measure(StagePlan(machine, stage), tuning.of(stage))
        for failure in result.failures:
            self.say(failure)
        return not result.interrupted

    # ---- who takes part -------------------------------------------------------------------------

    def _screened(self) -> dict[Point, tuple[str, ...]]:
        begun = time.monotonic()
        found = {}
        # Each starts processes.
        with ThreadPoolExecutor(max_workers=this_machine.cores()) as pool, self.telling() as tell:
            names = pool.map(lambda point: hopeful(point, self.machine), self.points)
            for point, own in zip(self.points, names, strict=True):
                found[point] = own
                tell(f"costs of {point.collective}", len(found) / len(self.points))
        self.tuning.thought = round(time.monotonic() - begun, 3)
        return found

    def _race(self) -> dict[Point, tuple[str, ...]]:
        found = race.fields(self.tuning.measured("screen").summaries)
        chosen = {point: self._with_neighbours(race.survivors(own, 1.5, 4), point)
                  for point, own in found.items()}  # fmt: skip
        return {**chosen, **({} if self.worth else race.between(found))}

    def _closer(self) -> dict[Point, tuple[str, ...]]:
        found = self._found()
        chosen = {point: self._with_neighbours(race.survivors(own, 1.15, 2), point)
                  for point, own in found.items()}  # fmt: skip
        return {**chosen, **({} if self.worth else race.between(found))}

    def _confirmed(self) -> dict[Point, tuple[str, ...]]:
        found = race.fields(self.tuning.measured("race", "closer").summaries)
        chosen = {point: race.ranked(own)[:2] for point, own in found.items()}
        return race.with_neighbouring_winners(chosen)

    def _checked(self, tuned: Tuned) -> dict[Point, tuple[str, ...]]:
        """The sizes at which the profile chooses, which is written for the purpose."""
        confirmed = self.tuning.measured("confirm")
        rules = recommendations(confirmed, apart=COARSE)
        if rules:
            text = profile_text(rules, confirmed, tuned)
            files.replace(self.tuning.folder / DRAFT, text)
        return dict.fromkeys(points_of(rules), (TUNED,))

    def _with_neighbours(self, names: Sequence[str], point: Point) -> tuple[str, ...]:
        """With the first one's tunables moved by a step each."""
        if not names:
            return ()
        first = registered(names[0])
        near = race.neighbours(names[0], self.algorithms[point.collective, first])
        return tuple(dict.fromkeys([*names, *near]))

    # ---- within the budget ----------------------------------------------------------------------

    def _within_budget(self, name: str, chosen: Mapping[Point, tuple[str, ...]]) -> Stage:
        """As long as the stage's share allows; too short: fewer contestants, then fewer points.

        Points at which there is most to be gained are the last to go.
        """
        unknown = 1.0 if self.tuning.stages else 2.0
        runs = RUNS[name]
        left = dict(chosen)
        found = self._found() if self.tuning.stages else {}
        times = {point: own[NATIVE] / 1e6 for point, own in found.items() if NATIVE in own}
        promise = {point: own[NATIVE] / min(own.values()) for point, own in found.items()
                   if NATIVE in own}  # fmt: skip

        def gain(point: Point) -> float:
            return self.worth.get(point, 1.0) * (promise.get(point, unknown) - 1)

        allowed = self._share(name) / runs - self.bindings * self.tuning.start()
        most = max(map(len, chosen.values()), default=0)
        while left and _cost(left, times, LEAST, self.bindings) > allowed:
            if most > 1:
                most -= 1
                left = {point: names[:most] for point, names in left.items()}
            else:
                left.pop(min(left, key=gain))
        left = {point: names for point, names in left.items() if names}
        if dropped := {point for point, own in chosen.items() if own} - left.keys():
            self.say(
                f"{name}: no time for {counted(len(dropped), 'point')}, where least is to be gained"
            )
        pace = LEAST
        while left and pace < MOST[name]:
            if _cost(left, times, 1.2 * pace, self.bindings) > allowed:
                break
            pace *= 1.2
        return Stage(name, left, round(pace, 4), runs)

    def _share(self, name: str) -> float:
        """Seconds: of what is left of the budget, as much as the later stages leave over.

        What their jobs take to start comes first: without runs that confirm there is no profile.
        """
        names = [*SHARES]
        later = names[names.index(name) :]
        start = self.bindings * self.tuning.start()
        left = self.budget - self.tuning.seconds() - start * sum(RUNS[each] for each in later)
        return RUNS[name] * start + left * SHARES[name] / sum(SHARES[each] for each in later)

    def _found(self) -> dict[Point, race.Field]:
        """All times of the race so far."""
        return race.fields(self.tuning.measured("screen", "race", "closer").summaries)


def _cost(
    chosen: Mapping[Point, tuple[str, ...]],
    times: Mapping[Point, float],
    pace: float,
    bindings: int,
) -> float:
    """Seconds of a run: contestants and native, native again under each further binding."""
    return sum(
        (len(names) + bindings) * max(pace, REPETITIONS * times.get(point, 0.0))
        for point, names in chosen.items()
        if names
    )
