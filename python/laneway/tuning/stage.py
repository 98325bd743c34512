# SPDX-License-Identifier: BSD-3-Clause
"""A stage: some points, each with its own contestants, measured as a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from laneway.campaign.task import Block, Task, heading, patience, shuffled
from laneway.launching.place import Place, Setting
from laneway.libraries.native import NativeBuild
from laneway.plans.points import BEST, Points
from laneway.rows import NATIVE, TUNED, Row


class TuningPoint(NamedTuple):
    """A collective with so many bytes, as profiles mean them."""

    collective: str
    bytes: int


@dataclass(frozen=True)
class Stage:
    """The points to measure, how long and how often."""

    name: str
    contestants: Mapping[TuningPoint, tuple[str, ...]]
    """Labels as in `laneway compare`, besides native."""
    seconds: float
    """Seconds for each contestant at each point in each run."""
    runs: int
    beaten: Mapping[str, Sequence[TuningPoint]] = field(default_factory=dict)
    """The points at which native does not take part, by further binding."""

    def to_json(self) -> dict[str, Any]:
        """The stage as it is kept in a file."""
        points = [[*point, list(names)] for point, names in self.contestants.items()]
        beaten = {name: [*map(list, own)] for name, own in self.beaten.items()}
        return {"name": self.name, "points": points, "seconds": self.seconds, "runs": self.runs,
                "beaten": beaten}  # fmt: skip

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> Stage:
        """The stage that to_json() has described."""
        points = {TuningPoint(name, size): tuple(names) for name, size, names in kept["points"]}
        listed = kept.get("beaten", {}).items()
        beaten = {name: [TuningPoint(*each) for each in own] for name, own in listed}
        return cls(kept["name"], points, kept["seconds"], kept["runs"], beaten)


@dataclass(frozen=True)
class TuningPlace:
    """The place where stages are measured, and by which library."""

    build: NativeBuild
    setting: Setting
    others: Sequence[Setting]
    """The place under other bindings."""

    def told(self, variables: Mapping[str, str]) -> TuningPlace:
        """The place with these variables in the environment of its ranks."""
        settings = [
            replace(each, place=replace(each.place, variables=tuple(variables.items())))
            for each in (self.setting, *self.others)
        ]
        return TuningPlace(self.build, settings[0], settings[1:])


@dataclass(frozen=True)
class StagePlan:
    """A stage on a machine: a plan for the campaign engine.

    Native takes part beside the contestants, and once more under each further binding under which
    it is not beaten. TUNED does, too, as it is native in some places.
    """

    machine: TuningPlace
    stage: Stage
    seed: int = 1

    @property
    def build(self) -> NativeBuild:
        """The MPI library."""
        return self.machine.build

    @property
    def place(self) -> Place:
        """The place where the stage is measured."""
        return self.machine.setting.place

    @property
    def runs(self) -> int:
        """Runs of mpirun."""
        return self.stage.runs

    @property
    def patience(self) -> float:
        """Seconds of silence after which a job hangs."""
        most = max(map(len, self.stage.contestants.values()), default=1)
        return patience((most + 1) * self.stage.seconds)

    def tasks(self, run: int) -> list[Task]:
        """A job for each binding."""
        own, *others = self.machine.setting, *self.machine.others
        jobs = [self._task(own, run, own=True), *(self._task(each, run) for each in others)]
        return [job for job in jobs if job.blocks]

    def _task(self, setting: Setting, run: int, *, own: bool = False) -> Task:
        beaten = () if own else self.stage.beaten.get(setting.binding, ())
        blocks = [
            block
            for point, names in self.stage.contestants.items()
            if point not in beaten
            for block in self._blocks(point, names if own else _everywhere(names), setting)
        ]
        options = {"seed": str(self.seed), **({} if run == 1 else {"verify": "no"})}
        blocks = shuffled(blocks, self.seed, run, setting.name)
        return Task(setting.name, self.build, setting, blocks, options)

    def _blocks(
        self, point: TuningPoint, names: Sequence[str], setting: Setting
    ) -> Iterator[Block]:
        points = Points((point.collective,), (NATIVE, *names), sizes=(point.bytes,))
        time = f"{(1 + len(names)) * self.stage.seconds:.4g}"
        for block in points.blocks(self.build, setting):
            yield Block(block.id, {**block.options, "time": time})

    def heading(self) -> Row:
        """The heading, see Plan."""
        return heading("tune", self.tasks(1), self.seed)


def _everywhere(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name == TUNED)


def hopeful(point: TuningPoint, machine: TuningPlace) -> tuple[str, ...]:
    """The algorithms that their costs do not rule out at a point, native left aside."""
    points = Points((point.collective,), (BEST,), sizes=(point.bytes,))
    (block,) = points.blocks(machine.build, machine.setting)
    return tuple(block.options["algorithm"].split(","))
