# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms that their costs rule out before anything is measured."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace

from laneway.simulation import machine, program
from laneway.simulation.program import COMPONENTS, Call

FACTOR = 2.0
"""Time over the fastest's on all machines, above which an algorithm is ruled out."""

SLOWER_LANES = {"lane-bandwidth": 1 / 500, "lane-latency": 20.0, "lane-message": 20.0}
"""Factors on the example's values: its network is then slow beside nodes, as emulated ones are."""


def nobody(_name: str, _part: float) -> None:
    """An observer that ignores the progress."""


def kept(
    call: Call,
    algorithms: tuple[str, ...],
    lanes: int,
    told: Callable[[str, float], None] = nobody,
) -> list[str]:
    """The algorithms of a collective that may be the fastest for a call.

    Each is timed on a simulated clock, by its recorded schedule: on the machine `example`, and on
    one whose lanes are slow beside its nodes. If it has components, it is timed with those of
    few rounds and with those that send few bytes. It is ruled out where it takes twice as long as
    the fastest on both machines. `told` hears which algorithm is timed, and which part of them is
    done. (`call.algorithm` and `call.components` do not matter.)
    """
    found = {}
    for number, name in enumerate(algorithms):
        told(name, number / len(algorithms))
        if own := _times(call, name, lanes):
            found[name] = own
    best = [min(column) for column in zip(*found.values(), strict=True)]
    return [
        name
        for name, own in found.items()
        if any(time <= FACTOR * least for time, least in zip(own, best, strict=True))
    ]


@functools.cache
def _machines(lanes: int) -> tuple[dict[str, str], ...]:
    usual = machine.load("example").with_lanes(lanes).options
    slower = {name: repr(float(usual[name]) * factor) for name, factor in SLOWER_LANES.items()}
    return usual, {**usual, **slower}


@functools.cache
def _flat() -> frozenset[tuple[str, str]]:
    """The algorithms that know no nodes, and so have no components."""
    return frozenset(entry.key for entry in program.algorithms() if entry.flat)


@functools.cache
def _times(call: Call, algorithm: str, lanes: int) -> tuple[float, ...]:
    """The algorithm's time on each machine, with its best components; empty if it cannot serve."""
    times = []
    kinds = COMPONENTS[:1] if (call.collective, algorithm) in _flat() else COMPONENTS
    for options in _machines(lanes):
        least = math.inf
        for components in kinds:
            own = replace(call, algorithm=algorithm, components=components)
            time = program.time_us(own, options)
            if time is None:
                return ()
            least = min(least, time)
        times.append(least)
    return tuple(times)
