# SPDX-License-Identifier: BSD-3-Clause
"""The bytes that each lane carried in a call, by the kernel's counters: case by case."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from laneway.rows.cases import CaseKey
from laneway.rows.kinds import CarriedRow, OnLanes, of_kind
from laneway.rows.row import Row

ENOUGH = 16 * 1024
"""Bytes that a node must send in a call on average. Below that, the traffic that starts repetitions
and keeps connections alive is too large a part."""

NEGLIGIBLE = 0.005
"""Share of the traffic below which a device of a real machine is no lane."""

_LANE = re.compile(r"lane\d+")
"""The lanes of an emulated cluster, whatever other devices its nodes have."""


@dataclass(frozen=True)
class Carried:
    """Bytes in one call, [node][lane]; headers are counted."""

    lanes: Sequence[str]
    """Names of the devices."""
    sent: Sequence[Sequence[float]]
    received: Sequence[Sequence[float]]

    def sent_by(self, lane: int) -> float:
        """Bytes that all nodes together sent over a lane."""
        return sum(node[lane] for node in self.sent)

    def busiest(self, lane: int) -> float:
        """The most bytes that some node sent or received over a lane, which does both at once."""
        return max(node[lane] for node in (*self.sent, *self.received))

    @property
    def total(self) -> float:
        """Bytes that all nodes sent."""
        return sum(map(sum, self.sent))


def carried(rows: Iterable[Row]) -> dict[CaseKey, Carried]:
    """The traffic of every case whose lanes carried enough to tell."""
    calls: Counter[CaseKey] = Counter()
    counted: dict[CaseKey, list[CarriedRow]] = defaultdict(list)
    for row in of_kind(rows, CarriedRow):
        key = CaseKey.of(row)
        calls[key] += row["repetitions"] * row["inner_repetitions"] * row["threads"]
        counted[key].append(row)
    found = {}
    for key, own in counted.items():
        lanes = _lanes(own, key.lanes)
        sent = _each([(row["devices"], row["tx_bytes"]) for row in own], lanes, calls[key])
        received = _each([(row["devices"], row["rx_bytes"]) for row in own], lanes, calls[key])
        one = Carried(lanes, sent, received)
        if one.total >= ENOUGH * len(sent):
            found[key] = one
    return found


def _lanes(rows: Sequence[CarriedRow], number: int | None) -> list[str]:
    """The devices that are lanes, by their names or by what they carried.

    An emulated cluster's job has only the first `number` of its lanes.
    """
    carried: Counter[str] = Counter()
    for row in rows:
        for node in row["tx_bytes"]:
            carried.update(dict(zip(row["devices"], node, strict=True)))
    named = [name for name in carried if _LANE.fullmatch(name)][:number]
    some = NEGLIGIBLE * carried.total()
    return [name for name, own in carried.items() if name in named or own >= some]


def _each(
    carried: Sequence[tuple[Sequence[str], OnLanes]], lanes: Sequence[str], calls: int
) -> list[list[float]]:
    """A call's bytes, [node][lane], from the devices and the bytes of each row."""
    sums: list[Counter[str]] = [Counter() for _ in carried[0][1]]
    for devices, nodes in carried:
        for total, values in zip(sums, nodes, strict=True):
            total.update(dict(zip(devices, values, strict=True)))
    return [[total[lane] / calls for lane in lanes] for total in sums]
