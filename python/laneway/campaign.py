# SPDX-License-Identifier: BSD-3-Clause
"""A campaign: the benchmark under mpirun, several times, its rows kept as they come."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TextIO

from laneway.cluster.links import Traffic
from laneway.errors import Misuse, Problem
from laneway.launch import GRACE, Job, Run
from laneway.place import OnCluster, Setting
from laneway.rows import Row, describe, parse

BAD_USAGE = 2
"""Exit code of laneway-bench for a command line that makes no sense."""

RESULTS = Path("laneway-results")


@dataclass(frozen=True)
class Task:
    """A job of a run, and where it takes place."""

    setting: Setting
    job: Job


class Plan(Protocol):
    """What a campaign carries out."""

    @property
    def runs(self) -> int:
        """How often all tasks are done."""

    @property
    def patience(self) -> float:
        """Seconds of silence after which a job hangs."""

    def tasks(self, run: int) -> Sequence[Task]:
        """The jobs of that run, from 1; as many in each."""

    def heading(self) -> Row:
        """The first row of the results."""


class Observer(Protocol):
    """Is told how a campaign goes on."""

    def begin(self, run: int) -> None:
        """Run number `run` starts."""

    def advance(self, done: float) -> None:
        """The share of all runs that is done, from 0 to 1."""

    def end(self, run: int, seconds: float) -> None:
        """Run number `run` ended."""


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


def measure(plan: Plan, folder: Path, observer: Observer) -> Result:
    """Runs the benchmark as planned and keeps every row in `folder`/rows.jsonl as it comes.

    A job that fails is recorded and the next one tried. An interrupt ends the campaign and leaves
    the rows so far in the result. Raises Misuse where the benchmark rejects the plan, Problem where
    it cannot be started or the folder not be written.
    """
    result = Result(folder)
    path = folder / "rows.jsonl"
    if path.exists():
        raise Misuse(f"{folder} holds results already: name another folder with --out")
    heading = plan.heading()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("x", encoding="utf-8", buffering=1)  # a row is kept once it is written
    except OSError as error:
        raise Problem(f"cannot write results to {folder}: {error.strerror}") from error
    with file:
        campaign = _Campaign(plan, result, file, observer)
        campaign.keep(heading)
        try:
            campaign.run()
        except KeyboardInterrupt:
            result.interrupted = True
        except Problem:
            if not result.has_times:
                path.unlink()
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise
    return result


@dataclass
class _Campaign:
    """A plan being carried out."""

    plan: Plan
    result: Result
    file: TextIO
    observer: Observer

    def run(self) -> None:
        for run in range(1, self.plan.runs + 1):
            self.observer.begin(run)
            start = time.monotonic()
            tasks = self.plan.tasks(run)
            for number, task in enumerate(tasks):
                before = task.setting.place.counters()
                try:
                    self._one_job(run, task, number / len(tasks), 1 / len(tasks))
                finally:
                    if before:
                        self.keep(_traffic(run, task.setting, before))
            self.observer.end(run, time.monotonic() - start)

    def keep(self, row: Row) -> None:
        self.result.rows.append(row)
        self.file.write(json.dumps(row) + "\n")

    def _one_job(self, run: int, task: Task, before: float, share: float) -> None:
        """One run of mpirun. It has done its work with its last row; how it ends is its matter."""
        failures = len(self.result.failures)
        with Run(task.job) as running:
            done = False
            try:
                for line in running.lines(self.plan.patience):
                    row = parse(line)
                    if row is None:
                        continue  # launchers, too, write to standard output
                    if row["kind"] != "progress":
                        self._receive(run, task, row)
                        continue
                    part = row["done"] / row["total"]
                    self.observer.advance((run - 1 + before + share * part) / self.plan.runs)
                    if done := part >= 1:
                        break
                for _ in running.lines(GRACE) if done else ():
                    pass
                code = running.wait()
            except TimeoutError:
                if done:  # MPICH 4.0 can hang in MPI_Finalize over UCX's TCP
                    return
                running.end()
                self._failed(f"run {run} hung: no row for {self.plan.patience:.0f} s", running)
                return
            complaint = _complaint(running.errors())
            if code == BAD_USAGE and complaint:
                raise Misuse(complaint)
            if code != 0 and len(self.result.failures) == failures:
                how = f"exit code {code}" if code > 0 else f"signal {-code}"
                self._failed(f"run {run} failed ({how})", running)

    def _receive(self, run: int, task: Task, row: Row) -> None:
        if row["kind"] == "environment":
            launcher = task.job.launcher
            launch = launcher.launch.to_json() if isinstance(launcher, OnCluster) else None
            row = {**row, **task.setting.place.facts(), "launch": launch}
        self.keep(row)
        if row["kind"] == "error":
            self.result.failures.append(f"run {run}: {describe(row)}")

    def _failed(self, what: str, running: Run) -> None:
        """Records a job that gave no complete result, with the end of what it said."""
        tail = "\n".join(running.errors().strip().splitlines()[-15:])
        self.result.failures.append(f"{what}\n{tail}" if tail else what)
        self.keep({"kind": "failure", "message": what, "stderr": tail})


def _complaint(errors: str) -> str | None:
    """The line in which the benchmark itself says what it does not like."""
    mark = "laneway-bench: "
    return next((line[len(mark) :] for line in errors.splitlines() if line.startswith(mark)), None)


def _traffic(run: int, setting: Setting, before: list[list[Traffic]]) -> Row:
    """What the lanes have carried and dropped during a job, [node][lane]."""
    after = setting.place.counters()

    def grown(what: str) -> list[list[int]]:
        return [
            [getattr(last, what) - getattr(first, what) for first, last in zip(*node, strict=True)]
            for node in zip(before, after, strict=True)
        ]

    return {
        "kind": "counters",
        "run": run,
        "lanes": setting.lanes,
        "binding": setting.binding,
        "tx_bytes_before": [[lane.tx for lane in node] for node in before],
        "tx_bytes": grown("tx"),
        "rx_bytes": grown("rx"),
        "drops": grown("drops"),
    }
