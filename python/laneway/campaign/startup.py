# SPDX-License-Identifier: BSD-3-Clause
"""How long a job takes to start: from before its launcher is started."""

from __future__ import annotations

from laneway.rows import Row

_SINCE = {
    "first_us": "main_first_us",
    "last_us": "main_last_us",
    "init_first_us": "init_first_us",
    "init_last_us": "init_last_us",
}
"""Times of the first line of main, on the first rank and on the last; likewise of MPI_Init's
return."""


STATISTIC = "time from before the launcher to the last rank's return from MPI_Init"


def since(before: float, said: Row) -> Row:
    """The row of kind `start` in microseconds since `before`, a time in seconds since the epoch.

    `said` is the row of laneway-bench --start, by the clock of rank 0's node. Where that node is
    not this machine, the two clocks must be kept in step.
    """
    facts = {key: said[key] for key in ("ranks", "nodes", "ppn", "library")}
    times = {name: round(said[own] - before * 1e6, 1) for name, own in _SINCE.items()}
    return {"kind": "start", **facts, **times}


def sample(row: Row, lanes: int | None, binding: str) -> Row:
    """A row of kind `start` as a sample, whose time is one of the row's numbers."""
    facts = {key: row[key] for key in ("nodes", "ppn", "library")}
    what = {"collective": "start", "algorithm": "native", "served_by": "native"}
    size = {"count": 0, "datatype": "byte", "bytes": 0}
    where = {"lanes": lanes, "binding": binding}
    time = {"repetition": 0, "time_us": row["init_last_us"], "statistic": STATISTIC}
    return {"kind": "sample", **what, **size, **facts, **where, **time}
