# SPDX-License-Identifier: BSD-3-Clause
"""The physical floor: the time in which a node's lanes cannot carry its bytes any faster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

BITS = 8

Binding = Literal["lane", "all", "one"]


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
