# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of values that options of the command line take."""

from __future__ import annotations

import math
import shlex
from typing import Any

import click
from click.shell_completion import CompletionItem

from laneway.collectives import NONBLOCKING, WITH_VECTORS, collective, listed
from laneway.units import is_multiple, is_whole, parse_seconds, parse_size, parse_sizes, quoted


class NameList(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Words separated by commas; those in parentheses are parts of words."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        names = tuple(listed(str(value)))
        return names or self.fail("no name given", param, ctx)


class CollectiveList(NameList):
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
            for name in (*WITH_VECTORS, *NONBLOCKING)
            if name.startswith(collective(last))
        ]


class Operations(CollectiveList):
    """Operations as figures name them: `bcast (double)` where there are several datatypes."""

    name = "operations"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Override of click's."""
        words = (word.partition(" ") for word in NameList().convert(value, param, ctx))
        return tuple("".join((collective(name), *rest)) for name, *rest in words)


class SizeList(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Sizes of messages in bytes, as OSU's benchmarks take them."""

    name = "sizes"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        try:
            return parse_sizes(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Bytes(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """A number of bytes, at least so many: 4096, 4K, 4 kB."""

    name = "bytes"

    def __init__(self, least: int = 1) -> None:
        self._least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Override of click's."""
        if isinstance(value, int):
            return value
        try:
            number = parse_size(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return (
            number if number >= self._least else self.fail("at least one byte, please", param, ctx)
        )


class Duration(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """A time in seconds, more than 0 where nothing else is said: 0.5, 90s, 20m, 2h."""

    name = "time"

    def __init__(self, least: float | None = None, most: float = math.inf) -> None:
        self._least, self._most = least, most

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Override of click's."""
        if isinstance(value, int | float):
            return float(value)
        try:
            seconds = parse_seconds(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if self._least is None and seconds == 0:
            self.fail(f"'{value}' is no time at all", param, ctx)
        if not (self._least or 0.0) <= seconds <= self._most:
            most = f", {self._most:g}s at most" if self._most < math.inf else ""
            self.fail(f"'{value}': {self._least or 0:g}s at least{most}", param, ctx)
        return seconds


class CountList(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Counts as in MPI calls, separated by commas."""

    name = "counts"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        words = NameList().convert(value, param, ctx)
        for word in words:
            if not is_whole(word):
                self.fail(f"{quoted(word)} is no count: a number from 0 to 2147483647", param, ctx)
        return tuple(map(int, words))


class Processes(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Processes of a node, or of each node, separated by commas."""

    name = "processes"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",")]
        for word in words:
            if not is_whole(word, 1):
                self.fail(
                    f"{quoted(word)} is no number of processes: 4, or 4,3,5 for one of each node",
                    param,
                    ctx,
                )
        return tuple(map(int, words))


class TorusShape(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Nodes of each dimension of a torus, such as 4x3x2."""

    name = "shape"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Override of click's."""
        words = str(value).split("x")
        if not all(is_whole(word, 1) for word in words):
            self.fail(
                f"{quoted(str(value))} is no shape: nodes of each dimension, as 4x3x2", param, ctx
            )
        return "x".join(words)


class Amounts(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Counts as in MPI calls, or multiples of the number of ranks such as 2p."""

    name = "amounts"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | str, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        words = NameList().convert(value, param, ctx)
        return tuple(
            word if is_multiple(word) else CountList().convert(word, param, ctx)[0]
            for word in words
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
