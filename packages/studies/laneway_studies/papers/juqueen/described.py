# SPDX-License-Identifier: BSD-3-Clause
"""The study on a machine that is described: processes of a node, one, and one with threads.

The machine file is fitted to the binomial reduction of 4 and of 1048576 elements. The sizes
between, the reduction with threads, and the exchange are predictions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from laneway.rows import NATIVE, Row
from laneway.simulation import torus
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway.units import INT
from laneway_studies.figures import JUQUEEN_ELEMENT_BYTES
from laneway_studies.papers.juqueen.cases import BINOMIAL, HYPERCUBE, counts_of, rounds
from laneway_studies.simulated import LaneExchange, of_call, of_lanes
from laneway_studies.study import Asked, SimulatedPoint, TellPart

DOUBLING = "recursive_doubling"

REDUCING = {"reduce": "node-bandwidth", "cached-reduce": "cached-node-bandwidth"}
"""Rates of reductions, and what all threads of a node have together."""


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """Each operation at the published counts: by all processes, by one a node, with threads."""
    nodes, threads = asked["nodes-simulated"], asked["threads-simulated"]
    own = torus.part(machine, nodes)
    shared, free = threaded(own, threads), exchanging(own)
    for count in counts_of("reduce", asked):
        for ppn in (threads, 1):
            for collective in ("reduce", "bcast"):
                yield of_call(_call(collective, BINOMIAL, count, nodes, ppn), own)
        point = of_call(_call("reduce", BINOMIAL, count, nodes, 1), shared, threads=threads)
        yield later(point, rounds(nodes) * asked["thread-start"])
    for count in counts_of("hypercube_exchange", asked):
        yield _by_threads(count, (threads,) * nodes, free)
        for ppn in (threads, 1):
            call = _call("allreduce", DOUBLING, count * threads // ppn, nodes, ppn)
            yield of_call(call, free, collective=HYPERCUBE, algorithm=NATIVE, op=None)


def _by_threads(count: int, threads: Sequence[int], machine: Machine) -> SimulatedPoint:
    """The exchange by the threads of one process of each node, each by itself, all at once.

    A thread does as much for its messages as a process does. All of them share the links of a node.
    """
    ints = count * threads[0] * JUQUEEN_ELEMENT_BYTES // INT
    return of_lanes(
        LaneExchange("hypercube", threads[0]), ints, threads, machine,
        collective=HYPERCUBE, count=count, datatype="double", bytes=count * JUQUEEN_ELEMENT_BYTES,
        ppn=1, threads=threads[0],
    )  # fmt: skip


def later(point: SimulatedPoint, seconds: float) -> SimulatedPoint:
    """A point whose times are longer by so many seconds."""

    def rows(tell: TellPart) -> Iterator[Row]:
        for row in point.rows(tell):
            yield {**row, "time_us": row["time_us"] + 1e6 * seconds}

    return SimulatedPoint(point.told, {**point.facts, "later": seconds}, rows)


def _call(collective: str, algorithm: str, count: int, nodes: int, ppn: int) -> Call:
    return Call(collective, algorithm, count, (ppn,) * nodes, "double")


def threaded(machine: Machine, threads: int) -> Machine:
    """The machine with threads that share reductions: each does what one does, as memory allows."""
    rates = {
        option: repr(min(threads * own, machine.rate(memory) or float("inf")))
        for option, memory in REDUCING.items()
        if (own := machine.rate(option)) is not None
    }
    return replace(machine, values={**machine.values, **rates})


def exchanging(machine: Machine) -> Machine:
    """The machine where reductions take no time: recursive doubling is the exchange alone then."""
    rest = {option: own for option, own in machine.values.items() if option not in REDUCING}
    return replace(machine, values=rest)
