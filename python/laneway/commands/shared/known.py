# SPDX-License-Identifier: BSD-3-Clause
"""Names by which rows are asked for: refused where neither the rows nor Laneway know them.

A known name that is only not among the rows is no mistake: the command says what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress

from laneway.collectives import WITH_BARRIER
from laneway.errors import Misuse, Problem
from laneway.libraries import native, registry
from laneway.rows import NATIVE, TUNED, Row


def must_have_collectives(option: str, names: Iterable[str], rows: Iterable[Row]) -> None:
    """Raises Misuse for an unknown operation."""
    _must_be_known(f"{option}: no collective", names, _of(rows, "collective"), _collectives)


def must_have_algorithms(option: str, names: Iterable[str], rows: Iterable[Row]) -> None:
    """Raises Misuse for an unknown algorithm; its tunables may be any."""
    there = _of(rows, "algorithm")
    bare = (name if name in there else re.split("[(#:]", name)[0] for name in names)
    _must_be_known(f"{option}: no algorithm", bare, there, algorithms)


def algorithms() -> list[str]:
    """The algorithms of all collectives; without a native build, native and TUNED alone."""
    with suppress(Problem):
        own = (entry.algorithm for entry in registry.load(native.find()))
        return [*dict.fromkeys((NATIVE, TUNED, *own))]
    return [NATIVE, TUNED]


def _collectives() -> list[str]:
    from laneway.campaign import bench  # noqa: PLC0415 - slow to load

    with suppress(Problem):
        return [*WITH_BARRIER, *bench.operations(str(native.find().bench))]
    return [*WITH_BARRIER]


def _of(rows: Iterable[Row], fact: str) -> set[str]:
    return {str(row[fact]) for row in rows if fact in row}


def _must_be_known(
    complaint: str, names: Iterable[str], there: set[str], others: Callable[[], Iterable[str]]
) -> None:
    """Raises Misuse for unknown names.

    `others`, which takes a native build, is called only where a name is not among the rows.
    """
    missing = [name for name in names if name not in there]
    every = there.union(others()) if missing else there
    for name in missing:
        if name not in every:
            raise Misuse(f"{complaint} '{name}'; known: {', '.join(sorted(every))}")
