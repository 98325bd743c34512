# SPDX-License-Identifier: BSD-3-Clause
"""A job that stays when its blocks are done: later ones are handed to it and start none."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from laneway import files
from laneway.campaign.task import Block, Task
from laneway.launching.launchers import Job
from laneway.launching.run import GRACE, Run
from laneway.rows import Row


@dataclass
class StandingJob:
    """A job of the benchmark that waits for more blocks, or none yet; ends with its context.

    It is for stages in one place, of one library, that need no fresh jobs.
    """

    environment: Row | None = None
    """The row in which its ranks have said what they found."""

    def __post_init__(self) -> None:
        self._running: Run | None = None
        self._job: Job | None = None
        self._file = Path()
        self._kept = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def serving(self, task: Task) -> Run | None:
        """The job, if it waits where a task is to be done, and has not died meanwhile."""
        fits = self._running and self._job == _anywhere(task) and self._running.lives
        return self._running if fits else None

    def start(self, task: Task, run: int, file: Path, blocks: Iterable[Block]) -> Run:
        """Starts a job that does blocks by their file, and then stays."""
        self.end()
        files.replace(file, _lines(blocks))
        self._job, self._file = _anywhere(task), file
        lasting = replace(task, options={**task.options, "more": ""})
        self._running = self._kept.enter_context(Run(lasting.job(run, file)))
        return self._running

    def hand(self, task: Task, seed: int, blocks: Iterable[Block]) -> None:
        """Hands blocks to the job that is serving; `seed` tells their order from earlier ones'."""
        options = {**task.options, "seed": str(seed)}
        self._add(replace(block, options={**options, **block.options}) for block in blocks)

    def end(self, *, at_once: bool = False) -> None:
        """Ends the job, if there is one: it has nothing more to do, or is `at_once` to stop."""
        try:
            if self._running and not at_once:
                with suppress(OSError, TimeoutError):  # it may have failed, and its folder be gone
                    self._add(())
                    self._running.wait(GRACE)
        finally:
            self._running, self.environment = None, None
            self._kept.close()

    def _add(self, blocks: Iterable[Block]) -> None:
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(_lines(blocks))


def _anywhere(task: Task) -> Job:
    """A task's job, whatever its blocks: equal for those that one job can do."""
    return replace(task, options={}, blocks=()).job(1, Path())


def _lines(blocks: Iterable[Block]) -> str:
    """The lines of blocks in a plan; the empty one says that these are all for now."""
    return "".join(f"{block.line()}\n" for block in blocks) + "\n"
