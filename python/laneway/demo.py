# SPDX-License-Identifier: BSD-3-Clause
"""The comparison that suits the machine at hand, in about a minute."""

from __future__ import annotations

from laneway import machine, native, registry
from laneway.compare import Plan

NODES = 2
COUNTS = (1, 100, 10_000, 1_000_000)


def plans(runs: int, seconds: float) -> list[Plan]:
    """A plan for every MPI library that there is a native build for; all timing takes `seconds`.

    Two virtual nodes with as many ranks each as there are cores for, two at least, since an
    algorithm over lanes needs them.
    """
    builds = native.installed() or [native.find()]  # find says what to do where there is none
    ppn = min(max(2, machine.cores() // NODES), 8)
    collectives = {entry.collective for entry in registry.load(builds[0])}
    cases = len(builds) * runs * len(collectives) * len(COUNTS)
    return [
        Plan(
            build=build,
            counts=COUNTS,
            nodes=NODES,
            ppn=ppn,
            runs=runs,
            seconds=round(seconds / cases, 3),
        )
        for build in builds
    ]
