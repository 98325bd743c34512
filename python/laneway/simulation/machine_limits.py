# SPDX-License-Identifier: BSD-3-Clause
"""Limits of a simulated machine: laneway-simulate counts no further."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MOST_LANES = 1024
MOST_WEIGHT = 10_000
MOST_NODES = 2**24
MOST_LINKS = 2**26
"""Links between lanes, both directions of each."""

LONGEST = 3600.0
"""Seconds that anything may take."""

LEAST_RATE, MOST_RATE = 1e3, 1e15
"""Rates in bytes a second."""


def weights_of_lanes(numbers: Sequence[Any], said: object) -> str:
    """The weights of lanes as 2:1. Raises ValueError, which names what was `said`, for none."""
    if len(numbers) > MOST_LANES:
        raise ValueError(f"at most {MOST_LANES} lanes")
    if not numbers or not all(type(each) is int and 0 <= each <= MOST_WEIGHT for each in numbers):
        raise ValueError(f"{said!r} has no number from 0 to {MOST_WEIGHT} for each lane")
    if not any(numbers):
        raise ValueError("some lane must carry something")
    return ":".join(map(str, numbers))
