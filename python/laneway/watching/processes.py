# SPDX-License-Identifier: BSD-3-Clause
"""The processes of this node that have a flight recorder, and what the system tells of them."""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from laneway.proc import TICKS, ProcessState, process_state
from laneway.watching.account import Account
from laneway.watching.file import FlightFile, NotReadableError
from laneway.watching.file_layout import Header

_NAME = "/memfd:laneway-flight"
_LEAST = 0.1
"""Seconds over which a share of processor time is told, at least."""
_FOR_A_STACK = 20.0
"""Seconds that a debugger has."""


@dataclass
class Recorded:
    """A process with a flight recorder. Its file stays readable when the process is no more."""

    process: int
    started: int
    """When it started, as the system counts: no other process has both numbers."""
    flight: FlightFile
    looked: float
    used: float
    """Seconds of processor time, when it was looked at last."""

    def account(self, *, with_stack: bool = False) -> Account:
        """All that is known of it now."""
        # The system counts processor time in ticks: a share of less than a few says nothing.
        time.sleep(max(self.looked + _LEAST - time.monotonic(), 0.0))
        stat, share = process_state(self.process), 0.0
        condition, is_busy = "dead", False
        if stat is not None and stat.started == self.started and not stat.has_ended:
            condition = "stopped" if stat.state in "Tt" else "running"
            is_busy = stat.state in "RD"
            share = self._processor(stat)
        header, groups, calls, inside = self.flight.look()
        account = Account(
            header.node,
            self.process,
            header.world,
            header.rank,
            header.size,
            "ended" if header.ended else condition,
            header.next_record,
            share,
            is_busy,
            groups,
            calls,
            inside,
        )
        return replace(account, stack=stack_of(account)) if with_stack else account

    def _processor(self, stat: ProcessState) -> float:
        """The share of the time since the last look in which it was on a processor."""
        at = time.monotonic()
        share = (stat.used - self.used) / (at - self.looked)
        if at - self.looked > 1:
            self.looked, self.used = at, stat.used
        return round(max(share, 0.0), 2)

    def longest_wait(self) -> float:
        """The seconds for which it waits in a collective."""
        return self.flight.longest_wait() if not self.flight.header().ended else 0.0


class NodeProcesses:
    """The processes of this user's, on this node, that belong to a job; found as they come."""

    def __init__(self, belongs: Callable[[Header], bool]) -> None:
        self._belongs = belongs
        self._known: dict[tuple[int, int], Recorded] = {}
        self._others: set[tuple[int, int]] = set()

    def look(self) -> list[Recorded]:
        """All that were ever found, those that have ended meanwhile among them."""
        for process in _own_processes():
            stat = process_state(process)
            if stat is None or (process, stat.started) in self._known.keys() | self._others:
                continue
            flight = _flight_of(process)
            if flight is None:
                # A process that has just begun may get one yet.
                if time.clock_gettime(time.CLOCK_BOOTTIME) - stat.started / TICKS > 60:
                    self._others.add((process, stat.started))
            elif self._belongs(flight.header()):
                self._known[process, stat.started] = Recorded(
                    process, stat.started, flight, time.monotonic(), stat.used
                )
            else:
                self._others.add((process, stat.started))
        return list(self._known.values())


def _own_processes() -> Iterator[int]:
    user = os.geteuid()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if entry.stat().st_uid == user:
                    yield int(entry.name)


def _flight_of(process: int) -> FlightFile | None:
    """The file of a process's own recorder; a child that it has forked has its parent's open."""
    folder = Path(f"/proc/{process}/fd")
    try:
        for link in folder.iterdir():
            with contextlib.suppress(OSError):
                if str(link.readlink()).startswith(_NAME):
                    return _opened(link, process)
    except OSError:
        pass
    return None


def _opened(path: Path, process: int) -> FlightFile | None:
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_uid != os.geteuid():
            return None
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    try:
        flight = FlightFile(data)
    except NotReadableError:
        return None
    return flight if process == flight.header().process or _is_inside(process) else None


def _is_inside(process: int) -> bool:
    """Whether a process is in a container, where it has another number."""
    try:
        return Path(f"/proc/{process}/ns/pid").readlink() != Path("/proc/self/ns/pid").readlink()
    except OSError:
        return False


_FRAME = re.compile(r"^#\d+\s+(?:0x[0-9a-f]+ (?:in )?)?(?P<function>[^\s(]+)(?P<rest>.*)$")
_THREAD = re.compile(r"^Thread .*\(LWP (\d+)\)|^TID (\d+):")
_OF_MPI = re.compile(r"P?MPIX?_\w+")
_PLACE = re.compile(r"\bat (?P<place>\S+:\d+)$|(?:from|-) (?P<file>/\S+)$")


def stack_of(account: Account) -> tuple[str, ...]:
    """The functions that a process of this node is in, where it is there and a tool can tell."""
    if account.condition not in ("running", "stopped"):
        return ()
    return stack(account.process, account.thread())


def stack(process: int, thread: int) -> tuple[str, ...]:
    """The functions of a thread of a process, the innermost first, where a tool can tell them.

    The process is held for the moment that takes.
    """
    for command in _debuggers(process):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            said = subprocess.run(
                command,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",
                timeout=_FOR_A_STACK,
                check=False,
            ).stdout
            stacks = _stacks(said)
            if frames := stacks.get(thread) or next(iter(stacks.values()), []):
                return tuple(_from_mpi_on(frames))
    return ()


def _stacks(said: str) -> dict[int, list[str]]:
    """The functions of each thread, by the system's number of it."""
    stacks: dict[int, list[str]] = {}
    frames: list[str] = []
    for line in said.splitlines():
        if thread := _THREAD.search(line):
            frames = stacks.setdefault(int(thread[1] or thread[2]), [])
        elif found := _FRAME.match(line):
            frames.append(_frame(found))
    return stacks


def _from_mpi_on(frames: Sequence[str]) -> Sequence[str]:
    """The functions from the outermost one of MPI on: what is inside is the library's affair."""
    of_mpi = [at for at, frame in enumerate(frames) if _OF_MPI.match(frame)]
    return frames[of_mpi[-1] :] if of_mpi else frames


def _debuggers(process: int) -> Iterator[Sequence[str]]:
    if found := shutil.which("eu-stack"):
        yield [found, "-n", "40", "-p", str(process)]
    if found := shutil.which("gdb"):
        yield [found, "-nx", "-batch", "-p", str(process), "-ex", "thread apply all backtrace 40"]


def _frame(found: re.Match[str]) -> str:
    place = _PLACE.search(found["rest"])
    if place is None:
        return found["function"]
    return f"{found['function']} ({Path(place['place'] or place['file']).name})"
