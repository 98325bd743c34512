# SPDX-License-Identifier: BSD-3-Clause
"""A comparison: the benchmark under mpirun, several times, its rows kept as they come."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from laneway import __version__, machine
from laneway.errors import Misuse, Problem
from laneway.launch import Job, Run
from laneway.native import NativeBuild
from laneway.rows import Row, Summary, describe, parse, summarise

BAD_USAGE = 2
"""Exit code of laneway-bench for a command line that makes no sense."""

RESULTS = Path("laneway-results")


@dataclass(frozen=True)
class Plan:
    """What is to be compared, and how long it may take."""

    build: NativeBuild
    collectives: Sequence[str] = ()
    """Empty: all of them."""
    algorithms: Sequence[str] = ("all",)
    counts: Sequence[int] = (1, 1000, 100000)
    datatype: str = "int"
    op: str = "sum"
    root: str = "0"
    """A rank, or `rotate`."""
    nodes: int = 2
    ppn: int = 2
    """Processes a node, consecutive in MPI_COMM_WORLD."""
    lanes: int | None = None
    binding: str = "all"
    runs: int = 3
    """Runs of mpirun."""
    seconds: float = 1.0
    """For each collective and count in each run, shared by the algorithms."""
    repetitions: int = 1000
    """At most, for each algorithm in each run."""
    seed: int = 1
    launcher_options: Sequence[str] = ()
    silence: float | None = None
    """Seconds without a row after which a run is given up; None: by the time of a case."""

    def job(self, run: int) -> Job:
        """The run of that number, from 1."""
        algorithms = [*self.algorithms]
        if not {"all", "native"} & set(algorithms):
            algorithms.append("native")  # what the others are compared with
        options = {
            "collective": ",".join(self.collectives),
            "algorithm": ",".join(algorithms),
            "count": ",".join(map(str, self.counts)),
            "datatype": self.datatype,
            "op": self.op,
            "root": self.root,
            "time": str(self.seconds),
            "repetitions": str(self.repetitions),
            "seed": str(self.seed),
            "binding": self.binding,
            "run": str(run),
        }
        environment = {"LANEWAY_NODE_SIZE": str(self.ppn)}
        if self.lanes is not None:
            environment["LANEWAY_LANES"] = str(self.lanes)
        return Job(
            build=self.build,
            ranks=self.nodes * self.ppn,
            program=[
                str(self.build.bench),
                *(f"--{name}={value}" for name, value in options.items()),
            ],
            environment=environment,
            options=self.launcher_options,
        )

    @property
    def patience(self) -> float:
        """Seconds of silence after which a run hangs.

        Rows come many times in the time of a case, but starting, and checking the results of large
        counts, brings none.
        """
        return self.silence if self.silence is not None else 60 + 10 * self.seconds


class Observer(Protocol):
    """Is told how a comparison goes on."""

    def begin(self, run: int) -> None:
        """Run number `run` starts."""

    def advance(self, done: float) -> None:
        """The share of all runs that is done, from 0 to 1."""

    def end(self, run: int, seconds: float) -> None:
        """Run number `run` ended in good order."""


@dataclass
class Result:
    """What a comparison left, complete or not."""

    folder: Path
    rows: list[Row] = field(default_factory=list)
    """All of them, but for those that only told the progress."""
    failures: list[str] = field(default_factory=list)
    """What went wrong, a run or a wrong result each."""
    interrupted: bool = False

    @property
    def summaries(self) -> list[Summary]:
        """One summary for each algorithm of each case."""
        return summarise(self.rows)


def new_folder(name: str) -> Path:
    """A folder for results that does not exist yet, named by what they are and the time."""
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    return RESULTS / f"{name}-{stamp}"


def compare(plan: Plan, folder: Path, observer: Observer) -> Result:
    """Runs the benchmark as planned and keeps every row in `folder`/rows.jsonl as it comes.

    A run that fails is recorded and the next one tried. An interrupt ends the comparison and leaves
    the rows so far in the result. Raises Misuse where the benchmark rejects the plan, Problem where
    it cannot be started or the folder not be written.
    """
    result = Result(folder)
    path = folder / "rows.jsonl"
    if path.exists():
        raise Misuse(f"{folder} holds results already: name another folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("x", encoding="utf-8", buffering=1)  # a row is kept once it is written
    except OSError as error:
        raise Problem(f"cannot write results to {folder}: {error.strerror}") from error

    def keep(row: Row) -> None:
        result.rows.append(row)
        file.write(json.dumps(row) + "\n")

    with file:
        keep(_heading(plan))
        try:
            for run in range(1, plan.runs + 1):
                _one_run(plan, run, result, keep, observer)
        except KeyboardInterrupt:
            result.interrupted = True
        except Problem:
            if not result.summaries:
                path.unlink()
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise
    return result


class _Keep(Protocol):
    def __call__(self, row: Row) -> None: ...


def _one_run(plan: Plan, run: int, result: Result, keep: _Keep, observer: Observer) -> None:
    job = plan.job(run)
    observer.begin(run)
    with Run(job) as running:
        try:
            for line in running.lines(plan.patience):
                row = parse(line)
                if row is None:
                    continue  # launchers, too, write to standard output
                if row["kind"] == "progress":
                    observer.advance((run - 1 + row["done"] / row["total"]) / plan.runs)
                    continue
                keep(row)
                if row["kind"] == "error":
                    result.failures.append(f"run {run}: {describe(row)}")
            code = running.wait()
        except TimeoutError:
            running.end()
            _failed(f"run {run} hung: no row for {plan.patience:.0f} s", running, result, keep)
            return
        complaint = _complaint(running.errors())
        if code == BAD_USAGE and complaint:
            raise Misuse(complaint)
        wrong = any(row["kind"] == "error" and row["run"] == run for row in result.rows)
        if code != 0 and not wrong:
            how = f"exit code {code}" if code > 0 else f"signal {-code}"
            _failed(f"run {run} failed ({how})", running, result, keep)
            return
        observer.end(run, time.monotonic() - running.started)


def _failed(what: str, running: Run, result: Result, keep: _Keep) -> None:
    """Records a run that gave no complete result, with the end of what it said."""
    tail = "\n".join(running.errors().strip().splitlines()[-15:])
    result.failures.append(f"{what}\n{tail}" if tail else what)
    keep({"kind": "failure", "message": what, "stderr": tail})


def _complaint(errors: str) -> str | None:
    """The line in which the benchmark itself says what it does not like."""
    mark = "laneway-bench: "
    for line in errors.splitlines():
        if line.startswith(mark):
            return line.removeprefix(mark)
    return None


def _heading(plan: Plan) -> Row:
    """The first row of a result: the command that was given, and the machine."""
    return {
        "kind": "comparison",
        "command": shlex.join(["laneway", *sys.argv[1:]]),
        "job": shlex.join(plan.job(1).command()),
        "laneway": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "oversubscribed": plan.job(1).oversubscribed,
        "machine": machine.facts(),
    }
