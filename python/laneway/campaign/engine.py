# SPDX-License-Identifier: BSD-3-Clause
"""Carrying out a campaign: one start of the launcher for each task of a run, watched."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from laneway.campaign import environment, files
from laneway.campaign.folder import Done, Folder, Journal
from laneway.campaign.task import Block, Observer, Plan, Task
from laneway.cluster.links import Traffic
from laneway.errors import Misuse, Problem
from laneway.launch import GRACE, Run
from laneway.place import OnCluster, Setting
from laneway.rows import Row, describe, parse

BAD_USAGE = 2
"""Exit code of laneway-bench for a command line that makes no sense."""

WRONG_RESULT = 1
"""Its exit code where everything was done, but some result was not that of the library."""

PATIENCE_WITH_A_BLOCK = 2
"""A block that brought down its job in so many runs is left out of the others."""

RESULTS = Path("laneway-results")


@dataclass
class Result:
    """What a campaign left, complete or not."""

    folder: Path
    rows: list[Row] = field(default_factory=list)
    """All of them, but for those that only told the progress."""
    failures: list[str] = field(default_factory=list)
    """What went wrong, a run or a wrong result each."""
    interrupted: bool = False

    @property
    def has_times(self) -> bool:
        """Whether anything was measured."""
        return any("time_us" in row for row in self.rows)


def new_folder(name: str) -> Path:
    """A folder for results that does not exist yet, named by what they are and the time."""
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    return RESULTS / f"{name}-{stamp}"


def measure(
    plan: Plan,
    path: Path,
    observer: Observer,
    *,
    resume: bool = False,
    force: bool = False,
    text: str | None = None,
) -> Result:
    """Carries out what of a plan is not done yet, and keeps every row in the folder `path`.

    A job that fails or hangs is recorded, and the next one tried. An interrupt ends the campaign;
    `resume` goes on with it. `force` goes on in another environment as well. `text` is the plan as
    the user wrote it. Raises Misuse where the benchmark rejects the plan or the folder holds other
    results, Problem where nothing can be started, the folder not be written, or the environment is
    no longer what it was.
    """
    folder = Folder(path)
    result = Result(path)
    with folder.locked():
        if not resume:
            folder.refuse_if_taken()
        try:
            changes = _prepare(folder, plan, resume=resume, force=force, text=text)
            with folder.writing() as journal:
                campaign = _Campaign(plan, folder, result, journal, observer, force=force)
                if next(folder.all_rows(), None) is None:
                    campaign.keep(plan.heading())
                if changes:
                    campaign.keep({"kind": "changed", "date": _now(), "changes": changes})
                campaign.run()
        except KeyboardInterrupt:
            result.interrupted = True
        except Problem:
            if not resume and not result.has_times:
                folder.remove()
            raise
    return result


def _prepare(
    folder: Folder, plan: Plan, *, resume: bool, force: bool, text: str | None
) -> list[str]:
    """Writes the manifest, or holds the environment against it: what has changed."""
    tasks = plan.tasks(1)
    now = environment.facts(
        {task.build.id: task.build for task in tasks}.values(),
        {task.setting.name: task.setting.place for task in tasks},
    )
    if not resume:
        blocks = {task.name: sorted(block.line() for block in task.blocks) for task in tasks}
        head = {key: value for key, value in plan.heading().items() if key != "kind"}
        folder.create({**head, "runs": plan.runs, "blocks": blocks, "environment": now}, text)
        return []
    changes = [*environment.differences(folder.manifest["environment"], now)]
    if changes and not force:
        raise Problem(_changed(changes, folder.path))
    return changes


def _changed(changes: Sequence[str], path: Path) -> str:
    listed = "\n  ".join(changes)
    return (
        f"the environment is not that of the campaign so far:\n  {listed}\n"
        "Times from both would not be of one kind. Restore it, start a new campaign, or go on "
        f"knowingly: laneway campaign resume --force {path}"
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class _Campaign:
    """A plan being carried out."""

    def __init__(
        self,
        plan: Plan,
        folder: Folder,
        result: Result,
        journal: Journal,
        observer: Observer,
        *,
        force: bool,
    ) -> None:
        self.plan = plan
        self.folder = folder
        self.result = result
        self.journal = journal
        self.observer = observer
        self.force = force
        self.done = folder.done()
        self.culprits: Counter[tuple[str, str]] = Counter()
        self.seen: dict[str, dict[str, Any]] = {}
        self.launches = 0
        for row in folder.all_rows():
            self.launches = max(self.launches, row.get("launch", 0))
            if row["kind"] == "environment":
                self.seen.setdefault(row["task"], environment.of_ranks(row))

    def run(self) -> None:
        for run in range(1, self.plan.runs + 1):
            tasks = self.plan.tasks(run)
            if not any(self._todo(run, task) for task in tasks):
                continue
            self.observer.begin(run)
            start = time.monotonic()
            for number, task in enumerate(tasks):
                self.work = (run - 1 + number / len(tasks), 1 / len(tasks))
                self._task(run, task)
            self.observer.end(run, time.monotonic() - start)

    def keep(self, row: Row) -> None:
        self.result.rows.append(row)
        self.journal.keep(row)

    def _todo(self, run: int, task: Task) -> list[Block]:
        return [
            block
            for block in task.blocks
            if Done(run, task.name, block.id) not in self.done
            and self.culprits[task.name, block.id] < PATIENCE_WITH_A_BLOCK
        ]

    def _task(self, run: int, task: Task) -> None:
        """Starts the launcher until all blocks are done, without those that bring a job down.

        Where the benchmark did not even begin, or two starts one after the other achieved nothing,
        the run is given up.
        """
        blocks = self._todo(run, task)
        futile = 0
        while blocks and futile < 2:
            before = len(self.done)
            launch = _Launch(self, run, task, blocks)
            launch.go()
            left = [block for block in self._todo(run, task) if block in blocks]
            if left and not launch.good:
                self.culprits[task.name, left[0].id] += 1
            if not launch.began:
                return
            futile = 0 if len(self.done) > before else futile + 1
            blocks = left[1:]

    def advance(self, done: float) -> None:
        """Tells the share of all runs that is done, `done` being that of the task."""
        before, share = self.work
        self.observer.advance((before + share * done) / self.plan.runs)


@dataclass
class _Launch:
    """One start of the launcher.

    It has done its work with its last row; how it ends is its own matter: MPICH 4.0 can hang in
    MPI_Finalize over UCX's TCP.
    """

    campaign: _Campaign
    run: int
    task: Task
    blocks: Sequence[Block]
    good: bool = False
    """Whether it did all that it was asked for."""
    began: bool = False
    """Whether the benchmark spoke at all."""

    def go(self) -> None:
        campaign, task = self.campaign, self.task
        campaign.launches += 1
        self.number = campaign.launches
        self.failures = len(campaign.result.failures)
        file = campaign.folder.launches / f"{self.number}.txt"
        if task.planned:
            files.replace_text(file, "".join(f"{block.line()}\n" for block in self.blocks))
        before = task.setting.place.counters()
        start = time.monotonic()
        code: int | None = None
        try:
            with Run(task.job(self.run, file.absolute())) as running:
                self.running = running
                code = self._watch()
        finally:
            if before:
                self._keep(_traffic(task.setting, before))
            seconds = round(time.monotonic() - start, 3)
            self._keep({"kind": "end", "code": code, "seconds": seconds})

    def _keep(self, row: Row) -> None:
        self.campaign.keep({**row, "run": self.run, "launch": self.number})

    def _watch(self) -> int | None:
        """Takes the rows in until the job ends: its exit code; None where it had to be ended."""
        running, patience = self.running, self.campaign.plan.patience
        try:
            for line in running.lines(patience):
                row = parse(line)  # launchers, too, write to standard output
                if row is not None and self._receive(row):
                    self.good = True
                    break
            for _ in running.lines(GRACE) if self.good else ():
                pass
            code = running.wait()
        except TimeoutError:
            if self.good:
                return None
            running.end()
            self._failed(f"run {self.run} hung: no row for {patience:.0f} s")
            return None
        complaint = _complaint(running.errors())
        if code == BAD_USAGE and complaint:
            raise Misuse(complaint)
        self.good = self.good and code in (0, WRONG_RESULT)
        if code != 0 and len(self.campaign.result.failures) == self.failures:
            how = f"exit code {code}" if code > 0 else f"signal {-code}"
            self._failed(f"run {self.run} failed ({how})")
        return code

    def _receive(self, row: Row) -> bool:
        """Deals with a row: whether it was the last."""
        if row["kind"] == "progress":
            share = row["done"] / row["total"]
            part = len(self.blocks) / len(self.task.blocks)
            self.campaign.advance(1 - part * (1 - share))
            last = share >= 1
            if last and not self.task.planned:
                self._finished({"kind": "block", "block": self.blocks[0].id})
            return bool(last)
        if row["kind"] == "environment":
            row = self._environment(row)
        elif row["kind"] == "block":
            self._finished(row)
            return False
        elif not self.task.planned:
            row = {**row, "block": self.blocks[0].id}
        self._keep(row)
        if row["kind"] == "error":
            self.campaign.result.failures.append(f"run {self.run}: {describe(row)}")
        return False

    def _environment(self, row: Row) -> Row:
        """What the ranks found, with what they cannot know; held against what they found before."""
        job, task, campaign = self.running.job, self.task, self.campaign
        self.began = True
        found = environment.of_ranks(row)
        first = campaign.seen.setdefault(task.name, found)
        changes = [*environment.differences(first, found)]
        if changes and not campaign.force:
            raise Problem(_changed(changes, campaign.folder.path))
        launcher = job.launcher
        launch = launcher.launch.to_json() if isinstance(launcher, OnCluster) else None
        return {**row, **task.setting.place.facts(), "launched": launch, "task": task.name}

    def _finished(self, row: Row) -> None:
        self._keep({**row, "task": self.task.name})
        self.campaign.done.add(Done(self.run, self.task.name, row["block"]))

    def _failed(self, what: str) -> None:
        """Records a job that gave no complete result, with the end of what it said."""
        tail = "\n".join(self.running.errors().strip().splitlines()[-15:])
        self.campaign.result.failures.append(f"{what}\n{tail}" if tail else what)
        done = self.campaign.done
        under_way = next(
            (b.id for b in self.blocks if Done(self.run, self.task.name, b.id) not in done), None
        )
        self._keep({"kind": "failure", "message": what, "stderr": tail, "during": under_way})


def _complaint(errors: str) -> str | None:
    """The line in which the benchmark itself says what it does not like."""
    mark = "laneway-bench: "
    return next((line[len(mark) :] for line in errors.splitlines() if line.startswith(mark)), None)


def _traffic(setting: Setting, before: list[list[Traffic]]) -> Row:
    """What the lanes have carried and dropped during a job, [node][lane]."""
    after = setting.place.counters()

    def grown(what: str) -> list[list[int]]:
        return [
            [getattr(last, what) - getattr(first, what) for first, last in zip(*node, strict=True)]
            for node in zip(before, after, strict=True)
        ]

    return {
        "kind": "counters",
        "lanes": setting.lanes,
        "binding": setting.binding,
        "tx_bytes_before": [[lane.tx for lane in node] for node in before],
        "tx_bytes": grown("tx"),
        "rx_bytes": grown("rx"),
        "drops": grown("drops"),
    }
