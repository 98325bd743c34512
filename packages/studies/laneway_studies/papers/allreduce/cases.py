# SPDX-License-Identifier: BSD-3-Clause
"""The cases: every algorithm, for three lengths, over numbers of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from laneway.campaign import Plan
from laneway.launching.allocation import CLUSTER_NODES, Wanted
from laneway.launching.place import Setting
from laneway.libraries import registry
from laneway.libraries.native import NativeBuild
from laneway.libraries.registry import Algorithm
from laneway.plans import comparison
from laneway.plans.comparison import Arm
from laneway.rows import NATIVE
from laneway.simulation import program
from laneway.simulation.machine import Machine
from laneway.simulation.program import COMPONENTS, Call
from laneway_studies.simulated import fastest, of_call
from laneway_studies.study import Asked, Effort, SimulatedPoint

COLLECTIVE = "allreduce"

LENGTHS = {
    1: "8 B: the library's is a good choice on all systems, and scales reasonably",
    1024: "8 KB: the library's is a good choice on one system of five only. On the others it "
    "prefers powers of two, and gets slower with log P, faster than the best algorithms do",
    262144: "2 MB: the library's is not the best for most timings on any system. Its preference "
    "for powers of two is gone, while the best algorithms still show it",
}
"""Lengths of vectors of REAL*8, and what the study says of each."""

ELEMENT = 8
"""Bytes of a REAL*8."""

STEPS = (1 / 4, 4)
"""Segments that are tried besides the usual one, as multiples of it."""


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """Every algorithm of the portfolio and of libraries, for each length and number of nodes."""
    known = [one for one in program.algorithms() if one.collective == COLLECTIVE]
    for ppn, nodes, length in product(asked["ppn-each"], asked["node-counts"], LENGTHS):
        call = Call(COLLECTIVE, NATIVE, length, (ppn,) * nodes, "double")
        for library in asked["native"]:
            yield of_call(call, machine, native=library)
        for one in known:
            if one.algorithm != NATIVE:
                # An algorithm without components is the same with any.
                several = COMPONENTS[:1] if one.flat else COMPONENTS
                ways = (
                    replace(call, algorithm=name, components=components)
                    for name in _tuned(one, ELEMENT * length, steps=asked["tunables"])
                    for components in several
                )
                yield fastest([of_call(way, machine) for way in ways])


def _tuned(one: Algorithm, bytes_: int, *, steps: bool) -> Iterator[str]:
    """An algorithm as it is, and with other segments that a message has several of."""
    yield one.algorithm
    for tunable in one.tunables if steps else ():
        if tunable.name == "segment":
            for value in (round(tunable.preset * step) for step in STEPS):
                if tunable.least <= value < bytes_:
                    yield one.label({tunable.name: value})


def places(wanted: Wanted, asked: Asked) -> list[Wanted]:
    """So many processes on each of 2, 3, ... nodes, as many as there are."""
    most = wanted.nodes or CLUSTER_NODES
    counts = [nodes for nodes in asked["node-counts"] if nodes <= most]
    return [replace(wanted, nodes=nodes, ppn=ppn) for ppn in asked["ppn-each"] for nodes in counts]


def plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, asked: Asked
) -> dict[str, Plan]:
    """All algorithms with several segments, and the library's own."""
    most = ELEMENT * max(LENGTHS)
    algorithms = [NATIVE]
    for one in registry.load(build):
        if one.collective == COLLECTIVE and one.algorithm != NATIVE:
            algorithms += _tuned(one, most, steps=asked["tunables"])
    plan = comparison.ComparisonPlan(
        build=build,
        arms=[Arm(setting, algorithms) for setting in settings],
        collectives=(COLLECTIVE,),
        counts=tuple(LENGTHS),
        datatype="double",
        **effort,
    )
    return {COLLECTIVE: plan}
