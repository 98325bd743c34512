# SPDX-License-Identifier: BSD-3-Clause
"""Errors that the user is told in one line on standard error."""

from __future__ import annotations

import difflib
import errno
import re
from collections.abc import Sequence

_UNKNOWN = re.compile(
    r"'(?P<name>[^']+)'(?P<known>(?:; known: | is none of | is not one of )(?P<names>.+))$",
    re.DOTALL,
)


class Problem(Exception):  # noqa: N818 - it is what the user has, not a defect of ours
    """Something outside our control failed; the message says what, and what to do about it."""

    exit_code = 1


class Misuse(Problem):
    """The command line asks for something that does not exist or makes no sense."""

    exit_code = 2


class WrongFileError(Misuse):
    """A file that says something impossible."""

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        self.file, self.line, self.reason = file, line, reason
        where = file if line is None else f"{file}:{line}"
        super().__init__(f"{where}: {reason}")


class NotRunError(Problem):
    """A program that could not be started; this one ends as a shell does."""

    def __init__(self, program: str, error: OSError) -> None:
        is_unknown = error.errno == errno.ENOENT and "/" not in program
        reason = "command not found" if is_unknown else error.strerror
        super().__init__(f"cannot run {program}: {reason}")
        self.exit_code = 127 if error.errno == errno.ENOENT else 126


def with_suggestion(message: str) -> str:
    """A message about a name that is none of those that are known, with the one that was meant.

    All such messages, those of the native programs included, read "'name'; known: a, b, c".
    """
    found = _UNKNOWN.search(message)
    if not found or "id you mean" in message:
        return message
    names = {_bare(name): name for name in re.findall(r"[\w.:#@+-]+", found["names"])}
    meant = [names[name] for name in similar(_bare(found["name"]), [*names])]
    if not meant:
        return message
    return f"{message[: found.start('known')]}, did you mean {' or '.join(meant)}?{_rest(found)}"


def similar(name: str, names: Sequence[str]) -> list[str]:
    """Names that a mistyped one may have been meant for."""
    return difflib.get_close_matches(name, names)


def _bare(name: str) -> str:
    """A name without what MPI's spelling adds."""
    return name.lower().removeprefix("mpi_")


def _rest(found: re.Match[str]) -> str:
    """The names that are known: they stay where they are."""
    return f" Known: {found['names']}"
