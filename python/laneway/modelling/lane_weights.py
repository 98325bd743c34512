# SPDX-License-Identifier: BSD-3-Clause
"""Weights of lanes, as settings and profiles say: how much each carries in the time of others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MOST_WEIGHT = 10_000


@dataclass(frozen=True)
class LaneWeights:
    """The weights of a node's lanes, and of those of single nodes, all on one scale."""

    usual: tuple[int, ...]
    of_nodes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By the name of the node."""

    @classmethod
    def parse(cls, text: str) -> LaneWeights:
        """The weights of a text such as 2:1, or 10:10,node2=10:1. Raises ValueError for another."""
        first, *others = text.split(",")
        usual, of_nodes = _row(first), {}
        for other in others:
            node, _, row = other.partition("=")
            if not node or node in of_nodes or not row:
                raise ValueError(f"{other!r} has no weights of another node, as node2=10:1")
            of_nodes[node] = _row(row)
            if len(of_nodes[node]) != len(usual):
                raise ValueError(f"{other!r} has not as many weights as there are lanes")
        return cls(usual, of_nodes)

    @classmethod
    def of_rows(cls, rows: Mapping[str, Sequence[int]]) -> LaneWeights:
        """The weights of nodes, by their names: most nodes have the usual ones."""
        every = {node: tuple(row) for node, row in rows.items()}
        divisor = math.gcd(*(each for row in every.values() for each in row)) or 1
        every = {node: tuple(each // divisor for each in row) for node, row in every.items()}
        usual = Counter(every.values()).most_common(1)[0][0]
        return cls(usual, {node: row for node, row in every.items() if row != usual})

    @property
    def lanes(self) -> int:
        """The number of lanes."""
        return len(self.usual)

    @property
    def most(self) -> int:
        """The greatest weight."""
        return max(max(row) for row in (self.usual, *self.of_nodes.values()))

    def of_node(self, node: str) -> tuple[int, ...]:
        """The weights of the lanes of a node."""
        return self.of_nodes.get(node, self.usual)

    def __str__(self) -> str:
        rows = [_told(self.usual), *(f"{node}={_told(row)}" for node, row in self.of_nodes.items())]
        return ",".join(rows)


def _told(row: Sequence[int]) -> str:
    return ":".join(map(str, row))


def _row(text: str) -> tuple[int, ...]:
    words = text.split(":")
    if not all(word.isascii() and word.isdigit() and int(word) <= MOST_WEIGHT for word in words):
        raise ValueError(f"{text!r} has no number from 0 to {MOST_WEIGHT} for each lane")
    row = tuple(map(int, words))
    if not any(row):
        raise ValueError("some lane must carry something")
    return row
