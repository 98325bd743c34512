# SPDX-License-Identifier: BSD-3-Clause
"""A job under way: its output as it comes, and its end, whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self

from laneway.errors import Problem
from laneway.launching.launchers import Job

GRACE = 5.0
"""Seconds that a job has to end in good order before it is killed."""

TAIL = 15
"""Lines of what a job said that tell why it failed: its end, and what it began with."""

_FRAME = re.compile(r"\[0x[0-9a-f]+\]$")
"""Ends a line of a backtrace, as the C library prints it."""


class Run:
    """A job under way, as a context: on leaving it, whatever is left of the job is ended.

    The job is a session of its own, apart from the terminal's signals. It ends as well when this
    process is killed.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.started = time.monotonic()
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        command = self.job.command()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                errors="replace",
                start_new_session=True,
                preexec_fn=partial(_end_with_parent, os.getpid()),  # noqa: PLW1509 - no threads yet, one system call
            )
        except OSError as error:
            self._errors.close()
            raise Problem(f"cannot run {command[0]}: {error.strerror or error}") from error
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
        self._errors.close()

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe above
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def lines(self, silence: float) -> Iterator[str]:
        """The lines of standard output as they come.

        Raises TimeoutError after `silence` seconds without one: the job hangs.
        """
        while True:
            try:
                line = self._lines.get(timeout=silence)
            except queue.Empty:
                raise TimeoutError from None
            if line is None:
                return
            yield line

    @property
    def lives(self) -> bool:
        """Whether the launcher has not ended yet."""
        return self._process.poll() is None

    def wait(self, grace: float = GRACE) -> int:
        """The exit code, once standard output has ended. Negative: the signal that ended it.

        Raises TimeoutError where that takes longer than `grace` seconds.
        """
        try:
            return self._process.wait(grace)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None

    def errors(self) -> str:
        """The standard error so far."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def tail(self) -> str:
        """The part of standard error that tells why the job failed."""
        return telling(self.errors())

    def end(self) -> None:
        """Ends every process of the job: the launcher is asked to, the rest is killed."""
        launcher = self._process.pid
        job = processes_of(launcher)
        if self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        for process in (job | processes_of(launcher)) & _processes().keys():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.id, signal.SIGKILL)
        self._process.wait()


def telling(errors: str) -> str:
    """The lines of standard error that tell why a job failed.

    Ranks say the same one after the other, with backtraces of many lines, and the reason comes
    first. So each line stands once, without the backtraces; what is left out is in the middle.
    """
    lines = errors.strip().splitlines()
    told = [*dict.fromkeys(line for line in lines if not _FRAME.search(line))] or lines
    if len(told) > TAIL:
        first = TAIL // 3
        told = [*told[:first], f"... ({len(told) - TAIL} lines) ...", *told[first - TAIL :]]
    return "\n".join(told)


class Process(NamedTuple):
    """A process of this machine; no other ever has the same two numbers."""

    id: int
    started: int


def processes_of(launcher: int) -> set[Process]:
    """A launcher and all processes that come from it, as far as they can be traced.

    They are its descendants, and those of its session: Open MPI's ranks stay in it when their
    parent is gone, MPICH's leave it.
    """
    processes = _processes()
    found = {launcher}
    grown = True
    while grown:
        related = {
            process.id
            for process, (parent, session) in processes.items()
            if parent in found or session in found
        }
        grown = not related <= found
        found |= related
    return {process for process in processes if process.id in found}


def _processes() -> dict[Process, tuple[int, int]]:
    """Parent and session of every process that has not ended."""
    processes = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):  # it has ended meanwhile
            stat = (entry / "stat").read_text(errors="replace")
            state, parent, _, session, *rest = stat.rpartition(")")[2].split()
            if state != "Z":
                started = int(rest[15])  # field 22, see proc(5)
                processes[Process(int(entry.name), started)] = int(parent), int(session)
    return processes


def _end_with_parent(parent: int) -> None:
    """Has the kernel terminate the calling process when its parent dies, however that happens."""
    set_parent_death_signal = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
    if os.getppid() != parent:  # it has died meanwhile
        os._exit(1)
