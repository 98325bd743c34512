# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts: the times of a collective's algorithms on a machine, and of the library's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

from laneway.collectives import (
    BETWEEN_PAIRS,
    EQUAL,
    IN_ORDER,
    OF_PAIRS,
    OF_UNKNOWN_BYTES,
    VECTORS,
)
from laneway.errors import Misuse
from laneway.launching import this_machine
from laneway.libraries.registry import Algorithm
from laneway.rows import NATIVE
from laneway.simulation import program
from laneway.simulation.machine import Machine
from laneway.simulation.native import Native
from laneway.simulation.program import Call
from laneway.simulation.wins import Forecast, in_all
from laneway.units import INT

CROWD = 16
"""Ranks above which CROWDING algorithms are not forecast."""

CROWDING = frozenset({"linear", "linear_sync", "spread"})
"""Algorithms in which one process sends or receives a message for each rank, with several under way
at once. The effects of these on each other are not in the model (docs/calibration.md)."""

MOVES = (0.25, 0.5, 2, 4)
"""Factors by which the segments of the fastest are multiplied, to find better ones."""

_SEGMENT = "segment"

Unpredicted = Callable[[str, int], str]
"""A function from a collective and its bytes to the algorithm, with tunables, that serves it
without predictions."""

Tell = Callable[[str, float], None]


@dataclass(frozen=True)
class Scene:
    """The machine and the library for which calls are forecast."""

    machine: Machine
    """The machine, with the number of lanes that nodes have."""
    native: Native
    """The MPI library."""
    nodes: int
    ppn: int
    layouts: Sequence[str] = (EQUAL,)
    """Layouts of the blocks of vector collectives, each of which is forecast."""

    @cached_property
    def algorithms(self) -> Mapping[str, Sequence[Algorithm]]:
        """All algorithms, by collective."""
        found: dict[str, list[Algorithm]] = {}
        for entry in program.algorithms():
            found.setdefault(entry.collective, []).append(entry)
        return found

    def layouts_of(self, collective: str) -> Sequence[str]:
        """The layouts that a collective's blocks may have, of those that are asked for."""
        if collective not in VECTORS:
            return (EQUAL,)
        pairs = collective in BETWEEN_PAIRS
        return [name for name in self.layouts if pairs or name != OF_PAIRS] or [EQUAL]

    def time(self, collective: str, algorithm: str, size: int, layout: str = EQUAL) -> float | None:
        """Microseconds of a call; None where the algorithm does not serve it.

        Raises Misuse where the native profile does not say what serves the call, Problem.
        """
        # A barrier has no bytes; any count will do.
        nodes = [self.ppn] * self.nodes
        call = Call(collective, algorithm, size // INT or 1, nodes, layout=layout)
        return program.time_us(call, self.machine.options, self.native.under_laneway)

    def forecast(self, collective: str, size: int, standing: str) -> Forecast:
        """A call by all algorithms; the fastest of them also with other segments.

        Calls of vector collectives have all layouts of their blocks together.

        Raises Misuse, Problem.
        """
        left_out = {NATIVE}
        if self.nodes * self.ppn > CROWD and collective not in IN_ORDER:
            left_out |= CROWDING
        entries = [each for each in self.algorithms[collective] if each.algorithm not in left_out]
        names = [*(each.algorithm for each in entries), standing]
        time = functools.cache(functools.partial(self.time, collective))

        def with_layout(names: Iterable[str], layout: str) -> Forecast:
            native = time(NATIVE, size, layout)
            if native is None:
                raise Misuse(f"{self.native.path}: does not say what serves {collective}")
            times = {name: time(name, size, layout) for name in names if name != NATIVE}
            served = {name: own for name, own in times.items() if own is not None}
            return Forecast(size, native, served)

        def found(names: Sequence[str]) -> Forecast:
            return in_all([with_layout(names, each) for each in self.layouts_of(collective)])

        if collective in OF_UNKNOWN_BYTES:  # one rule for all sizes: the same names at each
            forecast = found([*names, *(label for each in entries for label in _switched(each))])
        else:
            forecast = found(names)
            if times := forecast.times_us:
                best = min(times, key=lambda name: times[name])
                forecast = found([*times, *_moved(best, entries)])
        return replace(forecast, standing=standing if standing in forecast.times_us else NATIVE)


def _moved(name: str, entries: Sequence[Algorithm]) -> Iterator[str]:
    """An algorithm with other segment lengths; nothing where it has none, or one is set."""
    tunables = next((each.tunables for each in entries if each.algorithm == name), ())
    for tunable in tunables:
        if tunable.name == _SEGMENT:
            for factor in MOVES:
                length = int(tunable.preset * factor)
                if tunable.least <= length <= tunable.most:
                    yield f"{name}({_SEGMENT}={length})"


def _switched(entry: Algorithm) -> Iterator[str]:
    """An algorithm with each of its tunables switched on that are off by preset."""
    for tunable in entry.tunables:
        if tunable.is_off(tunable.preset):
            for value in tunable.steps(tunable.preset):
                yield entry.label({tunable.name: value})


def forecasts(
    scene: Scene,
    sizes: Mapping[str, Sequence[int]],
    standing: Unpredicted,
    tell: Tell,
) -> dict[str, list[Forecast]]:
    """The forecasts of each collective at its sizes in bytes; `tell` hears how far they are.

    Raises Misuse where the native profile does not say what serves, Problem.
    """
    points = [(name, size) for name, own in sizes.items() for size in own]
    found: dict[str, list[Forecast]] = {name: [] for name in sizes}

    def one(point: tuple[str, int]) -> Forecast:
        return scene.forecast(*point, standing(*point))

    # Each call starts processes.
    pool = ThreadPoolExecutor(max_workers=this_machine.cores())
    try:
        for number, (point, each) in enumerate(zip(points, pool.map(one, points), strict=True), 1):
            found[point[0]].append(each)
            tell(f"{point[0]} {point[1]}", number / len(points))
    finally:
        pool.shutdown(cancel_futures=True)  # who interrupts it does not wait for hours
    return found
