# SPDX-License-Identifier: BSD-3-Clause
"""How a campaign shows that it goes on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from laneway.campaign import Observer, Plan


def _named(plan: Plan) -> str:
    return f"{plan.build.library}, {plan.place.shape} ranks"


class _Lines:
    """An observer that prints a line when a run has ended, for logs."""

    def __init__(self, console: Console, plan: Plan, runs: int) -> None:
        self._console = console
        self._plan = plan
        self._runs = runs

    def begin(self, run: int) -> None:
        pass

    def advance(self, done: float) -> None:
        pass

    def end(self, run: int, seconds: float) -> None:
        self._console.print(
            f"{_named(self._plan)}: run {run} of {self._runs} took {seconds:.1f} s",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )


class _Bar:
    """An observer that shows a bar with the time left, for people."""

    def __init__(self, progress: Progress, plan: Plan, runs: int) -> None:
        self._progress = progress
        self._plan = plan
        self._runs = runs
        self._task = progress.add_task(plan.build.library, total=1.0)

    def begin(self, run: int) -> None:
        text = f"{_named(self._plan)}, run {run} of {self._runs}"
        self._progress.update(self._task, description=text)

    def advance(self, done: float) -> None:
        self._progress.update(self._task, completed=done)

    def end(self, run: int, seconds: float) -> None:  # noqa: ARG002
        self.advance(run / self._runs)


@contextlib.contextmanager
def shown(console: Console, plan: Plan, runs: int) -> Iterator[Observer]:
    """An observer for a campaign of so many runs: a bar on a terminal, lines elsewhere."""
    if not console.is_terminal:
        yield _Lines(console, plan, runs)
        return
    with Progress(*_COLUMNS, console=console, transient=True) as progress:
        yield _Bar(progress, plan, runs)


_COLUMNS = (
    TextColumn("{task.description}", markup=False),
    BarColumn(),
    TaskProgressColumn(),
    TimeRemainingColumn(elapsed_when_finished=True),
)


NOW_AND_THEN = 30.0
"""Seconds between lines, where there is no terminal for a bar."""


class _NowAndThen:
    """A function that prints a line where the last one is long ago."""

    def __init__(self, console: Console, clock: Callable[[], float]) -> None:
        self._console, self._clock = console, clock
        self._last = clock()

    def __call__(self, told: str, part: float) -> None:
        if self._clock() - self._last >= NOW_AND_THEN:
            self._last = self._clock()
            self._console.print(
                f"{part:.0%} done: {told}", highlight=False, markup=False, soft_wrap=True
            )


@contextlib.contextmanager
def of_parts(
    console: Console, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[str, float], None]]:
    """A function to be told the work under way, and which part of all is done.

    It shows a bar on a terminal, a line now and then elsewhere.
    """
    if not console.is_terminal:
        yield _NowAndThen(console, clock)
        return
    with Progress(*_COLUMNS, console=console, transient=True) as progress:
        task = progress.add_task("", total=1.0)
        yield lambda told, part: progress.update(task, description=told, completed=part)
