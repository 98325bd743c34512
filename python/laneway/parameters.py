# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of values that options of the command line take."""

from __future__ import annotations

import re
import shlex
from typing import Any

import click


def is_multiple(text: str) -> bool:
    """Whether a text stands for so many times the number of ranks, as laneway-bench reads it."""
    return re.fullmatch(r"\d*p", text) is not None


class Names(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Words separated by commas."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        names = tuple(word.strip() for word in str(value).split(",") if word.strip())
        return names or self.fail("no name given", param, ctx)


class Counts(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Counts as in MPI calls, separated by commas."""

    name = "counts"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        words = Names().convert(value, param, ctx)
        for word in words:
            if not word.isdecimal() or int(word) >= 2**31:
                self.fail(f"'{word}' is no count: a number from 0 to 2147483647", param, ctx)
        return tuple(map(int, words))


class Amounts(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Counts as in MPI calls, or multiples of the number of ranks such as 2p."""

    name = "amounts"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | str, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        words = Names().convert(value, param, ctx)
        return tuple(
            word if is_multiple(word) else Counts().convert(word, param, ctx)[0] for word in words
        )


class Words(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Words of a command line, quoted as in a shell."""

    name = "options"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Override of click's."""
        try:
            return value if isinstance(value, tuple) else tuple(shlex.split(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
