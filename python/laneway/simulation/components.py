# SPDX-License-Identifier: BSD-3-Clause
"""Whose the components of an algorithm are: Laneway's own, or the MPI library's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from laneway.collectives import IN_BLOCKS
from laneway.simulation.native import Native

OWN_COMPONENTS = 4096
"""Bytes of a component's message up to which it is Laneway's, and the library's beyond."""


def ways(
    library: Native, collective: str, size: int, processes: Sequence[int]
) -> Iterator[Mapping[str, str]]:
    """What laneway-simulate is told of the components of a call, as they would be in that library.

    Where some may be short and some long, these are two ways; the slower one is the call's time.

    size       bytes of the call, as the conditions of rules count them
    processes  of each node
    """
    # Components have the whole of a message, or a process's share of it.
    whole = size * sum(processes) if collective in IN_BLOCKS else size
    if whole <= OWN_COMPONENTS * max(processes):
        yield {}
    if whole > OWN_COMPONENTS:
        yield library.options
