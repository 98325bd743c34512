# SPDX-License-Identifier: BSD-3-Clause
"""Times by algorithm and allocation, in the words of the study."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Collection, Mapping

from laneway.calibration.latency import Observation
from laneway.rows import CaseKey, Row, Samples
from laneway_studies.figures import PublishedTerm
from laneway_studies.papers.latency.cases import ALGORITHMS, ALLOCATIONS, BY_CORE


def paper_name(algorithm: str) -> str | None:
    """The study's name for an algorithm of ours."""
    name = algorithm.partition("(")[0]
    return next((theirs for theirs, ours in ALGORITHMS.items() if ours == name), None)


def allocation_of(placement: str, placements: Collection[str]) -> str:
    """The allocation of a placement, among all that there are."""
    if placement == "node" and "socket" in placements:
        return BY_CORE
    return next(theirs for theirs, ours in ALLOCATIONS.items() if placement in ours)


def placement_of(key: CaseKey) -> str:
    """How the ranks of a case were dealt out."""
    return str(dict(key.axes).get("placement") or "node")


Allocated = tuple[str, str]
"""Algorithm and allocation, in the study's words."""


def groups_of(samples: Mapping[CaseKey, Samples]) -> dict[Allocated, list[Observation]]:
    """The medians of runs, by algorithm and allocation."""
    found: dict[Allocated, list[Observation]] = defaultdict(list)
    placements = {*map(placement_of, samples)}
    for key, own in samples.items():
        algorithm = paper_name(key.algorithm)
        allocation = allocation_of(placement_of(key), placements)
        if algorithm:
            found[algorithm, allocation] += (
                Observation(sum(key.processes), key.bytes, statistics.median(run))
                for run in own.times_us.values()
            )
    return dict(found)


def certainty(published: PublishedTerm, ours: float | None, error: float | None) -> Row:
    """How sure a published coefficient is, and ours."""
    return {
        "published error": published.std_error,
        "published t": published.t_value,
        "our error": error,
        "our t": ours / error if ours is not None and error else None,
    }
