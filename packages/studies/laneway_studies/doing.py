# SPDX-License-Identifier: BSD-3-Clause
"""A study that is asked for, and its rows: simulated as far as time allows, or measured."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laneway.campaign import Folder, Plan, measure
from laneway.commands.shared import progress
from laneway.commands.shared.console import errors, say
from laneway.commands.shared.exit_codes import INTERRUPTED
from laneway.errors import Problem
from laneway.launching import allocation
from laneway.libraries import native
from laneway.rows import Row
from laneway.simulation.machine import Machine
from laneway.units import counted
from laneway_studies import simulated
from laneway_studies.study import Asked, Measuring, Study


@dataclass(frozen=True)
class AskedStudy:
    """A study that is asked for."""

    name: str
    study: Study
    words: Mapping[str, str]
    """The texts of its own parameters, as they were written."""
    path: Path

    @property
    def asked(self) -> Asked:
        """The values of its parameters."""
        return self.study.asked(self.words)


def simulated_rows(job: AskedStudy, machines: Sequence[Machine], within: float | None) -> list[Row]:
    """The rows of all points on machines, or of as many as can be simulated within so many seconds.

    The machines share that time. Ends the command where somebody interrupts.
    """
    kept = Folder(job.path)
    over = math.inf if within is None else time.monotonic() + within
    rows: list[Row] = []
    left = 0
    try:
        with kept.locked(), kept.writing() as journal, progress.of_parts(errors()) as told:
            known = [*kept.all_rows()]
            for number, each in enumerate(machines):
                now = time.monotonic()
                ends = now + (over - now) / (len(machines) - number)
                points = job.study.points(each, job.asked)
                found = simulated.found(points, each, known, journal.keep, told, ends=ends)
                rows += found.rows
                left += found.left
    except KeyboardInterrupt:
        say(f"interrupted. {_going_on(job.path)}")
        sys.exit(INTERRUPTED)
    if left:
        say(f"--within: {counted(left, 'simulation')} left. {_going_on(job.path)}")
    return rows


def _going_on(path: Path) -> str:
    """The way to go on with what is in a folder."""
    return f"To go on, call this command with --out {path}."


def measured_rows(
    job: AskedStudy,
    measuring: Measuring,
    wanted: allocation.Wanted,
    libraries: Sequence[str],
    effort: Mapping[str, Any],
) -> tuple[tuple[Path, ...], dict[str, Any]]:
    """The folders of the campaigns, and the environments in which they were measured."""
    found: dict[Path, dict[str, Any]] = {}
    for build in _builds(measuring, libraries):
        with ExitStack() as clusters:
            settings = [
                setting
                for place in measuring.places(wanted, job.asked)
                for setting in clusters.enter_context(allocation.settings(place, say))
            ]
            plans = measuring.plans(build, settings, effort, job.asked)
            for name, plan in plans.items():
                own = job.path / "measured" / f"{build.id}-{name}"
                _carried_out(plan, own)
                found[own] = Folder(own).manifest
    return tuple(found), {own.name: manifest for own, manifest in found.items()}


def _builds(measuring: Measuring, names: Sequence[str]) -> list[native.NativeBuild]:
    """The builds that are measured: those of the libraries that are named, else what suits."""
    if measuring.every_library and not names:
        return native.installed() or [native.find(None)]
    return [native.find(name) for name in names or (None,)]


def _carried_out(plan: Plan, path: Path) -> None:
    """Measures, or goes on; ends the command where nothing was, or somebody interrupts."""
    with progress.shown(errors(), plan, plan.runs) as observer:
        result = measure(plan, path, observer, resume=Folder(path).raw.exists(), say=say)
    for failure in result.failures:
        say(failure)
    if result.interrupted:
        say(f"interrupted. {_going_on(path.parent.parent)}")
        sys.exit(INTERRUPTED)
    if not path.exists():
        raise Problem("nothing was measured")
