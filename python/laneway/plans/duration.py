# SPDX-License-Identifier: BSD-3-Clause
"""How long measurements take, about: what is told before they begin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

START = 3.0
"""Seconds that a job takes to start, until one has been timed."""

CALLS = 2
"""Of a contestant in a run besides those that are timed, about: warm-up, result checked."""

BEGIN = 0.04
"""Seconds that a contestant takes in a run besides its calls, about."""


@dataclass(frozen=True)
class Contest:
    """A comparison: so many algorithms, in so many jobs of each run."""

    runs: int
    seconds: float
    """For each point in each run, shared by the algorithms."""
    algorithms: int
    jobs: int = 1

    def lasts(self, calls: Iterable[float]) -> float:
        """Seconds, by those that a call takes at each of its points."""
        run = sum(self._point(call, self.algorithms) for call in calls)
        return self.runs * (self.jobs * START + run)

    def _point(self, call: float, algorithms: int) -> float:
        timed = max(self.seconds, algorithms * call)
        return timed + algorithms * (BEGIN + CALLS * call)


def in_words(seconds: float) -> str:
    """As long as something takes, about: no more exactly than anybody knows."""
    if seconds < 90:
        return "about a minute"
    if seconds < 5400:
        return f"about {round(seconds / 60)} minutes"
    return f"about {seconds / 3600:.1f} hours"
