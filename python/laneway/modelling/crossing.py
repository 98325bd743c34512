# SPDX-License-Identifier: BSD-3-Clause
"""What a vector collective must bring from node to node, however that is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WITH_ALL = ("allgatherv", "reduce_scatter")
WITH_ROOT = ("gatherv", "scatterv")
BETWEEN_PAIRS = ("alltoallv", "alltoallw")
"""Vector collectives by whose the blocks are: all ranks get the block of each, or contribute to it;
the root gets all, or has them at first; every rank has one for every rank."""


@dataclass(frozen=True)
class Crossing:
    """The least that a call needs of the lanes; the benchmark works it out of all ranks' counts."""

    bytes: int
    """That some node must send, or receive."""
    peers: int
    """Other nodes that some node must hear from, or be heard by, however messages go."""
    mutual: bool = False
    """Whether every node must hear from every other one."""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Crossing | None:
        """As a sample says; None where it does not."""
        found = row.get("crossing")
        return cls(found["bytes"], found["peers"], found["mutual"]) if found else None

    def least(self, other: Crossing) -> Crossing:
        """What holds for both, of samples whose ranks were on other nodes."""
        return Crossing(
            min(self.bytes, other.bytes),
            min(self.peers, other.peers),
            self.mutual and other.mutual,
        )


def of_blocks(collective: str, blocks: Sequence[int], root: int = 0) -> Crossing:
    """Of a collective of WITH_ALL or WITH_ROOT, with the bytes of the blocks of each node's ranks.

    A node needs what others have of an allgather's blocks, and sends a partial result of each byte
    that a reduction leaves elsewhere. `root` is the root's node.
    """
    nodes, total = len(blocks), sum(blocks)
    if collective in WITH_ROOT:
        others = [own for node, own in enumerate(blocks) if node != root]
        return Crossing(sum(others), sum(map(bool, others)))
    return Crossing(
        total - min(blocks) if nodes > 1 else 0,
        nodes - 1 if total else 0,
        nodes > 1 and all(blocks),
    )


def of_pairs(sent: Sequence[Sequence[int]]) -> Crossing:
    """Of a collective of BETWEEN_PAIRS, with the bytes that each node's ranks send to each node."""
    nodes = range(len(sent))

    def both(node: int) -> Iterator[list[int]]:
        """What it sends to each other node, and what it receives from each."""
        others = [other for other in nodes if other != node]
        yield [sent[node][other] for other in others]
        yield [sent[other][node] for other in others]

    ways = [way for node in nodes for way in both(node)]
    return Crossing(
        max(map(sum, ways)),
        max(sum(map(bool, way)) for way in ways),
        len(nodes) > 1 and all(map(all, ways)),
    )
