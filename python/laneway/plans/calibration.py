# SPDX-License-Identifier: BSD-3-Clause
"""A campaign that calibrates: messages between two processes, and work of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laneway.calibration.patterns import (
    COUNTED,
    DONE,
    LONG,
    MESSAGES,
    SIZED,
    WORK,
)
from laneway.campaign import Block, Task
from laneway.campaign.estimate import SET_ASIDE
from laneway.campaign.task import heading, patience
from laneway.launching.place import Place, Setting
from laneway.libraries.native import NativeBuild
from laneway.probe.lane_rates import PROBE
from laneway.rows import Row
from laneway.units import INT

OVERHEAD = 2.0
"""A case takes so many times as long as it is told to, with warming up and checking."""

LEAST_WORK = 1024
"""Bytes: less work than that is not seen."""

SPARSE = 3
"""One of so many sizes is worked on: work has no protocols."""


@dataclass(frozen=True)
class CalibrationPlan:
    """A calibration: the sizes and the place that are measured, and how long it may take."""

    build: NativeBuild
    setting: Setting
    sizes: Sequence[int]
    """Sizes of messages, in bytes."""
    budget: float = 120.0
    """Seconds that all of it takes, more or less."""
    runs: int = 3
    seed: int = 1
    silence: float | None = None

    @property
    def place(self) -> Place:
        """The place where it runs."""
        return self.setting.place

    @property
    def patience(self) -> float:
        """Seconds of silence after which a run hangs."""
        return self.silence if self.silence is not None else patience(self.seconds)

    @property
    def seconds(self) -> float:
        """The seconds for each pattern and size in a run."""
        groups = self._groups()
        cases = sum(len(patterns) * len(sizes) for _, patterns, sizes, _ in groups)
        left = self.budget / self.runs - SET_ASIDE * len(groups)
        return max(0.01, left / cases / OVERHEAD)

    def tasks(self, run: int) -> list[Task]:  # noqa: ARG002 - all runs are alike
        """The jobs of run number `run`, from 1."""
        return [self._task(*group) for group in self._groups()]

    def heading(self) -> Row:
        """The first row: the command that was given, and the machine."""
        return heading("calibrate", self.tasks(1), self.seed)

    def _groups(self) -> list[tuple[str, list[str], list[int], list[int]]]:
        """The probe of each job, with its patterns, sizes, and processes at once."""
        ppn, lanes = self.place.ppn, self.setting.lanes or 1
        inside = ppn > 1
        several = {1, 2, 3, min(lanes, ppn), ppn // 2, ppn}
        at_once = sorted(k for k in several if 1 <= k <= ppn)
        few = sorted({1, min(lanes, ppn), max(1, ppn // 2), ppn})
        sized = [name for name in SIZED if inside or name != "inside"]
        counted = [name for name in COUNTED if inside or name != "fan"]
        long = [size for size in self.sizes if size >= LEAST_WORK] or [*self.sizes]
        long = long[::-SPARSE] if len(long) > SPARSE else long
        between = [max(self.sizes)], [1, lanes]
        several_lanes = 1 < lanes <= ppn
        has_lanes = self.place.kind != "virtual"
        return [
            (MESSAGES, sized, [*self.sizes], few),
            (MESSAGES, counted, [min(self.sizes)], at_once),
            *([(MESSAGES, [*LONG], *between)] if several_lanes else ()),
            *([(PROBE, [PROBE], *between)] if several_lanes and has_lanes else ()),
            (WORK, [*DONE], long, [1]),
        ]

    def _task(self, probe: str, patterns: list[str], sizes: list[int], k: list[int]) -> Task:
        options = {
            "probe": probe,
            **({} if probe == PROBE else {"collective": ",".join(patterns)}),
            "virtual-lanes": ",".join(map(str, k)),
            "count": ",".join(str(size // INT) for size in sizes),
            "time": f"{self.seconds:.4f}",
            "repetitions": "200",
            "seed": str(self.seed),
        }
        name = f"{self.setting.name},{probe},{patterns[0]}"
        return Task(name, self.build, self.setting, [Block(patterns[0], options)], planned=False)
