# SPDX-License-Identifier: BSD-3-Clause
"""The watch as a process beside a job, and what the job's processes must be told for it."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from laneway import helpers
from laneway.watching.exchange import JobSide
from laneway.watching.watch import Options

_AT_THE_END = 5.0
"""Seconds that the watch has to end in."""


def variables(folder: Path) -> dict[str, str]:
    """The variables of a job's processes: their watch, and the Python that a node's runs in."""
    # No blanks and no quotes, but in paths: launchers take the words through shells.
    return {"LANEWAY_WATCH": str(folder), "LANEWAY_WATCHER": helpers.PYTHON[0]}


@contextmanager
def watched(folder: Path, options: Options) -> Iterator[None]:
    """A watch of the job that is run meanwhile. It ends as well when this process is killed."""
    JobSide(folder).begin(options.limit)
    words = helpers.module(
        "laneway.watching.watch", str(folder), json.dumps(dataclasses.asdict(options))
    )
    # A pipe is closed however its owner ends.
    with subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True) as watch:
        try:
            yield
        finally:
            assert watch.stdin is not None  # noqa: S101 - opened as a pipe above
            watch.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                watch.wait(_AT_THE_END)
            watch.kill()


def was_ended(folder: Path) -> bool:
    """Whether the watch has ended the job."""
    return (folder / "killed").exists()


def time_limit(told: Iterable[str], environment: Mapping[str, str], now: float) -> float | None:
    """When a job is ended, in seconds since 1970; None where nobody says so.

    `told`: limits that the launcher's command line has. The batch system may have one as well.
    """
    limits = [*told, environment.get("MPIEXEC_TIMEOUT", "")]
    ends = [now + float(value) for value in limits if value.isdigit()]
    of_batch = environment.get("SLURM_JOB_END_TIME", "")
    ends += [float(of_batch)] if of_batch.isdigit() else []
    return min(ends, default=None)
