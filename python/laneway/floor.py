# SPDX-License-Identifier: BSD-3-Clause
"""The physical floor: the time in which a node's lanes cannot carry its bytes any faster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

BITS = 8

Binding = Literal["lane", "all", "one"]
"""What a rank sees of its node's lanes: one, rank j lane j mod L; all of them; the first."""


@dataclass(frozen=True)
class Wire:
    """A lane as configured, in each direction: a token bucket."""

    rate: int
    """Bits a second."""
    burst: int
    """Bytes that pass at once when the bucket is full."""

    def floor_us(self, carried: int) -> float:
        """The least time in which a lane carries so many bytes, in microseconds.

        A bucket full at the start lets `burst` bytes pass at once, and from then on no more than
        `rate`. Headers of packets are not counted: a true lower bound.
        """
        return max(0, carried - self.burst) * BITS / self.rate * 1e6


def busiest_lane(network_bytes: Sequence[int], lanes: int, binding: str) -> int:
    """Bytes that the busiest lane of a node must carry.

    `network_bytes` holds those that process 0, 1, ... of the node exchange with other nodes.
    Binding `lane`: process j uses lane j mod `lanes`; `one`: all use lane 0; `all`: the library
    may spread them, at best evenly.
    """
    if binding == "one":
        return sum(network_bytes)
    if binding == "all":
        return -(-sum(network_bytes) // lanes)
    return max(sum(network_bytes[lane::lanes]) for lane in range(lanes))


def node_bytes(collective: str, size: int, nodes: int, ppn: int) -> int | None:
    """Bytes that the busiest node must send to others, or receive from them, whatever is done.

    `size` is that of the call's count: the message of bcast, reduce, allreduce and scan, the block
    of a rank in the others (of a pair of ranks in alltoall). `nodes` have `ppn` ranks each. None
    for a collective without a formula.

    The volumes are those of Traeff and Hunold 2020, Section 3. That of allreduce: each of m bytes
    takes N - 1 transfers to be reduced and N - 1 to be known everywhere, which the N nodes share
    at best (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009).
    """
    others = nodes - 1
    match collective:
        case "bcast" | "reduce" | "scan":
            return size if others else 0
        case "allreduce":
            return -(-2 * others * size // nodes)
        case "allgather" | "gather" | "scatter" | "reduce_scatter_block":
            return others * ppn * size
        case "alltoall":
            return ppn * others * ppn * size
    return None


def collective_us(
    wire: Wire, collective: str, size: int, *, nodes: int, ppn: int, lanes: int, binding: str
) -> float | None:
    """The least time of a collective on `nodes` with `lanes` each, in microseconds.

    With binding `lane`, fewer ranks than lanes reach only as many lanes as they are. None for a
    collective without a formula.
    """
    carried = node_bytes(collective, size, nodes, ppn)
    if carried is None:
        return None
    reached = {"one": 1, "all": lanes}.get(binding, min(lanes, ppn))
    return wire.floor_us(-(-carried // reached))
