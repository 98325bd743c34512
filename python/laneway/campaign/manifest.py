# SPDX-License-Identifier: BSD-3-Clause
"""The manifest of a campaign, written when it begins; to go on, plan and environment must agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laneway.campaign import environment
from laneway.campaign.folder import Folder
from laneway.campaign.task import Plan, differences, meaning
from laneway.errors import Misuse, Problem

LISTED = 10
"""Lines that tell changes in a plan, at most."""


def begin(folder: Folder, plan: Plan, text: str | None) -> None:
    """Writes the manifest of a campaign. `text` is the plan as the user wrote it."""
    head = {key: value for key, value in plan.heading().items() if key != "kind"}
    facts = {"runs": plan.runs, "runs_planned": plan.runs, **meaning(plan)}
    folder.create({**head, **facts, "environment": _environment(plan), "ranks": {}}, text)


def resume(folder: Folder, plan: Plan, runs: int | None, *, force: bool) -> list[str]:
    """Compares plan and environment with the manifest. Returns the environment's changes.

    Further `runs` are the one change of a plan that leaves all runs alike. Raises Misuse where the
    plan is another one; Problem where the environment is, unless `force` is given.
    """
    kept = folder.manifest
    if others := [*dict.fromkeys(differences(kept, meaning(plan)))]:
        raise Misuse(_another_plan(others, folder))
    if plan.runs not in (kept["runs"], kept.get("runs_planned", kept["runs"]), runs):
        raise Misuse(
            f"the plan asks for {plan.runs} runs now, the campaign has {kept['runs']}: "
            f"{folder.resume('--runs', str(plan.runs))}"
        )
    if runs is not None and runs < kept["runs"]:
        raise Misuse(f"--runs {runs}: the campaign has {kept['runs']}, and they only become more")
    changes = [*environment.differences(kept["environment"], _environment(plan))]
    if changes and not force:
        raise Problem(changed(changes, folder))
    if runs is not None:
        folder.revise(runs=runs)
    return changes


def changed(changes: Sequence[str], folder: Folder) -> str:
    """The message where the environment is another one."""
    listed = "\n  ".join(changes)
    return (
        f"the environment is not that of the campaign so far:\n  {listed}\n"
        "Times from both would not be of one kind. Restore it, start a new campaign, or go on "
        f"knowingly: {folder.resume('--force')}"
    )


def _environment(plan: Plan) -> dict[str, Any]:
    tasks = plan.tasks(1)
    return environment.facts(
        {task.build.id: task.build for task in tasks}.values(),
        {task.setting.name: task.setting.place for task in tasks},
    )


def _another_plan(others: Sequence[str], folder: Folder) -> str:
    listed = "\n  ".join([*others[:LISTED], *(["..."] if len(others) > LISTED else [])])
    return (
        f"the plan is not that of the campaign so far:\n  {listed}\n"
        "Runs by both would not be of one kind. Take the changes back or start a new campaign; "
        f"only the number of runs may grow: {folder.resume('--runs', 'N')}"
    )
