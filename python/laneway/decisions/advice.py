# SPDX-License-Identifier: BSD-3-Clause
"""What would pay, from the times that `exec --advise` measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from laneway.decisions.counts import Case, Count

LATE = 0.5
"""Where processes wait for others for this share of a collective's time, balance comes first."""

NO_ALGORITHM = "Laneway has no algorithm for it"
"""Why vector collectives are native."""


def advice(case: Case, count: Count) -> str:
    """What would pay for a collective that was measured, in words."""
    elements = max(1, count.bytes // max(1, count.calls) // 4)
    reasons = (
        (not count.seconds, "not measured: the processes need not meet in it"),
        (late({case: count}), "balance the work first: processes come late"),
        (case.place.nodes is None, "nothing: only the library serves it"),
        (case.collective == "barrier" or not count.bytes, "little: no data"),
        (case.place.nodes == 1, "nothing: no lanes within a node"),
        (case.why == NO_ALGORITHM, f"nothing yet: {NO_ALGORITHM}"),
    )
    at_most = f"at most {count.seconds / max(1, count.processes):.3g} s"
    compare = f"{at_most}; try: laneway compare --collective {case.collective} --count {elements}"
    return next((words for holds, words in reasons if holds), compare)


def late(cases: Mapping[Case, Count]) -> bool:
    """Whether waiting for the last process is most of the time.

    Finding that out is a barrier, and a barrier that is measured takes as long itself: half of its
    time is no sign of late processes.
    """
    seconds = sum(count.seconds for count in cases.values())
    barriers = sum(count.seconds for case, count in cases.items() if case.collective == "barrier")
    waited = sum(count.waited_s for count in cases.values()) - barriers
    return waited > LATE * (waited + seconds)


def seconds_of(counts: Iterable[Count]) -> tuple[float, float]:
    """Seconds a process, mean over processes: waiting for others, and in the collectives."""
    listed = list(counts)
    processes = max(1, len(set().union(*(count.by_process for count in listed))))
    return (
        sum(count.waited_s for count in listed) / processes,
        sum(count.seconds for count in listed) / processes,
    )
