# SPDX-License-Identifier: BSD-3-Clause
"""The form of `laneway compare` that reads two measurements, side by side."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from laneway.collectives import WITH_BARRIER, blocking, collective
from laneway.commands.shared.changed import LESS, closing, seeing, table
from laneway.commands.shared.console import output, say
from laneway.commands.shared.exit_codes import NOT_WELL, NOTHING, UNDECIDED
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.reading import read
from laneway.guideline import Terms
from laneway.results.changes import Changes, changes
from laneway.results.measurements import holds_rows


def are_sources(words: Sequence[str]) -> bool:
    """Whether the words of `laneway compare` name measurements, and not collectives.

    A measurement has a slash, or is a file or folder that holds one. Any other word, though it may
    be a folder's name, may be a collective of the MPI library's. ./bcast is a folder, bcast the
    collective.
    """
    if not words or blocking(collective(words[0])) in WITH_BARRIER:
        return False
    return any(os.sep in word or holds_rows(Path(word)) for word in words)


@click.command("compare")
@click.argument("sources", nargs=2, type=click.Path(exists=True, path_type=Path), metavar="OLD NEW")
@click.option(
    "--margin",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.05,
    show_default=True,
    help="Share by which times may be slower without being called so.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The share of wrong decisions to put up with.",
)
@formed
def changed_command(*, sources: tuple[Path, Path], margin: float, alpha: float, form: Form) -> None:
    """Say whether what was measured last is slower than what was measured before.

    \b
    laneway compare old-library new-library
    laneway compare monday friday --json

    OLD and NEW are folders of campaigns, comparisons or imports, or files of rows. Runs of
    different jobs are no pairs: all runs of one side are compared with all of the other.

    Exit code 0: nothing is slower. Exit code 1: some case is, or a new result is wrong. Exit code
    2: nothing to compare, or a mistake. Exit code 3: some cases are undecided, none is slower.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    sides = [(path, read([path])) for path in sources]
    terms = Terms(margin, alpha)
    found = changes(sides[0][1], sides[1][1], terms)
    show(
        form, (each.row() for each in found.cases), [table(found)] if found.cases else (), less=LESS
    )
    if form is Form.TEXT:
        for line in (*closing(found, sides, terms), seeing(sources)):
            output().print(line, highlight=False, markup=False, soft_wrap=True)
    if not found.cases and not found.wrong:
        say("nothing to compare: no collective was measured on both sides in the same setting")
    sys.exit(exit_code(found))


def exit_code(found: Changes) -> int:
    """The exit code, as of `laneway verify`."""
    verdicts = {str(each.difference.change) for each in found.cases}
    if "SLOWER" in verdicts or found.wrong:
        return NOT_WELL
    if not verdicts:
        return NOTHING
    return UNDECIDED if "UNDECIDED" in verdicts else 0
