# SPDX-License-Identifier: BSD-3-Clause
"""A stage: some points, each with its own contestants, measured as a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from laneway.campaign.engine import LeaveOut
from laneway.campaign.standing import StandingJob
from laneway.campaign.task import Block, Task, heading, patience, shuffled
from laneway.collectives import EQUAL, VECTORS, blocking
from laneway.launching.place import Place, Setting
from laneway.libraries.native import NativeBuild
from laneway.plans.points import BEST, Points
from laneway.rows import NATIVE, Row


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

    def to_json(self) -> dict[str, Any]:
        """The stage as it is kept in a file."""
        points = [[*point, list(names)] for point, names in self.contestants.items()]
        return {"name": self.name, "points": points, "seconds": self.seconds, "runs": self.runs}

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> Stage:
        """The stage that to_json() has described."""
        points = {TuningPoint(name, size): tuple(names) for name, size, names in kept["points"]}
        return cls(kept["name"], points, kept["seconds"], kept["runs"])


@dataclass(frozen=True)
class TuningPlace:
    """The place where stages are measured, and by which library."""

    build: NativeBuild
    setting: Setting
    layouts: tuple[str, ...] = (EQUAL,)
    """Layouts of the blocks of vector collectives, each of which is measured at each point."""

    def cases(self, collective: str) -> int:
        """How many cases a point of a collective is measured in."""
        return len(self.layouts) if blocking(collective) in VECTORS else 1

    def points(self, point: TuningPoint, names: Sequence[str]) -> Points:
        """A point with contestants, as it is measured here."""
        return Points((point.collective,), (*names,), sizes=(point.bytes,), layouts=self.layouts)

    def told(self, variables: Mapping[str, str]) -> TuningPlace:
        """The place with these variables in the environment of its ranks."""
        place = replace(self.setting.place, variables=tuple(variables.items()))
        return replace(self, setting=replace(self.setting, place=place))


@dataclass(frozen=True)
class StagePlan:
    """A stage on a machine: a plan for the campaign engine.

    Native takes part beside the contestants, with the same binding.
    """

    machine: TuningPlace
    stage: Stage
    seed: int = 1
    leave_out: LeaveOut = lambda _run, _rows: ()
    """The blocks that a run goes without: those that there is no time for any more."""
    standing: StandingJob | None = None
    """The job that does all runs of the stage, and of others; None: each run has a fresh one."""
    order: Sequence[TuningPoint] = ()
    """The points in the order in which a standing job measures them."""

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

    def points_of_blocks(self) -> dict[str, TuningPoint]:
        """The points by the names of their blocks."""
        return {
            block.id: point
            for point, names in self.stage.contestants.items()
            for block in self._blocks(point, names, self.machine.setting)
        }

    def tasks(self, run: int) -> list[Task]:
        """The job of a run."""
        setting = self.machine.setting
        blocks = [
            block
            for point in dict.fromkeys([*self.order, *self.stage.contestants])
            if point in self.stage.contestants
            for block in self._blocks(point, self.stage.contestants[point], setting)
        ]
        options = {"seed": str(self.seed), **({} if run == 1 else {"verify": "no"})}
        if not self.standing:
            blocks = shuffled(blocks, self.seed, run, setting.name)
        return [Task(setting.name, self.build, setting, blocks, options)] if blocks else []

    def _blocks(
        self, point: TuningPoint, names: Sequence[str], setting: Setting
    ) -> Iterator[Block]:
        points = self.machine.points(point, (NATIVE, *names))
        time = f"{(1 + len(names)) * self.stage.seconds:.4g}"
        for block in points.blocks(self.build, setting):
            yield Block(block.id, {**block.options, "time": time})

    def heading(self) -> Row:
        """The heading, see Plan."""
        return heading("tune", self.tasks(1), self.seed)


def hopeful(point: TuningPoint, machine: TuningPlace) -> tuple[str, ...]:
    """The algorithms that their costs do not rule out at a point, native left aside."""
    blocks = machine.points(point, (BEST,)).blocks(machine.build, machine.setting)
    return (*dict.fromkeys(",".join(block.options["algorithm"] for block in blocks).split(",")),)
