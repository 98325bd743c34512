# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of this user's that have flight recorders and run on this node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from laneway.watching.processes import NodeProcesses, Recorded


@dataclass(frozen=True)
class RunningJob:
    """A job, by those of its processes that are on this node."""

    name: str
    """The name that `laneway hang --job` calls it by."""
    folder: Path | None
    """The folder by which its nodes can be asked; None: it has none, or that is not seen here."""
    processes: tuple[Recorded, ...]


def running() -> list[RunningJob]:
    """The jobs of this user's that have processes on this node."""
    by_job: dict[tuple[str, str], list[Recorded]] = defaultdict(list)
    for one in NodeProcesses(lambda header: not header.ended).look():
        header = one.flight.header()
        by_job[header.job, header.world if not header.job else ""].append(one)
    return [_job(job, world, processes) for (job, world), processes in sorted(by_job.items())]


def _job(job: str, world: str, processes: Iterable[Recorded]) -> RunningJob:
    folder = Path(job) if job and Path(job).is_dir() else None
    known = tuple(processes)
    first = min(one.process for one in known)
    name = Path(job).name.removeprefix(".laneway-")[:8] if job else world or str(first)
    return RunningJob(name, folder, known)
