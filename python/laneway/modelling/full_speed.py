# SPDX-License-Identifier: BSD-3-Clause
"""Times of a cluster in slow motion in the unit of the machine that it stands for."""

from __future__ import annotations

from collections.abc import Iterable

from laneway.cluster.spec import format_time

UNSLOWED = "memory, reductions and copies inside nodes are not slowed down"


def unit(slower: int) -> str:
    """The meaning of a time: `1ms here = 1us at full speed`; empty where nothing is slowed."""
    return f"{format_time(1000 * slower)} here = 1us at full speed" if slower > 1 else ""


def note(factors: Iterable[int]) -> str:
    """A note for readers of times measured at such factors; empty where nothing is slowed."""
    known = sorted({factor for factor in factors if factor > 1})
    if not known:
        return ""
    machine = "a machine" if len(known) == 1 else "machines"
    times = " and ".join(map(str, known))
    units = "; ".join(map(unit, known))
    return f"Times are of {machine} {times} times slower: {units}; {UNSLOWED}."


def titled(title: str, factors: Iterable[int]) -> str:
    """A title, and below it what times mean that were measured in slow motion."""
    return "\n".join(filter(None, (title, note(factors))))
