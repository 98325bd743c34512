# SPDX-License-Identifier: BSD-3-Clause
"""Jobs with a planted fault (programs/faults.c) under a watch, and what the watch says of them."""

import itertools
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from commands import COMMAND
from jobs import LIMIT, wait_for
from laneway.launching.launchers import Job, Mpirun
from laneway.launching.run import processes_of
from laneway.libraries.native import NativeBuild


@dataclass(frozen=True)
class Fault:
    """A fault that is planted, and what is right to be said of it."""

    name: str
    kinds: tuple[str, ...]
    call: str = "allreduce"
    places: tuple[str, ...] = ("world", "dup", "half", "thread")


FAULTS = (
    Fault("wait", ("missing",)),
    Fault("receive", ("missing",)),
    Fault("compute", ("slow", "missing")),
    Fault("stop", ("stopped",), places=("world", "dup", "half")),
    Fault("collective", ("different-collectives",)),
    Fault("root", ("different-roots",), "bcast"),
    Fault("count", ("different-counts",), "gather"),
    Fault("row", ("different-counts",), "gatherv"),
    Fault("type", ("different-types",), "bcast"),
    Fault("operator", ("different-operators",)),
    Fault("order", ("order",), "barrier", places=("world", "dup", "half")),
    Fault("not-completed", ("not-completed", "missing"), "iallreduce"),
    Fault("leave", ("different-collectives",), places=("world",)),
)


@dataclass(frozen=True)
class Planted:
    """A job with a fault."""

    fault: Fault
    ranks: int
    culprit: int
    """The rank in the communicator of the process whose fault it is."""
    where: str
    calls: int

    def __str__(self) -> str:
        return f"{self.fault.name}-{self.ranks}-{self.culprit}-{self.where}-{self.calls}"

    @property
    def words(self) -> list[str]:
        """The words behind the program's name."""
        return [self.fault.name, str(self.culprit), self.where, str(self.calls)]

    @property
    def rank(self) -> int:
        """The culprit's rank in the world."""
        evens = [*range(0, self.ranks, 2)][::-1]  # the ranks of `half`, the last one first
        return evens[self.culprit] if self.where == "half" else self.culprit

    @property
    def number(self) -> int:
        """The number of the call that is at fault: on some communicators another was duplicated."""
        return self.calls + (self.where in ("world", "half"))

    def is_named(self, found: dict) -> bool:
        """Whether a finding names the process, the call and the kind of the fault."""
        is_two = len(found["members"]) == 2
        if self.fault.name == "order":
            is_right = found["kind"] == "order" and found["call"] == "barrier"
            return is_right and (is_two or found["ranks"] == [self.rank])
        if self.fault.name == "not-completed" and (is_two or found["kind"] == "missing"):
            # Two processes may need no more of each other than the beginning.
            late = found["number"] == self.number + 1 and found["call"] == "barrier"
            return found["ranks"] == [self.rank] and (late or self._is_call(found))
        who = self.rank in found["ranks"] and (is_two or len(found["ranks"]) == 1)
        return found["kind"] in self.fault.kinds and who and self._is_call(found)

    def _is_call(self, found: dict) -> bool:
        is_other = self.fault.name in ("collective", "leave") and len(found["members"]) == 2
        names = (self.fault.call, "bcast", "finalize") if is_other else (self.fault.call,)
        return found["call"] in names and found["number"] == self.number


def cases(number: int) -> list[Planted]:
    """So many jobs, of all faults on all communicators, from 2 to 16 ranks."""
    places = [(fault, where) for fault in FAULTS for where in fault.places]
    found = []
    for at, (fault, where) in zip(range(number), itertools.cycle(places), strict=False):
        ranks = (4, 3, 8, 2, 5, 6, 16, 7)[at % 8]
        if where == "half":
            ranks = max(ranks, 4)
        if where == "thread":
            ranks = min(ranks, 6)
        size = (ranks + 1) // 2 if where == "half" else ranks
        calls = (9, 1, 30, 17, 1100, 5)[at % 6]
        found.append(Planted(fault, ranks, (7 * at + 1) % size, where, calls))
    return found


class Watched:
    """A job under a watch that runs meanwhile."""

    def __init__(self, process: subprocess.Popen, folder: Path) -> None:
        self.process = process
        self.folder = folder

    def findings(self) -> list[dict]:
        """All that the watch has found by now."""
        file = self.folder / "found.jsonl"
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def wait_for_finding(self, right: Callable[[dict], bool], seconds: float = LIMIT) -> list[dict]:
        """All that was found when the right one was, or the job had ended."""
        wait_for(
            lambda: any(right(one) for one in self.findings()) or self.process.poll() is not None,
            seconds,
        )
        return self.findings()

    @property
    def said(self) -> str:
        """All that the job and its watch have said."""
        return (self.folder / "said").read_text()


@contextmanager
def watched(
    build: NativeBuild,
    ranks: int,
    program: Sequence[object],
    folder: Path,
    *options: str,
    limit: str = "1s",
    through: Callable[[Sequence[str]], Sequence[str]] = lambda words: words,
    **environment: str,
) -> Iterator[Watched]:
    """A program under `laneway exec --watch`, which is ended when the context is left.

    `through`: the command that is run in place of the launcher's.
    """
    job = Job(build, ranks, [*map(str, program)], launcher=Mpirun())
    yields = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    mpirun = through([*_without_preload(job.command())])
    words = [
        *(*COMMAND, "exec", "--quiet", "--watch", limit, "--watch-output", "found.jsonl"),
        *(*options, "--", *mpirun),
    ]
    with (folder / "said").open("w") as said:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={
                **os.environ,
                "LANEWAY_CLUSTER": "none",
                **yields,
                "LANEWAY_NAPS": "1",
                **environment,
            },
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        job_watched = Watched(process, folder)
        try:
            yield job_watched
        finally:
            left = processes_of(process.pid)
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
            for one in left & processes_of(process.pid):  # some launchers never end
                with suppress(ProcessLookupError):
                    os.kill(one.id, signal.SIGKILL)
            process.wait()


def _without_preload(words: Sequence[str]) -> Iterator[str]:
    """A command line without the LD_PRELOAD that it gives ranks: `exec` has its own."""
    rest = iter(words)
    for word in rest:
        if word == "-genv":
            name, value = next(rest), next(rest)
            if name != "LD_PRELOAD":
                yield from (word, name, value)
        else:
            yield word
