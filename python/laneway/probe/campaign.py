# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the benchmark's probes, and their rows."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from laneway import __version__, machine
from laneway.cluster.links import Traffic
from laneway.compare import BAD_USAGE, Observer, Result
from laneway.errors import Misuse, Problem
from laneway.launch import GRACE, Job, Run
from laneway.native import NativeBuild
from laneway.place import Place
from laneway.rows import Row, describe, parse


@dataclass(frozen=True)
class Lanes:
    """The lanes that ranks use: how many of a node, and how its ranks share them."""

    count: int | None
    """None: unknown."""
    binding: str


@dataclass(frozen=True)
class Plan:
    """A probe, where it runs, and how long it may take."""

    build: NativeBuild
    place: Place
    probe: str
    lanes: Sequence[Lanes]
    """Each is measured in every run, in this order."""
    virtual_lanes: Sequence[int]
    counts: Sequence[int]
    collectives: Sequence[str] = ()
    """Empty: what the probe runs by itself."""
    inner_repetitions: int | None = None
    runs: int = 3
    seconds: float = 2.0
    """For each count, shared by the virtual lanes."""
    repetitions: int = 20
    seed: int = 1
    silence: float | None = None

    @property
    def nodes(self) -> int:
        """Nodes that ranks run on."""
        return self.place.nodes

    @property
    def ppn(self) -> int:
        """Ranks on each of them."""
        return self.place.ppn

    @property
    def patience(self) -> float:
        """Seconds of silence after which a run hangs: starting and checking bring no rows."""
        return self.silence if self.silence is not None else 60 + 10 * self.seconds

    def job(self, run: int, lanes: Lanes) -> Job:
        """Run number `run`, from 1, over some lanes."""
        options = {
            "probe": self.probe,
            "virtual-lanes": ",".join(map(str, self.virtual_lanes)),
            "count": ",".join(map(str, self.counts)),
            "time": str(self.seconds),
            "repetitions": str(self.repetitions),
            "seed": str(self.seed),
            "binding": lanes.binding,
            "run": str(run),
        }
        if self.collectives:
            options["collective"] = ",".join(self.collectives)
        if self.inner_repetitions:
            options["inner-repetitions"] = str(self.inner_repetitions)
        program = [str(self.build.bench), *(f"--{name}={value}" for name, value in options.items())]
        return self.place.job(self.build, program, lanes.count, lanes.binding)


def measure(plan: Plan, folder: Path, observer: Observer) -> Result:
    """Runs the probe as planned and keeps every row in `folder`/rows.jsonl as it comes.

    A run that fails is recorded and the next one tried; an interrupt leaves the rows so far. Raises
    Misuse where the benchmark rejects the plan, Problem where it cannot be started or the folder
    not be written.
    """
    result = Result(folder)
    path = folder / "rows.jsonl"
    if path.exists():
        raise Misuse(f"{folder} holds results already: name another folder with --out")
    first = _heading(plan)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("x", encoding="utf-8", buffering=1)  # a row is kept once it is written
    except OSError as error:
        raise Problem(f"cannot write results to {folder}: {error.strerror}") from error
    with file:
        campaign = _Campaign(plan, result, file, observer)
        campaign.keep(first)
        before = plan.place.counters()
        try:
            campaign.run()
        except KeyboardInterrupt:
            result.interrupted = True
        try:
            campaign.keep(_traffic(before, plan.place.counters()))
        except Problem as error:
            result.failures.append(str(error))
    return result


@dataclass
class _Campaign:
    """A plan being carried out."""

    plan: Plan
    result: Result
    file: TextIO
    observer: Observer
    jobs_done: int = 0

    def run(self) -> None:
        for run in range(1, self.plan.runs + 1):
            self.observer.begin(run)
            start = time.monotonic()
            for lanes in self.plan.lanes:
                self._one_job(run, lanes)
                self.jobs_done += 1
            self.observer.end(run, time.monotonic() - start)

    def keep(self, row: Row) -> None:
        self.result.rows.append(row)
        self.file.write(json.dumps(row) + "\n")

    def _one_job(self, run: int, lanes: Lanes) -> None:
        """One run of mpirun. It has done its work with its last row; how it ends is its matter."""
        failures = len(self.result.failures)
        with Run(self.plan.job(run, lanes)) as running:
            done = False
            try:
                done = self._read(running, run)
                for _ in running.lines(GRACE) if done else ():
                    pass
                code = running.wait()
            except TimeoutError:
                if done:  # MPICH 4.0 hangs in MPI_Finalize over UCX's TCP
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

    def _read(self, running: Run, run: int) -> bool:
        """Keeps rows up to the last, or to the end: whether there was a last one."""
        for line in running.lines(self.plan.patience):
            row = parse(line)
            if row is None:
                continue  # launchers, too, write to standard output
            if row["kind"] == "progress":
                share = row["done"] / row["total"]
                jobs = self.plan.runs * len(self.plan.lanes)
                self.observer.advance((self.jobs_done + share) / jobs)
                if share >= 1:
                    return True
                continue
            self.keep(row)
            if row["kind"] == "error":
                self.result.failures.append(f"run {run}: {describe(row)}")
        return False

    def _failed(self, what: str, running: Run) -> None:
        """Records a run that gave no complete result, with the end of what it said."""
        tail = "\n".join(running.errors().strip().splitlines()[-15:])
        self.result.failures.append(f"{what}\n{tail}" if tail else what)
        self.keep({"kind": "failure", "message": what, "stderr": tail})


def _complaint(errors: str) -> str | None:
    """The line in which the benchmark itself says what it does not like."""
    mark = "laneway-bench: "
    return next((line[len(mark) :] for line in errors.splitlines() if line.startswith(mark)), None)


def _heading(plan: Plan) -> Row:
    """The first row: the command that was given, the machine, the cluster."""
    return {
        "kind": "campaign",
        "command": shlex.join(["laneway", *sys.argv[1:]]),
        "job": shlex.join(plan.job(1, plan.lanes[0]).command()),
        "laneway": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine.facts(),
        **plan.place.facts(),
    }


def _traffic(before: list[list[Traffic]], after: list[list[Traffic]]) -> Row:
    """The last row: what the lanes carried and dropped meanwhile, [node][lane]."""

    def grown(what: str) -> list[list[int]]:
        return [
            [getattr(last, what) - getattr(first, what) for first, last in zip(*node, strict=True)]
            for node in zip(before, after, strict=True)
        ]

    return {
        "kind": "counters",
        "tx_bytes": grown("tx"),
        "rx_bytes": grown("rx"),
        "drops": grown("drops"),
    }
