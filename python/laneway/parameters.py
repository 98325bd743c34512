# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of values that options of the command line take."""

from __future__ import annotations

import re
import shlex
from typing import Any

import click
from click.shell_completion import CompletionItem

from laneway.floor import COLLECTIVES


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


def collective(word: str) -> str:
    """The name here of a collective as MPI or anybody spells it: MPI_Bcast is bcast."""
    return word.lower().removeprefix("mpi_").replace("-", "_")


class Collectives(Names):
    """Names of collectives separated by commas, as here or as in MPI: MPI_Bcast."""

    name = "collectives"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Override of click's."""
        return tuple(map(collective, super().convert(value, param, ctx)))

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Override of click's."""
        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(before + comma + name)
            for name in (*COLLECTIVES, "barrier")
            if name.startswith(collective(last))
        ]


USUAL = 2**22
"""Bytes that sizes go up to where nothing is said, as in OSU's and IMB's benchmarks."""

WIDEST = 2**40
"""Messages of more are not measured for a while."""


_UNITS = {"": 0, "k": 10, "ki": 10, "m": 20, "mi": 20, "g": 30, "gi": 30}
"""Powers of two."""

_DECIMAL = {"kb": 10**3, "mb": 10**6, "gb": 10**9}


def size(text: str) -> int:
    """A number of bytes: 4096, 4K or 4 KiB; 4 kB is 4000. Raises ValueError."""
    word = text.strip()
    found = re.fullmatch(r"(\d+) ?([a-z]*)", word, re.ASCII | re.IGNORECASE)
    number, unit = (int(found[1]), found[2].lower()) if found else (0, "?")
    if unit in _DECIMAL:
        number *= _DECIMAL[unit]
    elif (power := _UNITS.get(unit.removesuffix("b"))) is not None:
        number <<= power
    else:
        raise ValueError(f"'{word}' is no size: a number of bytes, or one such as 4K, 1M, 4 KiB")
    if number > WIDEST:
        raise ValueError(f"'{word}' is too large")
    return number


def sizes(text: str) -> tuple[int, ...]:
    """Bytes as laneway-bench reads them: powers of two `[MIN:][MAX]`, or a list `8,64,4K`.

    Raises ValueError.
    """
    if "," in text:
        listed = tuple(size(word) for word in text.split(",") if word.strip())
        if not listed:
            raise ValueError("no size given")
        return listed
    first, colon, last = text.rpartition(":")
    least = size(first) if first else 1
    most = size(last) if last or not colon else USUAL
    found = [0] if least == 0 else []
    one = least or 1
    while one <= most:
        found.append(one)
        one *= 2
    if not found:
        raise ValueError(f"no size lies between {first} and {last}")
    return tuple(found)


class Sizes(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Sizes of messages in bytes, as OSU's benchmarks take them."""

    name = "sizes"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        try:
            return sizes(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


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
