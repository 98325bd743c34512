# SPDX-License-Identifier: BSD-3-Clause
"""How long a comparison takes, about, where it is known what a call takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from laneway.campaign.estimate import STARTING, of_point


@dataclass(frozen=True)
class ComparisonDuration:
    """A comparison: so many algorithms, in so many jobs of each run."""

    runs: int
    seconds: float
    """The seconds for each point in each run, shared by the algorithms."""
    algorithms: int
    jobs: int = 1

    def lasts(self, calls: Iterable[float]) -> float:
        """The seconds that it lasts, by those that a call takes at each of its points."""
        run = sum(of_point(self.seconds, self.algorithms, call) for call in calls)
        return self.runs * (self.jobs * STARTING + run)
