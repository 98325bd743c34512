# SPDX-License-Identifier: BSD-3-Clause
"""Costs of algorithms on sample shapes, counted from their schedules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from laneway.collectives import IN_BLOCKS
from laneway.libraries.registry import Algorithm, AlgorithmKey
from laneway.rows import NATIVE
from laneway.simulation import program
from laneway.simulation.program import Call
from laneway.units import counted

SHAPES = ((4, 4), (16, 8))
"""Numbers of nodes, and processes of each."""

MESSAGE, BLOCK = 96_000, 960
"""Numbers of ints, which the processes of a node divide."""


def figures(algorithms: Iterable[Algorithm]) -> dict[AlgorithmKey, str]:
    """Costs in words, by collective and algorithm; those of the MPI library's are not known."""
    return {
        (entry.collective, entry.algorithm): "; ".join(
            _figure(entry, nodes, ppn) for nodes, ppn in SHAPES
        )
        for entry in algorithms
        if entry.algorithm != NATIVE
    }


def costs(entry: Algorithm, size: int, nodes: Sequence[int], lanes: int) -> dict[str, Any]:
    """The costs of an algorithm on nodes of so many processes.

    They are for a message of `size` bytes, or a block of it where there is one a process. The keys
    are `counted_rounds`, and `process_bytes`, `lane_bytes`, `node_bytes`, `scratch_bytes` at most.
    `served_by` is the algorithm that serves in its place, or None. Costs of the MPI library's own
    are not known.
    """
    if entry.algorithm == NATIVE:
        return {}
    found = _explained(entry, size, nodes, lanes, "byte")
    own = found["served_by"]
    parts = ("process", "lane", "node", "scratch")
    return {
        "served_by": None if own == entry.algorithm else own,
        "counted_rounds": found["rounds"],
        **{f"{name}_bytes": found[f"{name}_bytes"] for name in parts},
    }


def _explained(
    entry: Algorithm, count: int, nodes: Sequence[int], lanes: int, datatype: str
) -> dict[str, Any]:
    call = Call(entry.collective, entry.algorithm, count, nodes, datatype)
    (found,) = program.lines("explain", {**call.options, "lanes": str(lanes)})
    return found


def _figure(entry: Algorithm, nodes: int, ppn: int) -> str:
    count = BLOCK if entry.collective in IN_BLOCKS else MESSAGE
    costs = _explained(entry, count, [ppn] * nodes, ppn, "int")
    told = f"N = {nodes}, n = {ppn}: {counted(costs['rounds'], 'round')}"
    if not costs["bytes"]:
        return told
    parts = (
        f"{costs[f'{name}_bytes'] / costs['bytes']:.4g} m {where}"
        for name, where in (("process", "a process"), ("node", "a node"), ("scratch", "of memory"))
    )
    return ", ".join((told, *parts))
