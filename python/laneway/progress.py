# SPDX-License-Identifier: BSD-3-Clause
"""How a campaign shows that it goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from laneway.campaign import Observer
from laneway.native import NativeBuild


class Plan(Protocol):
    """What is shown of a campaign."""

    @property
    def build(self) -> NativeBuild:
        """The MPI library."""

    @property
    def nodes(self) -> int:
        """Nodes of the job."""

    @property
    def ppn(self) -> int:
        """Ranks a node."""

    @property
    def runs(self) -> int:
        """Runs of mpirun."""


class _Lines:
    """A line when a run has ended: for logs."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self._console = console
        self._plan = plan

    def begin(self, run: int) -> None:
        pass

    def advance(self, done: float) -> None:
        pass

    def end(self, run: int, seconds: float) -> None:
        plan = self._plan
        self._console.print(
            f"{plan.build.library}, {plan.nodes} x {plan.ppn} ranks: run {run} of {plan.runs} took "
            f"{seconds:.1f} s",
            highlight=False,
            soft_wrap=True,
        )


class _Bar:
    """A bar with the time left: for people."""

    def __init__(self, progress: Progress, plan: Plan) -> None:
        self._progress = progress
        self._plan = plan
        self._task = progress.add_task(plan.build.library, total=1.0)

    def begin(self, run: int) -> None:
        plan = self._plan
        self._progress.update(
            self._task,
            description=f"{plan.build.library}, {plan.nodes} x {plan.ppn} ranks, run {run} of "
            f"{plan.runs}",
        )

    def advance(self, done: float) -> None:
        self._progress.update(self._task, completed=done)

    def end(self, run: int, seconds: float) -> None:  # noqa: ARG002
        self.advance(run / self._plan.runs)


@contextlib.contextmanager
def shown(console: Console, plan: Plan) -> Iterator[Observer]:
    """An observer for a campaign: a bar on a terminal, lines elsewhere."""
    if not console.is_terminal:
        yield _Lines(console, plan)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress, plan)
