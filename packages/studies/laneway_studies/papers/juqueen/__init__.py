# SPDX-License-Identifier: BSD-3-Clause
"""Binomial reduction and broadcast, hypercube exchange: 16 processes a node, one, one with threads.

The question of the study: can one process saturate a node's network? A node of Blue Gene/Q has ten
links. The bytes that a node sends in a second, over what its links carry, answer it.

The machine file is fitted to the binomial reduction of 4 and of 1048576 elements. The sizes
between, the reduction with threads, and the exchange are predictions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from laneway.units import parse_seconds
from laneway_studies.papers.juqueen import cases, ratios, times
from laneway_studies.papers.juqueen.cases import HYPERCUBE, LIBRARYS, OF_TREE, THREADS
from laneway_studies.papers.juqueen.described import points
from laneway_studies.papers.juqueen.measured import places, plans
from laneway_studies.reading import ascending, whole
from laneway_studies.study import Measuring, Parameter, Section, Study, StudyPart

NODES = 512
"""A midplane, which the study had."""

THREAD_START = "25us"
"""Time for starting and joining threads in a round: fitted to the published reduction of 4."""


_REDUCED = (
    "A round takes a message and a reduction. One process does all of it alone, its threads share "
    "the reduction, and 16 processes have four rounds more, in the node."
)
_SHAPES = (
    "Elements of a process are the same. Ours may be of other nodes and cores than the published: "
    "the study compares on which side of 1 ratios lie."
)
_BROADCAST = "The study describes it and prints no figures of it."
_EXCHANGE = (
    "Every process exchanges all of its data across every dimension, one after the other; as many "
    "elements a core in all shapes. Threads exchange for themselves, all at once. The study prints "
    "one time of a process a node, whether threads take part or not."
)


def sections(part: StudyPart) -> Iterator[Section]:
    """Times beside the published ones, shapes against each other, and the network of a node."""
    ours = cases.our_times(part)
    if not ours:
        return
    known = cases.theirs()
    simulated = part.origin.simulated_on is not None
    yield from times.of(OF_TREE, "Binomial reduction", [_REDUCED], ours, known)
    yield from ratios.against(OF_TREE, "Reduction: shapes against each other", _SHAPES, ours, known)
    yield from ratios.by_core(ours, known)
    yield from times.thread_starts(ours, known)
    yield from ratios.of_mpi(ours, known, simulated=simulated)
    yield from times.of("bcast", "Binomial broadcast", [_BROADCAST], ours, known)
    yield from times.of(LIBRARYS["bcast"], "The library's broadcast", [_BROADCAST], ours, known)
    yield from ratios.against(HYPERCUBE, "Hypercube exchange: shapes against each other", _EXCHANGE,
                              ours, known)  # fmt: skip
    yield from times.of(HYPERCUBE, "Hypercube exchange: times", [_EXCHANGE], ours, known)
    yield from times.saturation(ours, known)


STUDY = Study(
    title="Binomial reduction, hypercube exchange: can one process saturate a node's network?",
    source="M. Axtmann: Benchmarks on Juqueen, 2016",
    told="Binomial reduction and broadcast, and an exchange across a hypercube, on 512 nodes. 16 "
    "processes a node do them, one does, and one whose threads share the local reduction. The MPI "
    "library's reduction of that machine uses a network of its own and is not simulated.",
    machines=("juqueen",),
    points=points,
    sections=sections,
    measuring=Measuring(plans, places),
    parameters=(
        Parameter(
            "nodes-simulated", "Nodes that are simulated.", str(NODES), "N", partial(whole, least=2)
        ),
        Parameter(
            "threads-simulated",
            "Processes or threads a node there.",
            str(THREADS),
            "N",
            partial(whole, least=2),
        ),
        Parameter(
            "elements",
            "Elements of reductions and exchanges; none: all that are published.",
            "",
            "N,M",
            lambda text: ascending(text, least=1) if text else (),
        ),
        Parameter(
            "thread-start",
            "Time by which a simulated round is longer where threads share its reduction.",
            THREAD_START,
            "TIME",
            parse_seconds,
        ),
    ),
)
