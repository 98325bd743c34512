# SPDX-License-Identifier: BSD-3-Clause
"""The work of a plan and its likely duration, told before anything runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from laneway.campaign.task import Block, Plan, Task
from laneway.collectives import listed
from laneway.errors import Problem
from laneway.libraries import registry
from laneway.rows import NATIVE
from laneway.units import counted, roughly

STARTING = 5.0
"""Seconds that a job takes to start and to end, as whoever waits is told: rather too many."""

SET_ASIDE = 3.0
"""Seconds for the start of a job within a budget, until one has been timed: rather too few, as
they are taken from what measures."""

CALLS = 2
"""Calls of a contestant in a run besides those that are timed, about: warm-up, result checked."""

BEGIN = 0.04
"""Seconds that a contestant takes in a run besides its calls, about."""


def of_point(seconds: float, algorithms: int, call: float = 0.0) -> float:
    """Seconds of a point in a run: the algorithms share `seconds`, their calls take `call`."""
    timed = max(seconds, algorithms * call)
    return timed + algorithms * (BEGIN + CALLS * call)


def told(plan: Plan) -> str:
    """A sentence; empty where blocks have no time of their own, or no build lists algorithms."""
    tasks = plan.tasks(1)
    try:
        estimated = plan.runs * sum(map(_seconds, tasks))
        points = _points(tasks) if estimated else ""
    except Problem:  # the job itself says what is wrong
        return ""
    if not points:
        return ""
    jobs = f" of {counted(len(tasks), 'job')} each" if len(tasks) > 1 else ""
    runs = f"{counted(plan.runs, 'run')} of mpirun{jobs}"
    lasts = f"about {roughly(estimated)}, more where calls take long"
    return f"to be measured: {points}, in {runs}; {lasts}"


def _seconds(task: Task) -> float:
    """Seconds of a task, roughly: repetitions may be done earlier, and long calls take longer."""
    each = float(task.options.get("time", 0)) if task.planned else 0.0
    if not each:
        return 0.0
    return STARTING + sum(of_point(each, len(_algorithms(task, block))) for block in task.blocks)


def _algorithms(task: Task, block: Block) -> set[str]:
    """The algorithms that take part in a block."""
    names = listed(block.options["algorithm"])
    of = block.options["collective"]
    every = {NATIVE, *registry.algorithms(task.build, of)} if "all" in names else set()
    return every | {name for name in names if name != "all"}


"""The comma between two names; a comma in parentheses is between tunables."""


def _points(tasks: Sequence[Task]) -> str:
    """Collectives, sizes and algorithms of the jobs of a run."""
    amounts: dict[str, set[str]] = defaultdict(set)
    laid_out: dict[str, set[tuple[str, str]]] = defaultdict(set)  # amounts with their layouts
    algorithms: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        for block in task.blocks if task.planned else ():
            name = block.options["collective"]
            amount = block.options.get("message-size") or block.options.get("count", "")
            amounts[name].add(amount)
            laid_out[name].add((amount, block.options.get("layout", "")))
            algorithms[name] |= _algorithms(task, block)
    sizes = max(map(len, amounts.values()))
    many = max(map(len, algorithms.values()))
    several = "up to " if len({*map(len, algorithms.values())}) > 1 else ""
    points = sum(map(len, laid_out.values()))
    return (
        f"{counted(points, 'point')} ({counted(len(amounts), 'collective')}, "
        f"{counted(sizes, 'size')}), each by {several}{counted(many, 'algorithm')}"
    )
