# SPDX-License-Identifier: BSD-3-Clause
"""The report of what was decided.

`counts` is what is counted, `files` reads and merges what the processes wrote, `origin` tells how
the job was started, `advice` says what would pay.
"""

from laneway.decisions.advice import LATE, NO_ALGORITHM, Advice, late
from laneway.decisions.counts import (
    CallCount,
    CountedCase,
    DecisionReport,
    JobCommunicator,
    ReportedJob,
)
from laneway.decisions.files import load, must_be_writable
from laneway.decisions.origin import JobOrigin

__all__ = [
    "LATE",
    "NO_ALGORITHM",
    "Advice",
    "CallCount",
    "CountedCase",
    "DecisionReport",
    "JobCommunicator",
    "JobOrigin",
    "ReportedJob",
    "late",
    "load",
    "must_be_writable",
]
