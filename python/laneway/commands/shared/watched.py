# SPDX-License-Identifier: BSD-3-Clause
"""The watch that `laneway exec` has beside a job: what its options ask for."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from laneway.errors import Misuse
from laneway.watching import beside
from laneway.watching.watch import USUAL_LIMIT, Options


@dataclass(frozen=True)
class JobWatch:
    """The watch of one job."""

    options: Options

    def variables(self, folder: Path) -> dict[str, str]:
        """The variables of the job's processes."""
        return beside.variables(folder)

    def goes_on(self, folder: Path) -> AbstractContextManager[None]:
        """The context in which the job runs."""
        return beside.watched(folder, self.options)

    def has_ended_it(self, folder: Path) -> bool:
        """Whether the job was ended because it stood still."""
        return beside.was_ended(folder)


def job_watch(
    limit: float | None,
    before: float | None,
    output: Path | None,
    timeouts: Iterable[str],
    *,
    kill: bool,
) -> JobWatch:
    """The watch that the options ask for; `timeouts`: those among the launcher's options."""
    end = None
    if before is not None:
        end = beside.time_limit(timeouts, os.environ, time.time())
        if end is None:
            raise Misuse(
                "--watch-before: neither the launcher's command line (--timeout) nor the "
                "environment (MPIEXEC_TIMEOUT, SLURM_JOB_END_TIME) has a time limit"
            )
        end -= before
    told = str(output.absolute()) if output else None
    return JobWatch(Options(limit or USUAL_LIMIT, end, kill, told))
