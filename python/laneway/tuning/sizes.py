# SPDX-License-Identifier: BSD-3-Clause
"""The sizes that a tuning begins with: those between follow where the winner changes."""

from __future__ import annotations

from collections.abc import Iterable

from laneway.collectives import IN_BLOCKS
from laneway.tuning.stage import Point

COARSE = 16
"""Factor between neighbouring sizes at the beginning."""


def grid(collective: str, ranks: int, least: int, most: int) -> list[Point]:
    """Points from `least` bytes to `most`, of all blocks together where there are some.

    Sizes are powers of two from 4 on, which all datatypes that are measured divide.
    """
    if collective == "barrier":
        return [Point(collective, 0)]
    each = most // ranks if collective in IN_BLOCKS else most
    if each < least:
        return []
    first, last = _power(max(least, 4)), _power(max(each, 4))
    sizes = []
    while first < last:
        sizes.append(first)
        first *= COARSE
    return [Point(collective, size) for size in [*sizes, last]]


def grids(collectives: Iterable[str], ranks: int, least: int, most: int) -> list[Point]:
    """Those of several collectives."""
    return [point for name in collectives for point in grid(name, ranks, least, most)]


def _power(number: int) -> int:
    """The largest power of two that is not above a number."""
    return 1 << (number.bit_length() - 1)
