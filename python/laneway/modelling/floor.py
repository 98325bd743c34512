# SPDX-License-Identifier: BSD-3-Clause
"""The physical floor: the time below which the lanes can carry neither bytes nor messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from laneway.cluster.spec import Paced, format_rate, format_time, rates_in_words
from laneway.collectives import AMONG_ALL, COLLECTIVES, IN_BLOCKS, blocking
from laneway.modelling import logp
from laneway.modelling.crossing import Crossing

BITS = 8

RELAYED = frozenset(COLLECTIVES) - IN_BLOCKS
"""Collectives in which a node needs all others' bytes combined, or all others need those of one."""


@dataclass(frozen=True)
class Wire(Paced):
    """A lane as configured, in each direction: a token bucket, or a switch with latency and gap."""

    rate: int
    """Bits a second."""
    burst: int
    """Bytes that pass at once when the bucket is full."""
    latency: int = 0
    """Nanoseconds from a frame's last bit leaving to its coming."""
    gap: int = 0
    """Nanoseconds at least between the starts of two frames."""
    slower: int = 1
    """The factor by which it is slower than the lane that it stands for."""
    rates: tuple[tuple[int, ...], ...] = ()
    """Bits a second of lanes that are not alike, [node][lane]; the last row is of further nodes."""

    @classmethod
    def of(cls, cluster: Mapping[str, Any] | None) -> Wire | None:
        """The lanes of a cluster as rows describe it; None where there is none."""
        if not cluster:
            return None
        own = cls(
            cluster["rate"],
            cluster["burst"],
            cluster.get("latency", 0),
            cluster.get("gap", 0),
            cluster.get("slower", 1),
            tuple(map(tuple, cluster.get("rates", ()))),
        )
        # A switch that keeps latency and gap sends frame after frame: no bucket is ever full.
        return replace(own, burst=0) if own.timed else own

    @property
    def mean_rate(self) -> float:
        """Bits a second of a lane, on average."""
        every = [rate for node in self.rates for rate in node]
        return sum(every) / len(every) if every else self.rate

    @property
    def told(self) -> str:
        """The rates in words."""
        return rates_in_words(self.rates) if self.rates else format_rate(self.rate)

    def of_node(self, node: int, reached: int) -> Wire:
        """Such a lane that as many alike carry what the first `reached` of a node do together."""
        own = self.rates[min(node, len(self.rates) - 1)] if self.rates else ()
        return self._like(own[:reached])

    def of_nodes(self, nodes: int, reached: int) -> Wire:
        """A lane that carries on average what those of so many nodes do."""
        rows = (self.rates[min(node, len(self.rates) - 1)] for node in range(nodes))
        return self._like([rate for own in rows for rate in own[:reached]])

    def of_lane(self, lane: int) -> Wire:
        """A lane of the node where it is slowest."""
        return self._like([min(own[lane] for own in self.rates)]) if self.rates else self

    def _like(self, rates: Sequence[int]) -> Wire:
        # Rounded up: what is said of it stays a lower bound.
        return replace(self, rate=-(-sum(rates) // len(rates)), rates=()) if rates else self

    @property
    def formula(self) -> str:
        """The floor in words."""
        if self.rates:
            return (
                "(bytes that the busiest node must carry - "
                f"{self.burst} a lane) / the rates of its lanes together, {self.told}"
            )
        rate = format_rate(self.rate)
        if not self.timed:
            return f"(bytes that the busiest lane must carry - {self.burst}) / {rate}"
        latency, gap = format_time(self.latency), format_time(self.gap)
        return (
            f"the greatest of three times. One is (bytes that the busiest lane must carry) / "
            f"{rate} + {latency}. One is that for the bytes that somebody passes on, a latency "
            "later. One is the least in which all can hear of others, by messages that take "
            f"{latency} and that a lane starts and receives {gap} apart"
        )

    def busy_us(self, carried: int) -> float:
        """The least time for which a lane is busy with so many bytes, in microseconds.

        A bucket full at the start lets `burst` bytes pass at once, and from then on no more than
        `rate`. Headers of packets are not counted: a true lower bound.
        """
        return max(0, carried - self.burst) * BITS / self.rate * 1e6

    def floor_us(self, carried: int) -> float:
        """The least time until so many bytes, through one lane, have come, in microseconds.

        The last bit of those that a lane sends has still to travel, and the first of those that it
        receives has travelled before.
        """
        return self.busy_us(carried) + (self.latency / 1000 if carried else 0)


def relayed_us(wire: Wire, size: int, nodes: int, lanes: int) -> float:
    """The least time of a collective of RELAYED among nodes with so many lanes, in us.

    A node needs all others' contributions combined. It gets each byte of them as N - 1 single ones,
    or as one that another node has combined. The second kind comes two latencies after the start at
    the earliest. With L the latency and K the rate of its lanes, they receive K (T - L) bytes until
    T. At most K (T - 2 L) of these are of the second kind, and m - K (T - 2 L) bytes come N - 1
    times. When one node tells all others, the same holds backwards: what they get within the second
    latency comes from it alone.
    """
    busy, latency = wire.busy_us(size) / lanes, wire.latency / 1000
    directly = (nodes - 1) * busy
    if directly <= latency:
        return latency + directly if directly else 0
    return busy + 2 * latency - latency / (nodes - 1)


class _Timed(Protocol):
    @property
    def median_us(self) -> float: ...

    @property
    def span_us(self) -> float: ...

    @property
    def floor_us(self) -> float | None: ...


class Bounded:
    """The relations of times to their floor: of a median, and the shortest span of a repetition.

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

    `size` is the size of the call's count. For bcast, reduce, allreduce, scan and exscan that is
    the message, for others the block of a rank (of a pair of ranks in alltoall). `processes`
    are those of each node, `root` is the root's node. None for a collective without a formula.

    The volumes are from Traeff and Hunold 2020, Section 3. In allreduce, each of m bytes takes
    N - 1 transfers to be reduced and N - 1 to be known everywhere. At best the N nodes share them
    (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009). However nodes that differ share
    them, one has as many as that.
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
        "allreduce": shared,
        "allgather": blocks,
        "reduce_scatter_block": blocks,
        "gather": rooted,
        "scatter": rooted,
        "alltoall": [own * block for own, block in zip(processes, blocks, strict=True)],
    }.get(collective)


def collective_us(
    wire: Wire,
    collective: str,
    size: int,
    *,
    processes: Sequence[int],
    lanes: int,
    binding: str,
    calls: int = 1,
) -> float | None:
    """The least time of a collective on nodes with `lanes` each, whatever its root is, in us.

    For several `calls` in a row it is their mean: they may overlap where nobody hears from
    everybody. None for a collective without a formula, and for a barrier where messages take no
    time. A nonblocking collective has the time of its blocking form.
    """
    collective = blocking(collective)
    reached = _reached(processes, lanes, binding)
    proven = []
    busy = _busy_us(wire, collective, size, processes, reached)
    if busy is not None:
        proven.append(busy + (wire.latency / 1000 / calls if size and len(processes) > 1 else 0))
    if wire.timed and collective in RELAYED and len(processes) > 1:
        proven.append(relayed_us(wire, calls * size, len(processes), reached) / calls)
    if wire.timed and (size > 0 or collective == "barrier"):
        ports = [reached] * len(processes)
        messages = logp.collective_ns(collective, ports, wire.latency, wire.gap)
        if messages is not None:
            in_turn = collective in AMONG_ALL
            proven.append(messages / 1000 / (1 if in_turn else calls))
    return max(proven, default=None)


def _busy_us(
    wire: Wire, collective: str, size: int, processes: Sequence[int], reached: int
) -> float | None:
    """The least time for which some node's lanes are busy, whatever the root is, in us."""
    times = []
    for root in _unlike(wire, processes):
        volumes = node_bytes(collective, size, processes, root)
        if volumes is None:
            return None
        if collective == "allreduce" and wire.rates and len(processes) > 1:
            # A node may leave the most to others, but it sends and receives the message once.
            together = wire.of_nodes(len(processes), reached).busy_us(-(-volumes[0] // reached))
            volumes = [size] * len(processes)
        else:
            together = 0
        alone = (
            wire.of_node(node, reached).busy_us(-(-volumes[node] // reached))
            for node in (root, *_unlike(wire, processes, root))
        )
        times.append(max(together, *alone))
    return min(times)


def _unlike(wire: Wire, processes: Sequence[int], but: int | None = None) -> list[int]:
    """The first one of nodes that are alike, by processes and lanes, of all nodes `but` one."""
    first: dict[tuple[int, tuple[int, ...]], int] = {}
    for node, own in enumerate(processes):
        if node != but:
            lanes = wire.rates[min(node, len(wire.rates) - 1)] if wire.rates else ()
            first.setdefault((own, lanes), node)
    return [*first.values()]


def crossing_us(
    wire: Wire,
    crossing: Crossing,
    *,
    processes: Sequence[int],
    lanes: int,
    binding: str,
    calls: int = 1,
) -> float:
    """The least time of a vector collective that must bring so much from node to node, in us.

    For several `calls` in a row it is their mean: they may overlap unless everybody hears from
    everybody.
    """
    reached = _reached(processes, lanes, binding)
    carried = -(-crossing.bytes // reached)
    # Nobody says which node it is that must.
    busy = min(wire.of_node(node, reached).busy_us(carried) for node in range(len(processes)))
    least = busy + (wire.floor_us(carried) - wire.busy_us(carried)) / calls
    if not wire.timed:
        return least
    ports = [reached] * (crossing.peers + 1)
    messages = logp.spread_ns(ports, 0, wire.latency, wire.gap) / 1000
    return max(least, messages / (1 if crossing.mutual else calls))


def probe_us(
    wire: Wire,
    collective: str,
    network_bytes: Sequence[int],
    *,
    nodes: int,
    lanes: int,
    binding: str,
    exchanges: int,
) -> float:
    """The least time of a probe's `exchanges` in a row among `nodes`, in us.

    `network_bytes` are those of process 0, 1, ... of a node in all of them together. Collectives in
    a row: see `collective_us`. In the lane pattern everyone waits for one message. Its sender
    starts it when the message before has come to it: exchange after exchange takes a latency.
    """
    if wire.rates and binding == "lane":
        by_lane = (sum(network_bytes[lane::lanes]) for lane in range(lanes))
        least = max(wire.of_lane(lane).floor_us(own) for lane, own in enumerate(by_lane))
    else:
        reached = _reached([len(network_bytes)], lanes, binding)
        slowest = min(
            (wire.of_node(node, reached) for node in range(nodes)), key=lambda own: own.rate
        )
        least = slowest.floor_us(busiest_lane(network_bytes, lanes, binding))
    if not wire.timed:
        return least
    reached = _reached([len(network_bytes)], lanes, binding)
    if collective == "sendrecv":
        own = -(-max(network_bytes) // (lanes if binding == "all" else 1))
        return max(least, exchanges * wire.latency / 1000 + wire.busy_us(own))
    if not any(network_bytes):
        return least
    messages = logp.collective_ns(collective, [reached] * nodes, wire.latency, wire.gap) or 0
    return max(least, messages / 1000 * (exchanges if collective in AMONG_ALL else 1))


def collective_bytes(
    collective: str, size: int, *, processes: Sequence[int], lanes: int, binding: str
) -> int | None:
    """Bytes that the busiest lane must carry in a collective at least, whatever its root is.

    `processes` are those of each node. None for a collective without a formula.
    """
    reached = _reached(processes, lanes, binding)
    carried = []
    for root in {own: node for node, own in enumerate(processes)}.values():  # others are alike
        volumes = node_bytes(collective, size, processes, root)
        if volumes is None:
            return None
        carried.append(-(-max(volumes) // reached))
    return min(carried)


def _reached(processes: Sequence[int], lanes: int, binding: str) -> int:
    """The lanes that every node can use.

    With binding `lane` a rank has one. But the system sends by the lane that its peer's address
    belongs to. So a node of few ranks uses all those that ranks of a larger one have.
    """
    return {"one": 1, "all": lanes}.get(binding, min(lanes, max(processes)))
