# SPDX-License-Identifier: BSD-3-Clause
"""Measures whether the lanes of a cluster are what its description says.

TCP streams of our own run between nodes, and the bytes that arrive in a window of time are
compared with the configured rate. One process holds both ends of every stream: a socket stays in
the network namespace that it was made in, wherever its process goes.
"""

from __future__ import annotations

import os
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import psutil

from laneway.cluster import links, namespaces
from laneway.cluster.cluster import Cluster
from laneway.cluster.shaper import MTU
from laneway.cluster.spec import ClusterSpec, format_rate
from laneway.cluster.state import State
from laneway.units import counted

TOLERANCE = 0.05
"""How far a lane's rate may lie from the configured one. Headers account for 0.7%."""

_WARM_UP = 0.05  # seconds: the burst is spent, the connection at speed
_ROUND_TRIPS = 10  # more of that, where lanes have a latency
_WINDOW = 0.25  # seconds that are measured
_FAILURES = 3  # until a rate counts as wrong: others spoil one window, a wrong lane spoils all
_TRIALS = 12  # at most: failures while the hypervisor took processors do not count
_CHUNK = 256 * 1024
_CONNECT_TIMEOUT = 2.0


Judged = Callable[[Sequence[float], Sequence[float]], bool]
"""Whether the rates of streams that ran together are those expected of them, both in bit/s."""


@dataclass(frozen=True)
class Stream:
    """Bytes from one node to another, between two of their lanes."""

    source: int
    target: int
    lane: int
    target_lane: int | None = None

    @property
    def arrival(self) -> int:
        """The lane of the target."""
        return self.lane if self.target_lane is None else self.target_lane


@dataclass(frozen=True)
class LaneResult:
    """Two streams between neighbours over one lane, in opposite directions at once, in bit/s."""

    lane: int
    nodes: tuple[int, int]
    forth: float
    back: float


@dataclass(frozen=True)
class NodeResult:
    """One stream on every lane of a node at once: what the node sends in all, in bit/s."""

    node: int
    total: float


