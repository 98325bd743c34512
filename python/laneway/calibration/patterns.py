# SPDX-License-Identifier: BSD-3-Clause
"""The times of the patterns that a machine is calibrated by, as its probes left them in rows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from laneway.calibration.regression import TimesBySize
from laneway.errors import Problem
from laneway.rows import Row

MESSAGES = "messages"
WORK = "local-work"
"""Probes of laneway-bench; what they measure is in docs/calibration.md."""

SIZED = ("between", "inside")
COUNTED = ("burst", "fan")
LONG = ("cross",)
DONE = ("copy", "reduce", "pack")
"""Patterns of messages of many sizes, of short ones, of long ones, and of work."""

WINDOW = 16
"""Messages in a row in `burst`."""


@dataclass(frozen=True)
class PatternShape:
    """The nodes that patterns ran on."""

    library: str
    nodes: int
    ppn: int
    lanes: int
    processors: float = math.inf
    """The node's own: its part of what all nodes share, where one machine stands for them."""

    def on_a_lane(self, k: int) -> int:
        """How many of k processes of a node share the busiest lane."""
        return -(-k // self.lanes)


@dataclass(frozen=True)
class Patterns:
    """Times in microseconds by pattern and number of processes at once, and by size, one a run."""

    shape: PatternShape
    times: Mapping[tuple[str, int], TimesBySize]

    def of(self, pattern: str, k: int | None = None) -> TimesBySize:
        """Times of k processes at once; None: of as many as there are. Empty without any."""
        if k is not None:
            return self.times.get((pattern, k), {})
        return self.times.get((pattern, max(self.numbers(pattern), default=0)), {})

    def numbers(self, pattern: str) -> list[int]:
        """The numbers of processes at once that were measured."""
        return sorted(k for name, k in self.times if name == pattern)


def gathered(rows: Iterable[Row]) -> Patterns:
    """The median of each run, of every pattern. Raises Problem where there is none to go by."""
    found: dict[tuple[str, int], dict[int, dict[int, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    shape = None
    processors = math.inf
    for row in rows:
        if row["kind"] == "environment":
            processors = _of_a_node(row)
        if row["kind"] == "probe" and row["probe"] in (MESSAGES, WORK):
            own = found[row["collective"], row["virtual_lanes"]]
            own[row["bytes"]][row["run"]].append(row["time_us"])
            shape = PatternShape(
                row["library"], row["nodes"], row["ppn"], row["lanes"] or 1, processors
            )
    if shape is None or not any(name == "between" for name, _ in found):
        raise Problem("messages between nodes were not measured: there is nothing to calibrate by")
    return Patterns(
        shape,
        {
            key: {size: [median(run) for run in runs.values()] for size, runs in sizes.items()}
            for key, sizes in found.items()
        },
    )


def _of_a_node(environment: Row) -> float:
    """The processors of a node; infinitely many where rows of others do not tell.

    The nodes of an emulated cluster have names of their own, and one machine.
    """
    processors, nodes = environment.get("processors"), environment.get("nodes")
    hosts = 1 if environment.get("cluster") else len(set(environment.get("hosts") or ()))
    return float(processors * hosts / nodes) if processors and nodes and hosts else math.inf
