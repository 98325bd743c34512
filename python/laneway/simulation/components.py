# SPDX-License-Identifier: BSD-3-Clause
"""Whose the components of an algorithm are: Laneway's own, or the MPI library's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from laneway.collectives import IN_BLOCKS
from laneway.errors import Misuse
from laneway.simulation import program
from laneway.simulation.machine import Machine
from laneway.simulation.native import Native
from laneway.simulation.program import NATIVE, Call

OWN_COMPONENTS = 4096
"""Bytes of a component's message up to which it is Laneway's, and the library's beyond."""


def ways(
    library: Native, collective: str, size: int, processes: Sequence[int]
) -> Iterator[Mapping[str, str]]:
    """What laneway-simulate is told of the components of a call, as they would be in that library.

    Where some may be short and some long, these are two ways; the slower one is the call's time.

    size       bytes of the call, of one block where it has some
    processes  of each node
    """
    # Components have the whole of a message, or a process's share of it.
    whole = size * sum(processes) if collective in IN_BLOCKS else size
    if whole <= OWN_COMPONENTS * max(processes):
        yield {}
    if whole > OWN_COMPONENTS:
        yield library.options


def slowest(call: Call, machine: Machine, ways: Iterable[Mapping[str, str]]) -> float | None:
    """Microseconds of a call with its components in the slowest of several ways.

    None where its algorithm does not serve it. Raises Misuse where the native profile does not say
    what serves `native`, Problem.
    """
    times = []
    for way in ways:
        try:
            (row,) = program.lines("time", {**call.options, **machine.options, **way})
        except Misuse:  # a call that it cannot take is not one that is served
            if call.algorithm == NATIVE:
                raise
            return None
        if not call.is_served(row):
            return None
        times.append(float(row["time_us"]))
    return max(times)
