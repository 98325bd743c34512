# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a campaign: runs of tasks of blocks."""

from __future__ import annotations

import hashlib
import os
import random
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import laneway
from laneway.collectives import OF_A_FILE
from laneway.launching import this_machine
from laneway.launching.launchers import Job
from laneway.launching.place import Place, Setting
from laneway.libraries.native import NativeBuild
from laneway.rows import FORCED, Row


@dataclass(frozen=True)
class Block:
    """The work that is measured in one go; at most one block is lost when a campaign is killed."""

    id: str
    """The block's name: without blanks, unique within a task."""
    options: Mapping[str, str]
    """Options of laneway-bench, without blanks: those that tell this block from others."""

    def line(self) -> str:
        """The block's line in a file for `laneway-bench --plan`."""
        return " ".join([self.id, *_words(self.options)])

    def meaning(self) -> str:
        """The line, and the digest of a file of counts: its counts may be others by now."""
        layout = self.options.get("layout", "")
        if not layout.startswith(OF_A_FILE):
            return self.line()
        try:
            counts = Path(layout.removeprefix(OF_A_FILE)).read_bytes()
        except OSError:  # the benchmark says so
            return self.line()
        return f"{self.line()} # {hashlib.sha256(counts).hexdigest()}"


def _words(options: Mapping[str, str]) -> list[str]:
    return [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()]


def shuffled(blocks: Sequence[Block], seed: int, run: int, task: str) -> list[Block]:
    """The blocks in their order in a run of a task: always the same for the same arguments."""
    order = [*blocks]
    random.Random(f"{seed}/{run}/{task}").shuffle(order)  # noqa: S311 - nothing to guess here
    return order


@dataclass(frozen=True)
class Task:
    """The work of one job of a run: blocks, one after the other, in one place.

    All of it is done by one start of the launcher, unless a block brings the job down.
    """

    name: str
    """The task's name: unique within a run, the same in all runs."""
    build: NativeBuild
    setting: Setting
    blocks: Sequence[Block]
    """The blocks in the order in which they are done."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options of laneway-bench, for all blocks."""
    planned: bool = True
    """Whether the blocks are handed over in a file; otherwise there is one, which is the job."""
    drops: bool = False
    """Whether algorithms that the first run has dropped are left out of the other runs."""

    def job(self, run: int, file: Path) -> Job:
        """The job of run number `run` that does the blocks in `file`."""
        place = self.setting.place
        starts = place.starts if self.planned else {}  # the others repeat no case
        options = {**starts, **self.options, "binding": self.setting.binding, "run": str(run)}
        if place.placement != "node":
            options["placement"] = place.placement
        if place.threads > 1:
            options["threads"] = str(place.threads)
        what = {"plan": str(file)} if self.planned else self.blocks[0].options
        algorithms = (block.options.get("algorithm", "") for block in self.blocks)
        if self.planned and any(FORCED in names for names in algorithms):
            options["forces"] = ""
        program = [str(self.build.bench), *_words({**options, **what})]
        return place.job(self.build, program, self.setting.lanes, self.setting.binding)


def heading(name: str, tasks: Sequence[Task], seed: int) -> Row:
    """The first row of a campaign: its name, the command that was given, and the machine."""
    jobs = [task.job(1, Path("BLOCKS")) for task in tasks]
    place = tasks[0].setting.place
    return {
        "kind": "campaign",
        "name": name,
        "command": shlex.join(["laneway", *sys.argv[1:]]),
        "job": shlex.join(jobs[0].command()),
        "laneway": laneway.__version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": seed,
        "oversubscribed": any(job.oversubscribed for job in jobs),
        "machine": this_machine.facts(),
        **({} if place.real else {"load": round(os.getloadavg()[0], 2)}),  # before any job of ours
        **place.facts(),
    }


def meaning(plan: Plan) -> dict[str, Any]:
    """The work of the benchmark by task: blocks, and options that hold for all of them.

    It is that of the second run, as the first run alone may check results.
    """
    tasks = plan.tasks(2)
    return {
        "blocks": {task.name: sorted(block.meaning() for block in task.blocks) for task in tasks},
        "options": {task.name: dict(task.options) for task in tasks},
    }


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """The changes of a plan's meaning, a line for each fact; `before` may hold more."""
    for task in sorted({*before["blocks"], *now["blocks"]}):
        if task not in now["blocks"] or task not in before["blocks"]:
            yield f"{task} {'is new' if task in now['blocks'] else 'is gone'}"
            continue
        old, new = ({*facts["blocks"][task]} for facts in (before, now))
        yield from (f"gone: {line}" for line in sorted(old - new))
        yield from (f"new: {line}" for line in sorted(new - old))
        was, is_ = (facts.get("options", now["options"])[task] for facts in (before, now))
        yield from (
            f"{name} was {was.get(name, 'not set')}, is {is_.get(name, 'not set')}"
            for name in sorted({*was, *is_})
            if was.get(name) != is_.get(name)
        )


def patience(seconds: float) -> float:
    """Seconds of silence after which a job hangs whose blocks take so many `seconds`.

    Rows come at the end of a block, but starting, and checking the results of large counts, brings
    none.
    """
    return 60 + 10 * seconds


class Plan(Protocol):
    """The plan that a campaign carries out."""

    @property
    def build(self) -> NativeBuild:
        """The MPI library, for naming the plan; of several, the first."""

    @property
    def place(self) -> Place:
        """The place where the plan is carried out; of several, the first."""

    @property
    def runs(self) -> int:
        """How often all tasks are done."""

    @property
    def patience(self) -> float:
        """Seconds of silence after which a job hangs."""

    def tasks(self, run: int) -> Sequence[Task]:
        """The tasks of a run, from 1: the same in each run, the blocks in an order of its own."""

    def heading(self) -> Row:
        """The row about the whole: kind, command, and whatever else a reader must know."""


class Observer(Protocol):
    """An observer is told how a campaign goes on."""

    def begin(self, run: int) -> None:
        """Run number `run` starts."""

    def advance(self, done: float) -> None:
        """The share of all runs that is done, from 0 to 1."""

    def end(self, run: int, seconds: float) -> None:
        """Run number `run` ended."""
