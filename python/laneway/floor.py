# SPDX-License-Identifier: BSD-3-Clause
"""The physical floor: the time in which a node's lanes cannot carry its bytes any faster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

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


class _Timed(Protocol):
    @property
    def median_us(self) -> float: ...

    @property
    def span_us(self) -> float: ...

    @property
    def floor_us(self) -> float | None: ...


class Bounded:
    """What follows for times that have a floor: a median, and the shortest span of a repetition.

    The span of a repetition is from the first rank's start to the last one's end. Data can travel
    in all of it, while the slowest rank's time leaves out by how much others started before.
    """

    @property
    def over_floor(self: _Timed) -> float | None:
        """The median over the floor; None where there is none."""
        return self.median_us / self.floor_us if self.floor_us else None

    @property
    def below_floor(self: _Timed) -> bool:
        """Whether some repetition was faster than is possible."""
        return self.floor_us is not None and self.span_us < self.floor_us


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


def node_bytes(
    collective: str, size: int, processes: Sequence[int], root: int = 0
) -> list[int] | None:
    """Bytes that each node must send to others, or receive from them, whatever is done.

    `size` is that of the call's count: the message of bcast, reduce, allreduce, scan and exscan,
    the block of a rank in the others (of a pair of ranks in alltoall). `processes` are those of
    each node, `root` is the root's node. None for a collective without a formula.

    The volumes are those of Traeff and Hunold 2020, Section 3. That of allreduce: each of m bytes
    takes N - 1 transfers to be reduced and N - 1 to be known everywhere, which the N nodes share
    at best (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009); where nodes differ, they
    may share them as they like, but each sends and receives m bytes.
    """
    nodes, ranks = len(processes), sum(processes)
    message = [size if nodes > 1 else 0] * nodes
    shared = [-(-2 * (nodes - 1) * size // nodes)] * nodes
    blocks = [(ranks - own) * size for own in processes]
    rooted = [blocks[root] if node == root else own * size for node, own in enumerate(processes)]
    return {
        "bcast": message,
        "reduce": message,
        "scan": message,
        "exscan": message,
        "allreduce": shared if len(set(processes)) == 1 else message,
        "allgather": blocks,
        "reduce_scatter_block": blocks,
        "gather": rooted,
        "scatter": rooted,
        "alltoall": [own * block for own, block in zip(processes, blocks, strict=True)],
    }.get(collective)


COLLECTIVES = (
    "allgather", "allreduce", "alltoall", "bcast", "exscan", "gather", "reduce",
    "reduce_scatter_block", "scan", "scatter",
)  # fmt: skip
"""Those with a formula. A barrier moves no data."""


def collective_us(
    wire: Wire, collective: str, size: int, *, processes: Sequence[int], lanes: int, binding: str
) -> float | None:
    """The least time of a collective on nodes with `lanes` each, whatever its root is, in us.

    None for a collective without a formula.
    """
    carried = collective_bytes(collective, size, processes=processes, lanes=lanes, binding=binding)
    return None if carried is None else wire.floor_us(carried)


def collective_bytes(
    collective: str, size: int, *, processes: Sequence[int], lanes: int, binding: str
) -> int | None:
    """Bytes that the busiest lane must carry in a collective at least, whatever its root is.

    `processes` are those of each node. With binding `lane`, fewer ranks than lanes reach only as
    many lanes as they are. None for a collective without a formula.
    """
    reached = [{"one": 1, "all": lanes}.get(binding, min(lanes, own)) for own in processes]
    carried = []
    for root in range(len(processes)):
        volumes = node_bytes(collective, size, processes, root)
        if volumes is None:
            return None
        carried.append(max(-(-own // by) for own, by in zip(volumes, reached, strict=True)))
    return min(carried)
