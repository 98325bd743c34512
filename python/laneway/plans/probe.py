# SPDX-License-Identifier: BSD-3-Clause
"""A campaign of one of the benchmark's probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laneway.campaign import Block, Task
from laneway.campaign.task import heading, patience
from laneway.launching.place import Place, Setting
from laneway.libraries.native import NativeBuild
from laneway.rows import Row


@dataclass(frozen=True)
class ProbePlan:
    """A probe, where it runs, and how long it may take."""

    build: NativeBuild
    probe: str
    settings: Sequence[Setting]
    """Each setting is measured in every run, in this order."""
    virtual_lanes: Sequence[int]
    counts: Sequence[int]
    collectives: Sequence[str] = ()
    """Empty: those that the probe runs by itself."""
    inner_repetitions: int | None = None
    runs: int = 3
    seconds: float = 2.0
    """The seconds for each count, shared by the virtual lanes."""
    repetitions: int = 20
    seed: int = 1
    silence: float | None = None

    @property
    def place(self) -> Place:
        """The place where it runs: settings differ in lanes alone."""
        return self.settings[0].place

    @property
    def patience(self) -> float:
        """Seconds of silence after which a run hangs."""
        return self.silence if self.silence is not None else patience(self.seconds)

    def tasks(self, run: int) -> list[Task]:  # noqa: ARG002 - all runs are alike
        """The jobs of run number `run`, from 1."""
        return [self._task(setting) for setting in self.settings]

    def _task(self, setting: Setting) -> Task:
        options = {
            "probe": self.probe,
            "virtual-lanes": ",".join(map(str, self.virtual_lanes)),
            "count": ",".join(map(str, self.counts)),
            "time": str(self.seconds),
            "repetitions": str(self.repetitions),
            "seed": str(self.seed),
        }
        if self.collectives:
            options["collective"] = ",".join(self.collectives)
        if self.inner_repetitions:
            options["inner-repetitions"] = str(self.inner_repetitions)
        block = Block(self.probe, options)
        return Task(setting.name, self.build, setting, [block], planned=False)

    def heading(self) -> Row:
        """The first row: the command that was given, the machine, the cluster."""
        return heading(f"probe {self.probe}", self.tasks(1), self.seed)