@dataclass
class ClusterCheck:
    """The results of a check; it passed if there are no problems."""

    cluster: ClusterSpec
    lanes: list[LaneResult] = field(default_factory=list)
    nodes: list[NodeResult] = field(default_factory=list)
    drops: int = 0
    stolen: float = 0.0
    """The share of the processors' time that a hypervisor took meanwhile."""
    problems: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether the cluster is what it says."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """All of it, in plain types."""
        return {**asdict(self), "passed": self.passed}


def check(cluster: Cluster) -> ClusterCheck:
    """Measure every lane of every node in both directions, and all lanes of a node together.

    Takes about 0.3 s for every lane of every node, and longer for those whose rate does not match.
    Jobs that run meanwhile spoil the figures.
    """
    before = cluster.counters()
    start, stolen = time.monotonic(), _stolen()
    report = cluster.inside(_measure)
    seconds = (time.monotonic() - start) * (os.cpu_count() or 1)
    report.stolen = (_stolen() - stolen) / seconds
    after = cluster.counters()
    spec = cluster.spec
    for node in range(spec.nodes):
        for lane in range(spec.lanes):
            drops = after[node][lane].drops - before[node][lane].drops
            if drops:
                report.problems.append(f"node{node} lane{lane}: {counted(drops, 'packet')} dropped")
            report.drops += drops
    return report


def _measure(state: State) -> ClusterCheck:
    spec = state.spec
    report = ClusterCheck(spec)
    _check_links(state, report)
    if report.problems or spec.nodes == 1:
        return report
    try:
        for lane in range(spec.lanes):
            for pair in _neighbours(spec.nodes):
                _check_lane(state, lane, pair, report)
        for node in range(spec.nodes):
            _check_node(state, node, report)
        if spec.fabric == "joint" and spec.lanes > 1:
            _check_joint(state, report)
    except OSError as error:
        report.problems.append(f"a stream broke off: {error}")
    return report


def _neighbours(nodes: int) -> list[tuple[int, int]]:
    """Pairs that touch every node, in a ring."""
    return [(node, (node + 1) % nodes) for node in range(nodes if nodes > 2 else 1)]


def _check_links(state: State, report: ClusterCheck) -> None:
    missing = {"the switches": links.missing_limits(state.spec, None)}
    for node, pid in enumerate(state.nodes):
        try:
            namespaces.enter(pid, ["net"])
        except ProcessLookupError:
            report.problems.append(f"node{node} is gone")
            continue
        missing[f"node{node}"] = links.missing_limits(state.spec, node)
    for where, devices in missing.items():
        if devices:
            report.problems.append(f"{where}: {', '.join(devices)} missing, down or without limit")


def _check_lane(state: State, lane: int, pair: tuple[int, int], report: ClusterCheck) -> None:
    forth, back = pair
    streams = [Stream(forth, back, lane), Stream(back, forth, lane)]
    rates = _measured(state, streams, _each_matches)
    report.lanes.append(LaneResult(lane, pair, *rates))
    for rate, stream in zip(rates, streams, strict=True):
        expected = _attainable(state, stream)
        if not _matches(rate, expected):
            (alone,) = _measured(state, [stream], _each_matches)
            problem = (
                f"not full duplex, {format_rate(alone)} alone"
                if _matches(alone, expected)
                else "wrong rate"
            )
            report.problems.append(
                f"lane{lane} from node{stream.source} to node{stream.target}: "
                f"{format_rate(rate)} instead of {format_rate(expected)}: {problem}"
            )


def _check_node(state: State, node: int, report: ClusterCheck) -> None:
    target = (node + 1) % state.spec.nodes
    streams = [Stream(node, target, lane) for lane in range(state.spec.lanes)]
    rates = _measured(state, streams, _sum_matches)
    total = sum(rates)
    report.nodes.append(NodeResult(node, total))
    expected = [_attainable(state, stream) for stream in streams]
    if not _sum_matches(expected, rates):
        report.problems.append(
            f"node{node}, all lanes at once: {format_rate(total)} instead of "
            f"{format_rate(sum(expected))}: lanes share something, or the processors are too slow"
        )


def _check_joint(state: State, report: ClusterCheck) -> None:
    """In a joint fabric a lane reaches every lane of another node, at its own rate."""
    stream = Stream(0, 1, lane=0, target_lane=1)
    (rate,) = _measured(state, [stream], _each_matches)
    if not _matches(rate, _attainable(state, stream)):
        report.problems.append(f"node0 lane0 to node1 lane1: {format_rate(rate)}")


def _attainable(state: State, stream: Stream) -> float:
    """Bits a second that its lanes carry in full frames, each of which takes a gap at least."""
    rates, gap = state.rates, state.spec.gap
    rate = min(rates[stream.source][stream.lane], rates[stream.target][stream.arrival])
    return min(rate, MTU * 8 * 10**9 / gap) if gap else rate


def _matches(rate: float, expected: float) -> bool:
    return abs(rate - expected) <= TOLERANCE * expected


def _measured(state: State, streams: Sequence[Stream], judged: Judged) -> list[float]:
    """The rates of streams that run at the same time, in bit/s, of the first trial that passes.

    If none passes, they are those of the last trial.
    """
    expected = [_attainable(state, stream) for stream in streams]
    failures = 0
    for _ in range(_TRIALS):
        before = _stolen()
        rates = _run(state, streams)
        if judged(expected, rates):
            break
        failures += _stolen() == before
        if failures == _FAILURES:
            break
    return rates


def _stolen() -> float:
    """Seconds that a hypervisor has taken from all processors since their start."""
    return float(psutil.cpu_times().steal)


def _each_matches(expected: Sequence[float], rates: Sequence[float]) -> bool:
    return all(map(_matches, rates, expected))


def _sum_matches(expected: Sequence[float], rates: Sequence[float]) -> bool:
    return _matches(sum(rates), sum(expected))


def _run(state: State, streams: Sequence[Stream]) -> list[float]:
    """The rates of streams that run at the same time, in bits of payload a second."""
    ends = [connect(state, stream) for stream in streams]
    try:
        return _pump(ends, _WARM_UP + _ROUND_TRIPS * 2e-9 * state.spec.latency)
    finally:
        for sender, receiver in ends:
            sender.close()
            receiver.close()


def connect(state: State, stream: Stream) -> tuple[socket.socket, socket.socket]:
    """Both ends of a connection between two nodes: sender and receiver."""
    spec = state.spec
    namespaces.enter(state.nodes[stream.target], ["net"])
    listener = socket.create_server((spec.address(stream.target, stream.arrival), 0), backlog=1)
    try:
        namespaces.enter(state.nodes[stream.source], ["net"])
        sender = socket.create_connection(
            listener.getsockname(),
            timeout=_CONNECT_TIMEOUT,
            source_address=(spec.address(stream.source, stream.lane), 0),
        )
        receiver, _ = listener.accept()
    finally:
        listener.close()
    sender.setblocking(False)
    receiver.setblocking(False)
    return sender, receiver


def _pump(ends: Sequence[tuple[socket.socket, socket.socket]], warm_up: float) -> list[float]:
    """Send as fast as every connection takes it; returns what arrives after `warm_up`, in bit/s."""
    payload = memoryview(bytes(_CHUNK))
    space = bytearray(_CHUNK)
    arrived = [0] * len(ends)
    with selectors.DefaultSelector() as selector:
        for index, (sender, receiver) in enumerate(ends):
            selector.register(sender, selectors.EVENT_WRITE)
            selector.register(receiver, selectors.EVENT_READ, index)

        def pump_until(end: float) -> float:
            while (now := time.monotonic()) < end:
                for key, _ in selector.select(timeout=end - now):
                    if key.data is None:
                        key.fileobj.send(payload)  # type: ignore[union-attr]
                    else:
                        arrived[key.data] += key.fileobj.recv_into(space)  # type: ignore[union-attr]
            return now

        start = pump_until(time.monotonic() + warm_up)
        arrived[:] = [0] * len(ends)
        seconds = pump_until(start + _WINDOW) - start
    return [8 * count / seconds for count in arrived]
