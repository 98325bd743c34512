# SPDX-License-Identifier: BSD-3-Clause
"""The work of a plan and its likely duration, before anything runs: for those who wait."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from laneway.campaign.task import Plan, Task
from laneway.errors import Problem
from laneway.libraries import registry
from laneway.libraries.native import NativeBuild
from laneway.rows import NATIVE
from laneway.units import counted, roughly

STARTING = 5.0
"""Seconds that a job takes to start and to end, more or less."""


def told(plan: Plan) -> str:
    """A sentence; empty where blocks have no time of their own, or nobody lists algorithms."""
    tasks = plan.tasks(1)
    estimated = plan.runs * sum(map(_seconds, tasks))
    if not any(map(_seconds, tasks)):
        return ""
    try:
        points = _points(tasks)
    except Problem:  # the job itself says what is wrong
        return ""
    jobs = f" of {counted(len(tasks), 'job')} each" if len(tasks) > 1 else ""
    runs = f"{counted(plan.runs, 'run')} of mpirun{jobs}"
    return f"to be measured: {points}, in {runs}; about {roughly(estimated)}"


def _seconds(task: Task) -> float:
    """More or less: all repetitions may be done earlier, and checks come on top."""
    each = float(task.options.get("time", 0)) if task.planned else 0.0
    return STARTING + len(task.blocks) * each if each else 0.0


_BETWEEN = re.compile(r",(?![^()]*\))")
"""Between two names: a comma in parentheses is between tunables."""


def _every(build: NativeBuild, collective: str) -> set[str]:
    return {NATIVE, *(name for own, name in registry.by_key(build) if own == collective)}


def _points(tasks: Sequence[Task]) -> str:
    """Collectives, sizes and algorithms of the jobs of a run."""
    amounts: dict[str, set[str]] = defaultdict(set)
    algorithms: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        for block in task.blocks if task.planned else ():
            name = block.options["collective"]
            amounts[name].add(block.options.get("message-size") or block.options.get("count", ""))
            for each in _BETWEEN.split(block.options["algorithm"]):
                algorithms[name] |= _every(task.build, name) if each == "all" else {each}
    sizes = max(map(len, amounts.values()))
    many = max(map(len, algorithms.values()))
    several = "up to " if len({*map(len, algorithms.values())}) > 1 else ""
    points = sum(map(len, amounts.values()))
    return (
        f"{counted(points, 'point')} ({counted(len(amounts), 'collective')}, "
        f"{counted(sizes, 'size')}), each by {several}{counted(many, 'algorithm')}"
    )
