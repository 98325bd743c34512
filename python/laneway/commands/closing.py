# SPDX-License-Identifier: BSD-3-Clause
"""The last lines of a command that measured, or reads what was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from laneway.commands.console import output, say

if TYPE_CHECKING:
    from laneway.measured import Measured


def print_conclusion(
    measured: Measured, folder: Path | None, *, quiet: bool = False, more: bool = True
) -> bool:
    """Says what measurements recommend, after their table; writes the profile into their folder.

    `quiet`: only where the profile is, on standard error. `more`: also what more runs would decide.
    Returns whether a profile was written.
    """
    from laneway.conclusion import conclude  # noqa: PLC0415 - it loads what judges

    found = conclude(measured, folder, more=more)
    for problem in found.problems:
        say(problem)
    if quiet:
        for path in found.profiles:
            say(f"profile: {path}")
        return bool(found.profiles)
    console = output()
    for line in found.lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    return bool(found.profiles)
