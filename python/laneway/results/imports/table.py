# SPDX-License-Identifier: BSD-3-Clause
"""What the readers of other benchmarks' output have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


class DamageError(Exception):
    """A line that cannot be what the benchmark wrote: its number, from 1, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")


@dataclass(frozen=True)
class Entry:
    """One line of a table of times."""

    line: int
    collective: str
    """As in laneway: lower case, words joined by underscores."""
    bytes: int
    """As the benchmark counts them."""
    time_us: float
    statistic: str
    """What `time_us` is."""
    more: Mapping[str, float | int] = field(default_factory=dict)
    """Of `ranks`, `repetitions`, `min_us`, `max_us`, `mean_us`, those that were printed."""
    datatype: str = "byte"


def number(text: str, line: int, what: str) -> float:
    """A figure that cannot be negative. Raises DamageError."""
    try:
        value = float(text)
    except ValueError:
        raise DamageError(line, f"'{text}' is no number where {what} should be") from None
    if not math.isfinite(value) or value < 0:
        raise DamageError(line, f"{what} cannot be {text}")
    return value


def whole(text: str, line: int, what: str) -> int:
    """A number of things. Raises DamageError."""
    if not text.isdecimal():
        raise DamageError(line, f"'{text}' is no number where {what} should be")
    return int(text)


def in_order(smallest: float, middle: float, largest: float, line: int) -> None:
    """Raises DamageError unless rounded figures can be minimum, mean and maximum."""
    if not smallest - 0.011 <= middle <= largest + 0.011:
        raise DamageError(
            line, f"minimum {smallest}, mean {middle} and maximum {largest} contradict each other"
        )
