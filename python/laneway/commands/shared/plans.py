# SPDX-License-Identifier: BSD-3-Clause
"""The parts shared by commands that carry out plans: campaign run and resume, verify --run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from laneway.campaign import RejectedError, Result
from laneway.commands.shared.against import campaigns
from laneway.commands.shared.console import say
from laneway.commands.shared.launchers import JobSize, launched
from laneway.commands.shared.measuring import foresee, measured
from laneway.commands.shared.options import Command, launcher_options_option
from laneway.errors import Misuse

NO_PLAN = "--launcher starts what --run names: name a plan"


def plan_launched(command: Command) -> Command:
    """Adds `--launcher` and the options that belong to it; the job's size is the plan's.

    The command gets `launcher` and `launcher_options`; it has a parameter `plan`, or `folder`.
    """
    return launched(launcher_options_option(command), _size)


def _size(options: Mapping[str, Any]) -> JobSize:
    path = options["plan"] if "plan" in options else options["folder"] / "plan.toml"
    if path is None and options.get("old"):
        return _size_of(options["old"])
    if path is None:
        raise Misuse(NO_PLAN)
    from laneway.plans import plan_file as plans

    where = plans.read(path)[0].place
    return where.nodes, max(where.ppn) if where.ppn else None


def _size_of(old: Path) -> JobSize:
    """The size of the job that measures old points again."""
    rows = [row for folder in campaigns(old) for row in folder.rows() if row["kind"] == "sample"]
    nodes, ppn = (
        max((row[name] for row in rows if row[name]), default=None) for name in ("nodes", "ppn")
    )
    return nodes, ppn


def carried_out(
    path: Path, out: Path | None, launcher: str | None, launcher_options: Sequence[str]
) -> Result:
    """Carries out the plan in a file, into a new folder."""
    from laneway.plans import plan_file as plans

    file, text = plans.read(path)
    with plans.settled(file.started_by(launcher, launcher_options), say) as settled:
        foresee(settled.asked())
        try:
            return measured(settled, out, file.name, text)
        except RejectedError as error:
            raise Misuse(f"{path}: {plans.key(error.option)}: {error}") from error
