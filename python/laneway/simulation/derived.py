# SPDX-License-Identifier: BSD-3-Clause
"""Figures that follow from a machine's: the times of its messages, and the gain by its lanes.

The gain by k lanes follows Träff and Hunold 2020, Section 5. An algorithm that decomposes a message
carries V bytes on a node's lanes and W bytes within the node. With lanes of B bytes a second and a
node's memory of M, its lane phase takes V / (k B), its node phase W / M. One lane alone would take
V / B for the best of algorithms. So it is k times as fast where

    the phases overlap, as segments do:          M / B >= k W / V
    they follow each other, for a share q of k:  M / B >= k W / V * q / (1 - q)

V and W are counted in the algorithm's recorded schedule, for the number of nodes and processes.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from laneway.collectives import IN_BLOCKS
from laneway.simulation import program, torus
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call

SHARE = 0.9
"""The share of k that counts as k-fold where node phases come on top of lane phases."""


@dataclass(frozen=True)
class Derived:
    """The figures of messages between processes that nobody disturbs."""

    node_rate: float | None
    """Bytes a second of all lanes of a node, each direction; None: infinitely fast."""
    memory_over_lane: float | None
    """Bandwidth within a node over that of a lane, which limits the gain by several lanes."""
    start_us: float
    """Time of the shortest message between nodes: work of both sides, a lane's work, latency."""
    start_in_node_us: float
    half_bandwidth: float | None
    """Bytes of a message that reaches half of a lane's bandwidth (Hockney's n 1/2)."""
    half_bandwidth_in_node: float | None
    message_rate: float | None
    """Messages a second that a process can send, by its own work and the lane's."""
    links: int | None = None
    """Links of a node of a torus; None: the machine is no torus."""
    diameter: int | None = None
    """Hops to the farthest node."""
    bisection_rate: float | None = None
    """Bytes a second, each direction, between the halves of the torus."""


def derived(machine: Machine) -> Derived:
    """The figures of a machine."""
    work = machine.seconds("send") + machine.seconds("receive")
    start = work + machine.seconds("lane-message") + machine.seconds("lane-latency")
    start_in_node = work + machine.seconds("node-latency")
    lane, node = machine.rate("lane-bandwidth"), machine.rate("node-bandwidth")
    shape = torus.shape_of(machine)
    link = machine.rate("link-bandwidth")
    busy = max(machine.seconds("send"), machine.seconds("lane-message"))
    return Derived(
        node_rate=lane and machine.lanes * lane,
        memory_over_lane=node / lane if node and lane else None,
        start_us=1e6 * start,
        start_in_node_us=1e6 * start_in_node,
        half_bandwidth=lane and start * lane,
        half_bandwidth_in_node=node and start_in_node * node,
        message_rate=1 / busy if busy else None,
        links=torus.links(shape) if shape else None,
        diameter=torus.diameter(shape) if shape else None,
        bisection_rate=torus.bisection(shape) * link if shape and link else None,
    )


@dataclass(frozen=True)
class LaneGain:
    """The gain of a decomposed collective by k lanes, by its bytes alone."""

    collective: str
    nodes: int
    ppn: int
    lanes: int
    """The number k of lanes; of a torus whose nodes have one interface, their links."""
    volume_ratio: float
    """The ratio W / V: bytes within the busiest node over those on its lanes."""
    needed: float
    """The ratio M / B for a k-fold gain with phases that overlap."""
    needed_in_turn: float
    """The ratio M / B for a gain of 0.9 k with phases that follow each other."""
    has: float | None
    """The ratio M / B of the machine; None: infinitely much."""
    most: float
    """The gain at the machine's M / B, with phases that overlap."""
    most_in_turn: float
    """The gain at the machine's M / B, with phases that follow each other."""


DECOMPOSED = ("allgather", "allreduce", "alltoall", "bcast", "reduce", "scan")
"""Collectives whose gain is told; the others are parts or mirrors of them."""


def gain(machine: Machine, collective: str, nodes: int, ppn: int) -> LaneGain:
    """The gain by a machine's lanes of a collective decomposed on nodes of `ppn` processes each."""
    inside, outside = _volumes(collective, nodes, ppn)
    ratio = inside / outside
    lanes, lane = _lanes(machine)
    memory = machine.rate("node-bandwidth")
    has = memory / lane if memory and lane else None
    slowed = ratio / has if has else 0.0
    return LaneGain(
        collective=collective,
        nodes=nodes,
        ppn=ppn,
        lanes=lanes,
        volume_ratio=ratio,
        needed=lanes * ratio,
        needed_in_turn=lanes * ratio * SHARE / (1 - SHARE),
        has=has,
        most=1 / max(1 / lanes, slowed),
        most_in_turn=1 / (1 / lanes + slowed),
    )


def _lanes(machine: Machine) -> tuple[int, float | None]:
    """The number of lanes, and bytes a second of each."""
    shape = torus.shape_of(machine)
    if machine.lanes == 1 and shape:
        return torus.links(shape), machine.rate("link-bandwidth")
    return machine.lanes, machine.rate("lane-bandwidth")


@functools.cache
def _volumes(collective: str, nodes: int, ppn: int) -> tuple[int, int]:
    """Bytes within the busiest node and on its lanes, by the algorithm `lane`.

    Its components are those that send few bytes, as for long messages.
    """
    count = BLOCK if collective in IN_BLOCKS else BLOCK * nodes * ppn
    call = Call(collective, "lane", count, [ppn] * nodes, components="bytes")
    (costs,) = program.lines("explain", call.options)
    return costs["inside_bytes"], costs["node_bytes"]


BLOCK = 16
"""Elements of a process: enough that no share is rounded by much."""
