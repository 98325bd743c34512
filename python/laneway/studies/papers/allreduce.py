# SPDX-License-Identifier: BSD-3-Clause
"""Optimal allreduce against the library's, one process a node, over the number of nodes.

The text of the study says what its graphs show; the numbers themselves were never printed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from laneway.rows import NATIVE
from laneway.simulation import program
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway.studies.simulated import fastest, of_call
from laneway.studies.study import Asked, Curve, Parameter, Part, Plot, Point, Section, Study
from laneway.units import size

LENGTHS = (1, 1024, 262144)
"""Of vectors of REAL*8, as the study has them: 8 B, 8 KB and 2 MB."""

NODES = "2,3,4,5,6,7,8,9,12,15,16,17,24,31,32,33,48,60,63,64,65,96,128"
"""Up to those of the study's machines (60, 64 and 128), powers of two and their neighbours."""

COMPONENTS = ("rounds", "bytes")


def _counts(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and int(word) > 1 for word in words):
        raise ValueError(f"'{text}' is no list of numbers of nodes, of two at least: 2,3,4,8")
    return tuple(sorted({int(word) for word in words}))


def points(machine: Machine, asked: Asked) -> Iterator[Point]:
    """Every algorithm of the portfolio, for each length and number of nodes."""
    known = [one.algorithm for one in program.algorithms() if one.collective == "allreduce"]
    for nodes in asked["node-counts"]:
        for length in LENGTHS:
            for algorithm in known:
                if algorithm != NATIVE:
                    calls = (
                        Call("allreduce", algorithm, length, (1,) * nodes, "double", 0, components)
                        for components in COMPONENTS
                    )
                    yield fastest([of_call(call, machine) for call in calls])


Times = Mapping[int, tuple[float, str]]
"""By number of nodes: the time in microseconds, and the algorithm that takes it."""


def sections(part: Part) -> Iterator[Section]:
    """A section for each length."""
    best: dict[int, dict[int, tuple[float, str]]] = defaultdict(dict)
    for summary in part.summaries:
        key = summary.key
        if key.collective == "allreduce" and key.ppn == 1 and key.algorithm != NATIVE:
            found = (summary.median_us, key.algorithm)
            best[key.bytes][key.nodes] = min(best[key.bytes].get(key.nodes, found), found)
    for length, own in sorted(best.items()):
        yield Section(
            f"Allreduce of {size(length)}",
            table=[
                {"nodes": nodes, "optimal us": time, "by": algorithm}
                for nodes, (time, algorithm) in sorted(own.items())
            ],
            plots=[
                Plot(
                    f"Allreduce of {size(length)}, one process a node",
                    "nodes",
                    "us",
                    [Curve("optimal", [(nodes, time) for nodes, (time, _) in own.items()])],
                )
            ],
        )


STUDY = Study(
    title="Allreduce: the best algorithm against the library's, one process a node",
    source="Optimal MPI_ALLREDUCE node performance",
    told="How far the MPI library's allreduce is from the best of a portfolio, for 8 B, 8 KB and "
    "2 MB over the number of nodes; whether times grow with log P; whether the library prefers "
    "powers of two.",
    machines=("example",),
    points=points,
    sections=sections,
    parameters=(Parameter("node-counts", "Numbers of nodes.", NODES, "N,M", _counts),),
)
