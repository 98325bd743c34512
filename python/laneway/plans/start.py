# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that only start, and how long that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laneway.campaign import Block, Task
from laneway.campaign.task import heading, patience
from laneway.launching.place import Place, Setting
from laneway.libraries.native import NativeBuild
from laneway.rows import Row


def start_task(build: NativeBuild, setting: Setting, name: str) -> Task:
    """A job whose ranks end as soon as they have started."""
    return Task(name, build, setting, [Block("start", {"start": ""})], planned=False)


@dataclass(frozen=True)
class StartPlan:
    """Places where jobs are started, one after the other, in each run."""

    build: NativeBuild
    settings: Sequence[Setting]
    runs: int
    silence: float | None = None

    @property
    def place(self) -> Place:
        """The first place."""
        return self.settings[0].place

    @property
    def patience(self) -> float:
        """Seconds of silence after which a start hangs."""
        return self.silence if self.silence is not None else patience(0)

    def tasks(self, run: int) -> list[Task]:  # noqa: ARG002 - all runs are alike
        """A start in each place."""
        return [start_task(self.build, setting, setting.name) for setting in self.settings]

    def heading(self) -> Row:
        """The first row: the command that was given, and the machine."""
        return heading("start", self.tasks(1), 1)
