# SPDX-License-Identifier: BSD-3-Clause
"""Families of algorithms, each drawn by one of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from laneway import files
from laneway.libraries.registry import AlgorithmKey
from laneway.simulation import drawing, schedule
from laneway.simulation.program import Call


@dataclass(frozen=True)
class PatternFamily:
    """Algorithms that send along one pattern."""

    name: str
    title: str
    call: Call
    """The call that is drawn."""

    @property
    def key(self) -> AlgorithmKey:
        """The algorithm that is drawn."""
        return self.call.collective, self.call.algorithm.partition("(")[0]


_FLAT, _NODES = (1,) * 8, (4, 4, 4)

FAMILIES = (
    PatternFamily("chain", "chain, in segments", Call("bcast", "chain", 32 << 10, _FLAT, "byte")),
    PatternFamily("binary", "binary tree", Call("bcast", "binary", 32 << 10, _FLAT, "byte")),
    PatternFamily("binomial", "binomial tree", Call("bcast", "binomial", 1024, _FLAT, "byte")),
    PatternFamily("two_tree", "two trees", Call("bcast", "two_tree", 32 << 10, _FLAT, "byte")),
    PatternFamily("ring", "ring", Call("allgather", "ring", 1024, _FLAT, "byte")),
    PatternFamily(
        "doubling", "recursive doubling", Call("allreduce", "recursive_doubling", 256, _FLAT)
    ),
    PatternFamily("bruck", "Bruck", Call("allgather", "bruck", 1024, _FLAT, "byte")),
    PatternFamily(
        "pairwise", "pairwise exchange", Call("alltoall", "pairwise", 1024, _FLAT, "byte")
    ),
    PatternFamily(
        "circulant", "circulant graph", Call("bcast", "circulant", 32 << 10, _FLAT, "byte")
    ),
    PatternFamily(
        "lane", "full-lane decomposition", Call("bcast", "lane", 32 << 10, _NODES, "byte")
    ),
    PatternFamily(
        "k_ported", "nodes of k ports", Call("bcast", "k_ported", 1024, _NODES, "byte")
    ),
)  # fmt: skip


def draw(folder: Path, known: Iterable[AlgorithmKey]) -> dict[PatternFamily, str]:
    """Draws each family whose algorithm is known, as `folder`/NAME.svg. Returns the file names."""
    there = set(known)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {}
    for family in FAMILIES:
        if family.key not in there:
            continue
        path = folder / f"{family.name}.svg"
        lanes = max(1, min(2, *family.call.nodes))
        files.replace(path, drawing.svg(schedule.explain(family.call, lanes, messages=True)))
        drawn[family] = path.name
    return drawn
