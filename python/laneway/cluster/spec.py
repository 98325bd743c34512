# SPDX-License-Identifier: BSD-3-Clause
"""What a cluster is made of: nodes, lanes, rates and addresses. Nothing here touches the system."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Fabric = Literal["separate", "joint"]

LOGIN = "login"
"""Host name of the node that launches jobs; it has no lanes."""

MANAGEMENT = "mgmt"
"""The interface of every node on the unlimited network of the launchers' daemons."""

MANAGEMENT_NETWORK = "10.0.0.0/16"

BURST = 18 * 1024
"""Bytes that a full token bucket lets pass at once: two frames of 9000 bytes. A smaller bucket
costs throughput, a larger one lets whole messages slip past the rate."""

MAX_NODES = 64
MAX_LANES = 16

_RATE_UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")


MADE_FOR_IT = "own-"
"""What the name of a cluster begins with that a command made for itself, and took down."""


class SpecError(ValueError):
    """A cluster that can't be described."""


def parse_rate(text: str) -> int:
    """Bits a second of `200mbit`, `1gbit`, `1.5gbit`; decimal prefixes, as `tc` reads them."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?bit)", text.strip().lower())
    if not match:
        raise SpecError(f"rate {text!r}: expected a number with kbit, mbit or gbit, as in 200mbit")
    return round(float(match[1]) * _RATE_UNITS[match[2]])


def format_rate(bits: float) -> str:
    """The inverse of parse_rate, to three significant digits."""
    for unit in ("gbit", "mbit", "kbit"):
        if bits >= _RATE_UNITS[unit]:
            return f"{bits / _RATE_UNITS[unit]:.3g}{unit}" if bits < 1e12 else f"{bits:.0f}bit"
    return f"{bits:.0f}bit"


@dataclass(frozen=True)
class ClusterSpec:
    """A cluster as asked for.

    name    distinguishes clusters that are up at the same time
    nodes   N, number of nodes
    lanes   interfaces of a node with a rate of their own
    rate    of each lane and direction, in bits a second
    burst   of the token bucket that keeps the rate, in bytes
    fabric  `separate`: a switch a lane; `joint`: one switch for all lanes
    slots   processes a node if they differ from node to node, else empty
    """

    name: str = "default"
    nodes: int = 4
    lanes: int = 2
    rate: int = 200 * 10**6
    burst: int = BURST
    fabric: Fabric = "separate"
    slots: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise SpecError(f"name {self.name!r}: letters, digits, '_', '.', '-', at most 32")
        if not 1 <= self.nodes <= MAX_NODES:
            raise SpecError(f"{self.nodes} nodes: expected 1 to {MAX_NODES}")
        if not 1 <= self.lanes <= MAX_LANES:
            raise SpecError(f"{self.lanes} lanes: expected 1 to {MAX_LANES}")
        if not 10**6 <= self.rate <= 32 * 10**9:
            raise SpecError(f"rate {format_rate(self.rate)}: expected 1mbit to 32gbit")
        if self.fabric not in ("separate", "joint"):
            raise SpecError(f"fabric {self.fabric!r}: expected separate or joint")
        if self.slots and (len(self.slots) != self.nodes or min(self.slots) < 1):
            raise SpecError(f"slots {self.slots}: expected {self.nodes} numbers from 1 on")

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names of the nodes."""
        return tuple(f"node{node}" for node in range(self.nodes))

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of a node's lane interfaces, the same on every node."""
        return tuple(f"lane{lane}" for lane in range(self.lanes))

    def address(self, node: int, lane: int) -> str:
        """IPv4 address of a lane of a node. Lane l has the network 10.(l+1).0.0/16."""
        return f"10.{lane + 1}.0.{node + 1}"

    def management_address(self, node: int | None) -> str:
        """IPv4 address of a node on the management network; of the login node if None."""
        return "10.0.1.1" if node is None else f"10.0.0.{node + 1}"

    def ppn(self, default: int) -> tuple[int, ...]:
        """Processes on each node: what the cluster says, else the `default` of a job."""
        return self.slots or (default,) * self.nodes

    def to_json(self) -> dict[str, Any]:
        """The fields, in plain types."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> ClusterSpec:
        """Undo to_json."""
        return cls(**{**fields, "slots": tuple(fields["slots"])})

    def __str__(self) -> str:
        text = f"{self.nodes} nodes, {self.lanes} lanes of {format_rate(self.rate)}"
        text += f", {self.fabric} fabric"
        if self.slots:
            text += f", {','.join(map(str, self.slots))} processes a node"
        return text
