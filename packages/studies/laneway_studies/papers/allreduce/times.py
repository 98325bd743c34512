# SPDX-License-Identifier: BSD-3-Clause
"""Times of the best algorithm and of the library's own, by length and by number of nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from laneway.guideline.rules import next_power_of_two
from laneway.rows import NATIVE, SIMULATED
from laneway_studies.papers.allreduce.cases import COLLECTIVE
from laneway_studies.study import StudyPart

OPTIMAL = "optimal"


@dataclass(frozen=True)
class LengthTimes:
    """The times of one library, length and number of processes a node, by the number of nodes."""

    library: str
    ppn: int
    bytes: int
    optimal: Mapping[int, tuple[float, str]]
    """The time of the fastest algorithm of the portfolio, in us, and which that is."""
    native: Mapping[int, float]

    @property
    def curves(self) -> dict[str, dict[int, float]]:
        """Both curves, where there are both."""
        optimal = {nodes: time for nodes, (time, _) in self.optimal.items()}
        return {OPTIMAL: optimal, **({NATIVE: dict(self.native)} if self.native else {})}

    def over_optimal(self, nodes: int) -> float | None:
        """How many times as long as the best the library's own takes."""
        if nodes not in self.native or nodes not in self.optimal:
            return None
        return self.native[nodes] / self.optimal[nodes][0]

    def over_power(self, which: str, nodes: int) -> float | None:
        """The time over that on the next power of two of nodes; None for a power of two itself."""
        own, power = self.curves.get(which, {}), next_power_of_two(nodes)
        if nodes == next_power_of_two(nodes - 1) or nodes not in own or power not in own:
            return None
        return own[nodes] / own[power]


Gathered = tuple[str, int, int]
"""Library, processes a node, bytes."""


def gathered(part: StudyPart) -> list[LengthTimes]:
    """The times by library and length. A simulation has one portfolio, and libraries beside it."""
    optimal: dict[Gathered, dict[int, tuple[float, str]]] = defaultdict(dict)
    natives: dict[Gathered, dict[int, float]] = defaultdict(dict)
    own = [summary for summary in part.summaries if summary.key.collective == COLLECTIVE]
    for summary in own:
        key = summary.key
        if key.algorithm == NATIVE:
            library = str(dict(key.axes).get("native", key.library))
            times = natives[library, key.ppn, key.bytes]
            times[key.nodes] = min(summary.median_us, times.get(key.nodes, summary.median_us))
        else:
            best = optimal[key.library, key.ppn, key.bytes]
            found = summary.median_us, key.algorithm
            best[key.nodes] = min(found, best.get(key.nodes, found))
    described = {
        of: optimal[SIMULATED, *of[1:]] for of in natives if part.origin.simulated_on is not None
    }
    known = {**({} if described else optimal), **described}
    lengths = {of[1:] for of in (*known, *natives)}
    part.show(summary for summary in own if (summary.key.ppn, summary.key.bytes) in lengths)
    return [LengthTimes(*of, known.get(of, {}), natives[of]) for of in sorted({*known, *natives})]
