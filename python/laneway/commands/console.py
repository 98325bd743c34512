# SPDX-License-Identifier: BSD-3-Clause
"""Where the subcommands print: results on standard output, all else on standard error."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

INTERRUPTED = 130
"""Exit code after Ctrl-C."""

TABLE_WIDTH = 124
"""Lines of tables are never shortened: on a narrow terminal they wrap."""


@functools.cache
def errors() -> Console:
    """Standard error: there is one, so that what is said stands above a bar of progress."""
    from rich.console import Console  # noqa: PLC0415 - slow to load, and most often nothing is said

    return Console(stderr=True)


def output(*, stderr: bool = False, width: int = TABLE_WIDTH) -> Console:
    """Standard output (or error), wide enough for the tables."""
    from rich.console import Console  # noqa: PLC0415 - as above

    console = Console(stderr=stderr)
    console.width = max(console.width, width)
    return console


def say(message: str) -> None:
    """Tells the user something that is no result, on standard error."""
    errors().print(message, highlight=False, markup=False, soft_wrap=True)
