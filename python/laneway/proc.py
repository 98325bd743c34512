# SPDX-License-Identifier: BSD-3-Clause
"""The state of a process as the system tells it: /proc/PROCESS/stat, see proc(5)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
"""Ticks a second."""


@dataclass(frozen=True)
class ProcessState:
    """A process at a moment."""

    state: str
    """A letter: R runs, D waits for a disk, T is stopped, Z has ended ..."""
    started: int
    """Ticks since boot: no other process has both that and its number."""
    used: float
    """Seconds of processor time."""

    @property
    def has_ended(self) -> bool:
        """Whether it is there no more, but for its parent's question."""
        return self.state in "ZX"


def process_state(process: int) -> ProcessState | None:
    """The state of a process; None: there is none of that number."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return None
    state, *rest = text.rpartition(")")[2].split()  # the name before may hold blanks and brackets
    return ProcessState(state, int(rest[18]), (int(rest[10]) + int(rest[11])) / TICKS)


def start_time(process: int) -> int | None:
    """When a process started, in ticks since boot; None if it has ended."""
    state = process_state(process)
    return None if state is None or state.has_ended else state.started
