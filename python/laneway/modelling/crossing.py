# SPDX-License-Identifier: BSD-3-Clause
"""The data that a vector collective must bring from node to node, however that is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Crossing:
    """The least that a call needs of the lanes; the benchmark works it out of all ranks' counts."""

    bytes: int
    """Bytes that some node must send, or receive."""
    peers: int
    """Other nodes that some node must hear from, or be heard by, however messages go."""
    mutual: bool = False
    """Whether every node must hear from every other one."""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Crossing | None:
        """The least that a sample's row says; None where it does not."""
        found = row.get("crossing")
        return cls(found["bytes"], found["peers"], found["mutual"]) if found else None

    def least(self, other: Crossing) -> Crossing:
        """The bounds that hold for both, of samples whose ranks were on other nodes."""
        return Crossing(
            min(self.bytes, other.bytes),
            min(self.peers, other.peers),
            self.mutual and other.mutual,
        )
