# SPDX-License-Identifier: BSD-3-Clause
"""The comparison that suits the machine at hand, in two minutes at most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from laneway.launching.place import Setting
from laneway.libraries import native
from laneway.libraries.native import NativeBuild
from laneway.plans.comparison import ComparisonPlan, arms

CASES = (
    (("bcast", "allreduce"), (100, 10_000, 100_000)),
    (("allgather",), (100, 1000, 10_000)),  # a count is that of one rank: all get p times as much
)
"""Collectives and counts: from what only latency decides to what only lanes decide."""


def builds() -> list[NativeBuild]:
    """The native builds to compare on: one for every MPI library."""
    return native.installed() or [native.find()]  # find says what to do where there is none


def plans(
    libraries: Sequence[NativeBuild],
    settings: Sequence[Setting],
    runs: int,
    seconds: float,
    say: Callable[[str], None],
) -> list[ComparisonPlan]:
    """Plans for every library, on one kind of machine; all timing takes about `seconds`."""
    (collectives, counts), *further = CASES
    drafts = [
        ComparisonPlan(
            build=build,
            arms=arms(settings, ("all",), "best", build, say),
            collectives=collectives,
            counts=counts,
            further=further,
            runs=runs,
            seconds=0,
        )
        for build in libraries
    ]
    points = sum(len(collectives) * len(counts) for collectives, counts in CASES)
    cases = sum(len(plan.arms) * points * runs for plan in drafts)
    return [replace(plan, seconds=round(seconds / cases, 3)) for plan in drafts]
