# SPDX-License-Identifier: BSD-3-Clause
"""The crossing of vector collectives from their counts, as the benchmark is to work it out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from laneway.modelling.crossing import Crossing

WITH_ALL = ("allgatherv", "reduce_scatter")
WITH_ROOT = ("gatherv", "scatterv")
BETWEEN_PAIRS = ("alltoallv", "alltoallw")
"""Vector collectives by whose the blocks are. In the first, all ranks get the block of each, or
contribute to it. In the second, the root gets all, or has them at first. In the third, every rank
has one for every rank."""


def of_blocks(collective: str, blocks: Sequence[int], root: int = 0) -> Crossing:
    """The crossing of one of WITH_ALL or WITH_ROOT, with the bytes of the blocks of each node.

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
    """The crossing of one of BETWEEN_PAIRS, where each node sends each so many bytes."""
    nodes = range(len(sent))

    def both(node: int) -> Iterator[list[int]]:
        """The bytes that a node sends to each other one, and those that it receives from each."""
        others = [other for other in nodes if other != node]
        yield [sent[node][other] for other in others]
        yield [sent[other][node] for other in others]

    ways = [way for node in nodes for way in both(node)]
    return Crossing(
        max(map(sum, ways)),
        max(sum(map(bool, way)) for way in ways),
        len(nodes) > 1 and all(map(all, ways)),
    )
