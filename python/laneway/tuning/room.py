# SPDX-License-Identifier: BSD-3-Clause
"""The seconds that a stage has: before each of its runs it asks what is left of them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from laneway.rows import Row
from laneway.tuning.stage import StagePlan, TuningPoint
from laneway.units import counted, size


def in_turn(gains: Mapping[TuningPoint, float]) -> list[TuningPoint]:
    """Points by the gain that they promise, but one of each collective in turn.

    Where time is short, no collective is left out as a whole.
    """
    before: dict[str, int] = defaultdict(int)
    turns = []
    for point in sorted(gains, key=lambda point: -gains[point]):
        turns.append((before[point.collective], point))
        before[point.collective] += 1
    return [point for _, point in sorted(turns, key=lambda turn: turn[0])]


@dataclass
class StageRoom:
    """The room of a stage under way. Points that it has no time for are left out of later runs.

    A job cannot be cut short: so the first run tells how long points take.
    """

    seconds: float
    """Seconds for the stage, the starts of its jobs included."""
    gains: Mapping[TuningPoint, float]
    """The gain that each point promises for a second: those of least go first."""
    least: int
    """Points that have all runs, whatever they take: without them all was in vain."""
    say: Callable[[str], None]
    told: set[TuningPoint] = field(default_factory=set)
    begun: float = field(default_factory=time.monotonic)
    before: float = 0
    """Seconds that the stage had before its tuning was interrupted."""

    def left_out(self, plan: StagePlan, run: int, rows: Iterable[Row]) -> set[str]:
        """The blocks that a run of the plan, and all later ones, go without.

        A standing job is asked before each block: it goes without those that are left once the
        time is up.
        """
        if plan.standing:
            return self._late(plan, run, rows)
        begun = [row for row in rows if row.get("run", run) < run]
        took: dict[str, list[float]] = defaultdict(list)
        for row in begun:
            if row["kind"] == "block":
                took[row["block"]].append(float(row.get("seconds", 0)))
        jobs = [float(row.get("seconds", 0)) for row in begun if row["kind"] == "end"]
        if not jobs:
            return set()
        # On a busy machine much time goes by between jobs, too.
        spent = max(sum(jobs), time.monotonic() - self.begun)
        start = max(spent - sum(map(sum, took.values())), 0.0) / len(jobs)
        left = (self.seconds - spent) / (plan.runs - run + 1) - start
        return self._cut(plan, run, {name: median(each) for name, each in took.items()}, left)

    def _late(self, plan: StagePlan, run: int, rows: Iterable[Row]) -> set[str]:
        """The blocks that are left in a run once the time of the stage is up."""
        if self.before + time.monotonic() - self.begun < self.seconds:
            return set()
        points = plan.points_of_blocks()
        done = {row["block"] for row in rows if row["kind"] == "block" and row["run"] == run}
        left = points.keys() - done
        self._tell(plan, run, {points[block] for block in left})
        return {*left}

    def _cut(self, plan: StagePlan, run: int, took: Mapping[str, float], left: float) -> set[str]:
        """The blocks to leave out: the others take no longer than what is left for a run."""
        points = plan.points_of_blocks()
        order = sorted(points, key=lambda block: self.gains.get(points[block], 0.0), reverse=True)
        seconds = 0.0
        out = set()
        for number, block in enumerate(order):
            its = took.get(block, 0.0)
            # A point that lacks a run has too few of them, whatever comes later.
            if number >= self.least and (points[block] in self.told or seconds + its > left):
                out.add(block)
            else:
                seconds += its
        self._tell(plan, run, {points[block] for block in out})
        return out

    def _tell(self, plan: StagePlan, run: int, out: set[TuningPoint]) -> None:
        new = sorted(out - self.told)
        self.told |= out
        if new:
            named = ", ".join(f"{point.collective} {size(point.bytes)}" for point in new[:4])
            more = f" and {counted(len(new) - 4, 'other')}" if len(new) > 4 else ""
            self.say(
                f"{plan.stage.name}: the budget leaves {counted(len(new), 'point')} out from run "
                f"{run} on: {named}{more}"
            )
