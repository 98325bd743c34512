# SPDX-License-Identifier: BSD-3-Clause
"""The last lines of a command that measures, or reads measurements."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from laneway.commands.shared.console import output, say
from laneway.commands.shared.forms import Form

if TYPE_CHECKING:
    from laneway.results.measurements import Measured


def print_conclusion(
    measured: Measured,
    folder: Path | None,
    *,
    sources: Sequence[Path] = (),
    quiet: bool = False,
    more: bool = True,
) -> bool:
    """Says what measurements recommend, after their table; writes the profile into their folder.

    `quiet`: says only where the profile is, on standard error. Without a folder, says how to write
    a profile from `sources`. `more`: also says what more runs would decide. Returns whether a
    profile was written.
    """
    from laneway.choosing.conclusion import conclude  # noqa: PLC0415 - it loads what judges

    found = conclude(measured, folder, sources=sources, more=more)
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


def print_reading(
    measured: Measured, sources: Sequence[Path], form: Form, *, more: bool = True
) -> None:
    """Prints the conclusion of a command that only reads; with JSON and the like it does nothing.

    Where the folder cannot be written to, or there are several sources, it prints the command that
    writes the profile elsewhere.
    """
    if form is Form.TEXT:
        alone = len(sources) == 1 and sources[0].is_dir() and os.access(sources[0], os.W_OK)
        print_conclusion(measured, sources[0] if alone else None, sources=sources, more=more)
