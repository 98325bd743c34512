# SPDX-License-Identifier: BSD-3-Clause
"""Where the subcommands print: results on standard output, all else on standard error."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

UNLIMITED = 10_000
"""Width of lines where no terminal is, as in a pipe: no sentence is wrapped there."""

PIPED = 120
"""Width of tables where no terminal is: they are read in files and mails."""


@functools.cache
def errors() -> Console:
    """Standard error: a single console, so that messages stand above a bar of progress."""
    return _console(stderr=True)


def output(*, stderr: bool = False) -> Console:
    """Standard output (or error): as wide as the terminal, or unlimited where there is none."""
    console = _console(stderr=stderr)
    if not console.is_terminal:
        console.width = UNLIMITED
    return console


def _console(*, stderr: bool) -> Console:
    """A console that leaves text as it is: to rich, :x: in a user's path would be a picture."""
    from rich.console import Console  # noqa: PLC0415 - slow to load, and most often nothing is said

    return Console(stderr=stderr, emoji=False)


def say(message: str) -> None:
    """Tells the user something that is no result, on standard error."""
    errors().print(message, highlight=False, markup=False, soft_wrap=True)
