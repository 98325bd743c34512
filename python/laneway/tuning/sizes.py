# SPDX-License-Identifier: BSD-3-Clause
"""The sizes that a tuning begins with; sizes between them follow where the winner changes."""

from __future__ import annotations

from collections.abc import Iterable

from laneway.collectives import IN_BLOCKS, WITHOUT_DATA
from laneway.tuning.stage import TuningPoint

COARSE = 16
"""Factor between neighbouring sizes at the beginning."""


SMALLEST = 4
"""Bytes from which on all datatypes that are measured divide a power of two."""


def grid(collective: str, ranks: int, least: int, most: int) -> list[TuningPoint]:
    """Points from `least` bytes to `most`; those are of all blocks together where there are some.

    Sizes are powers of two from SMALLEST on.
    """
    if collective in WITHOUT_DATA:
        return [TuningPoint(collective, 0)]
    each = most // ranks if collective in IN_BLOCKS else most
    if each < least:
        return []
    first, last = power_below(max(least, SMALLEST)), power_below(max(each, SMALLEST))
    sizes = []
    while first < last:
        sizes.append(first)
        first *= COARSE
    return [TuningPoint(collective, size) for size in [*sizes, last]]


def grids(collectives: Iterable[str], ranks: int, least: int, most: int) -> list[TuningPoint]:
    """The points of several collectives."""
    return [point for name in collectives for point in grid(name, ranks, least, most)]


def power_below(number: int) -> int:
    """The largest power of two that is not above a number; 0 of 0."""
    return 1 << (number.bit_length() - 1) if number > 0 else 0


def power_above(number: int) -> int:
    """The smallest power of two that is not below a number."""
    return 1 << (number - 1).bit_length()
