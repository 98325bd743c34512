# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of a machine's lanes from times of the lane pattern.

The lane pattern is from Träff and Hunold 2020, Section 2. The first k processes of each node
repeatedly send k-th parts of a message to the next node and receive them from the one before.
Published tables have no other pattern. So the time of a message besides its bytes is one figure by
its length (P-LogP: Kielmann, Bal and Verstoep 2000). It stands for adapter, protocol and copying.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from statistics import fmean

NEAR = 1.3
"""Lengths that differ by less are one point."""


@dataclass(frozen=True)
class LaneTime:
    """The time that processes of a node take for one message each, all of the same length."""

    processes: int
    bytes: float
    """The bytes of each message."""
    time_us: float


@dataclass(frozen=True)
class Known:
    """Facts that the lane pattern does not show, so that they must be known from elsewhere."""

    work_us: float = 0.0
    """The work of a process for each message, sending and receiving together."""
    message_us: float = 0.0
    """The time that a message occupies a lane besides that of its bytes."""
    eager: int | None = None
    """Messages of more bytes wait for two latencies more; None: none do."""


@dataclass(frozen=True)
class LaneParameters:
    """Parameters of `[lanes]` in a machine file."""

    rate: float
    """Bytes a microsecond."""
    latency_us: float
    delays: Mapping[int, float]
    """Microseconds that a message waits besides, by its bytes; the shortest waits for none."""
    residual: float
    """Largest relative difference of times from the fit, where no two processes share a lane."""


def fitted(points: Sequence[LaneTime], lanes: int, known: Known) -> LaneParameters:
    """The parameters of nodes with so many lanes, from times of one process a node to many.

    Raises ValueError where no process has a lane of its own.
    """
    fixed_us = known.work_us + known.message_us
    alone = [point for point in points if point.processes <= lanes]
    if not alone:
        raise ValueError("the lane pattern with one process a node is missing")
    rate = max(
        point.processes * point.bytes / min(point.processes, lanes) / point.time_us
        for point in points
    )
    latency = max(0.0, min(point.time_us for point in alone) - fixed_us)

    def fixed(size: float) -> float:
        waits = 1 if known.eager is None or size <= known.eager else 3
        return fixed_us + waits * latency + size / rate

    delays: dict[int, float] = {}
    for near in _grouped(alone):
        size = round(exp(fmean(log(point.bytes) for point in near)))
        delay = fmean(point.time_us / fixed(point.bytes) for point in near) * fixed(size)
        delays[size] = max(0.0, delay - fixed(size))
    residual = max(
        abs((fixed(point.bytes) + between(delays, point.bytes)) / point.time_us - 1)
        for point in alone
    )
    return LaneParameters(rate, latency, delays, residual)


def _grouped(points: Sequence[LaneTime]) -> list[list[LaneTime]]:
    groups: list[list[LaneTime]] = []
    for point in sorted(points, key=lambda point: point.bytes):
        if groups and point.bytes < NEAR * groups[-1][0].bytes:
            groups[-1].append(point)
        else:
            groups.append([point])
    return groups


def between(delays: Mapping[int, float], size: float) -> float:
    """The delay of a length, on straight lines between known ones, as the simulation has it."""
    known = sorted(delays.items())
    for (low, first), (high, second) in pairwise(known):
        if low <= size <= high:
            return first + (second - first) * (size - low) / (high - low)
    return known[0][1] if size < known[0][0] else known[-1][1]
