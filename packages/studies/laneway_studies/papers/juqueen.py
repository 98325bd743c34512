# SPDX-License-Identifier: BSD-3-Clause
"""Binomial reduction and broadcast, hypercube exchange: 16 processes a node, one, one with threads.

The question of the study: can one process saturate a node's network? A node of Blue Gene/Q has ten
links. The bytes that a node sends in a second, over what its links carry, answer it.

The machine file is fitted to the binomial reduction of 4 and of 1048576 elements. The sizes
between, the reduction with threads, and the exchange are predictions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from laneway.campaign import Plan
from laneway.launching.allocation import Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.plans import comparison
from laneway.plans.comparison import Arm
from laneway.results.reference import Published
from laneway.rows import NATIVE
from laneway.showing.diagram import Curve, Plot
from laneway.simulation import torus
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway.units import counted
from laneway_studies import figures
from laneway_studies.figures import JUQUEEN_ELEMENT_BYTES
from laneway_studies.reading import whole
from laneway_studies.simulated import of_call
from laneway_studies.study import (
    Asked,
    Effort,
    Measuring,
    Parameter,
    PublishedComparison,
    Section,
    SimulatedPoint,
    Study,
    StudyPart,
    each_library,
)

NODES = 512
"""A midplane, which the study had."""

THREADS = 16

REDUCED = "binomial_reduce"
"""The benchmark's binomial reduction, whose local part the threads of a process share."""

HYPERCUBE = "hypercube"
BINOMIAL = "binomial"

LIBRARYS_BCAST = "the library's bcast"
"""A broadcast that is measured beside the binomial one."""

REDUCING = {"reduce": "node-bandwidth", "cached-reduce": "cached-node-bandwidth"}
"""Rates of reductions, and what all threads of a node have together."""

LONG = 65536
"""Elements from which on bandwidth decides, as in the study's second half."""

EXCHANGED = (1, 64, LONG, 1048576)
"""Elements a core of the exchanges that are simulated: most take some minutes."""

MEASURED = (64, 16384, 1048576)
"""Elements that are measured on the machine at hand."""


def published() -> list[Published]:
    """The figures of the study."""
    return figures.times_on("juqueen")


def _counts() -> list[int]:
    """Elements of the published reductions."""
    found = (one for one in published() if one.collective == "reduce")
    return sorted({one.bytes // JUQUEEN_ELEMENT_BYTES for one in found})


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """Each operation at the published counts: by all processes, by one a node, with its threads."""
    nodes, threads = asked["nodes-simulated"], asked["threads-simulated"]
    own = torus.part(machine, nodes)
    shared, free = threaded(own, threads), exchanging(own)
    for count in _counts():
        for ppn in (threads, 1):
            for collective in ("reduce", "bcast"):
                yield of_call(_call(collective, BINOMIAL, count, nodes, ppn), own)
        yield of_call(
            _call("reduce", BINOMIAL, count, nodes, 1),
            shared,
            threads=threads,
        )
    for count in EXCHANGED:
        for ppn in (threads, 1):
            yield of_call(
                _call("allreduce", "recursive_doubling", count * threads // ppn, nodes, ppn),
                free,
                collective=HYPERCUBE,
                algorithm=NATIVE,
                op=None,
            )


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


# ---- what rows say -------------------------------------------------------------------------------


OperationTimes = Mapping[tuple[str, int, int, int], float]
"""Microseconds by operation, processes a node, threads of each, elements of a process."""

OPERATIONS = {
    ("reduce", BINOMIAL): "reduce",
    (REDUCED, NATIVE): "reduce",
    ("bcast", BINOMIAL): "bcast",
    ("bcast", NATIVE): LIBRARYS_BCAST,
    (HYPERCUBE, NATIVE): HYPERCUBE,
}
"""Operations of the study, by collective and algorithm of the rows."""


def _times(part: StudyPart) -> OperationTimes:
    own = part.show(
        summary
        for summary in part.summaries
        if (summary.key.collective, summary.key.algorithm) in OPERATIONS
    )
    return {
        (
            OPERATIONS[summary.key.collective, summary.key.algorithm],
            summary.key.ppn,
            int(dict(summary.key.axes).get("threads") or 1),
            summary.key.count,
        ): summary.median_us
        for summary in own
    }


def sections(part: StudyPart) -> Iterator[Section]:
    """Times beside the published ones, and whether one process fills the network."""
    times = _times(part)
    if not times:
        return
    most = max(ppn for _, ppn, _, _ in times)
    yield _reductions(times, most)
    yield _broadcasts(times, most)
    yield from _exchanges(times, most)
    yield _saturation(part, times, most)


_REDUCED = (
    "A round takes a message and a reduction: one process does all of it alone, its threads share "
    "the reduction, and 16 processes have four rounds more, in the node. Starting and joining "
    "threads, 25 us a round in the published figures, is not in the model."
)
_EXCHANGE = (
    "Every process exchanges all of its data across every dimension, one after the other; as many "
    "elements a core in both cases."
)


def _label(ppn: int, threads: int) -> str:
    if threads > 1:
        return f"1 process with {threads} threads"
    return f"{counted(ppn, 'process')} a node"


def _reductions(times: OperationTimes, most: int) -> Section:
    known = {
        (one.ppn, _threads(one), one.bytes // JUQUEEN_ELEMENT_BYTES): one.time_us
        for one in published()
        if one.collective == "reduce" and one.algorithm != NATIVE
    }
    shapes = [(most, 1), (1, 1), (1, most)]
    return Section(
        "Binomial reduction",
        said=[_REDUCED],
        comparisons=[
            PublishedComparison(
                {"shape": _label(ppn, threads), "elements": count},
                known[ppn, threads, count],
                times.get(("reduce", ppn, threads, count)),
                counts=count >= LONG,
                remark="" if count >= LONG else "published to 10 us",
            )
            for ppn, threads in shapes
            for count in sorted(count for own, of, count in known if (own, of) == (ppn, threads))
        ],
        table=[
            {"shape": _label(ppn, threads), "elements": count, "ours": time}
            for (name, ppn, threads, count), time in sorted(times.items())
            if name == "reduce" and (ppn, threads, count) not in known
        ],
        plots=[_plot("reduce", times, known, shapes)],
    )


def _broadcasts(times: OperationTimes, most: int) -> Section:
    shapes = [(most, 1), (1, 1)]
    return Section(
        "Binomial broadcast",
        said=("The study describes it and prints no figures of it.",),
        table=[
            {
                "shape": _label(ppn, threads),
                "elements": count,
                "binomial us": times.get(("bcast", ppn, threads, count)),
                "the library's us": times.get((LIBRARYS_BCAST, ppn, threads, count)),
            }
            for ppn, threads, count in sorted(
                {key[1:] for key in times if key[0] in ("bcast", LIBRARYS_BCAST)}
            )
        ],
        plots=[_plot("bcast", times, {}, shapes)],
    )


def _exchanges(times: OperationTimes, most: int) -> Iterator[Section]:
    known = {
        (one.ppn, one.bytes // JUQUEEN_ELEMENT_BYTES): one.time_us
        for one in published()
        if one.collective == "hypercube_exchange"
    }
    found = _by_core(times, most)
    counts = sorted({count for _, count in known})
    yield Section(
        f"Hypercube exchange: one process a node over {most}",
        said=[_EXCHANGE],
        comparisons=[
            PublishedComparison(
                {"elements a core": count},
                known[1, count] / known[THREADS, count],
                found[1, count] / found[most, count]
                if {(1, count), (most, count)} <= found.keys()
                else None,
                counts=count >= LONG,
                remark="" if count >= LONG else "published to 10 us",
            )
            for count in counts
        ],
        quantity="time of one process a node over that of all",
        ratios=True,
        plots=[
            Plot(
                "Hypercube exchange",
                "elements a core",
                "us",
                [
                    curve
                    for ppn in (most, 1)
                    for curve in _curves(
                        _label(ppn, 1),
                        [(count, time) for (own, count), time in found.items() if own == ppn],
                        [(count, time) for (own, count), time in known.items()
                         if own == (1 if ppn == 1 else THREADS)],
                    )
                ],
                log_x=True,
                log_y=True,
            )
        ],
    )  # fmt: skip
    yield Section(
        "Hypercube exchange: times",
        table=[
            {"shape": _label(ppn, 1), "elements a core": count, "us": time}
            for (ppn, count), time in sorted(found.items())
        ],
    )


def _by_core(times: OperationTimes, most: int) -> dict[tuple[int, int], float]:
    """Exchanges by processes a node and elements a core."""
    return {
        (ppn, count * ppn // most): time
        for (name, ppn, _, count), time in times.items()
        if name == HYPERCUBE
    }


def _saturation(part: StudyPart, times: OperationTimes, most: int) -> Section:
    """The rate at which a node sends in long exchanges."""
    nodes = max(summary.key.nodes for summary in part.summaries)
    rounds = (nodes - 1).bit_length()
    rows: list[dict[str, Any]] = [
        {
            "shape": _label(ppn, 1),
            "elements a core": count,
            "GB/s out of a node": rounds * count * most * JUQUEEN_ELEMENT_BYTES / time / 1e3,
        }
        for (ppn, count), time in sorted(_by_core(times, most).items())
        if count >= LONG
    ]
    rates = {
        ppn: max((row["GB/s out of a node"] for row in rows if row["shape"] == _label(ppn, 1)),
                 default=0.0)
        for ppn in (1, most)
    }  # fmt: skip
    ours = (
        f"In the exchange one process sends {rates[1]:.2f} GB/s out of its node, {most} processes "
        f"{rates[most]:.2f} GB/s."
    )
    theirs = (
        f"Published times amount to at most {_published_rate(1):.2f} GB/s with one process, "
        f"{_published_rate(THREADS):.2f} GB/s with 16, of the 18 GB/s that ten links carry each "
        "way. So one process does not saturate a node's network: whoever waits for a partner "
        "before turning to the next has one link at work. Processes that are at different "
        "dimensions at the same time use several."
    )
    return Section("Can one process saturate a node's network?", said=[ours, theirs], table=rows)


def _published_rate(ppn: int) -> float:
    """GB/s out of a node, at most, in the long exchanges that are published."""
    rounds = (NODES - 1).bit_length()
    return max(
        rounds * THREADS * one.bytes / one.time_us / 1e3
        for one in published()
        if one.collective == "hypercube_exchange"
        and one.ppn == ppn
        and one.bytes >= LONG * JUQUEEN_ELEMENT_BYTES
    )


def _threads(one: Published) -> int:
    """The threads of a published process: only reductions with OpenMP had several."""
    return THREADS if one.algorithm.endswith("openmp") else 1


def _plot(
    name: str,
    times: OperationTimes,
    known: Mapping[tuple[int, int, int], float],
    shapes: Sequence[tuple[int, int]],
) -> Plot:
    curves = [
        curve
        for ppn, threads in shapes
        for curve in _curves(
            _label(ppn, threads),
            [(key[3], time) for key, time in times.items() if key[:3] == (name, ppn, threads)],
            [(key[2], time) for key, time in known.items() if key[:2] == (ppn, threads)],
        )
    ]
    return Plot(f"Binomial {name}", "elements of a process", "us", curves, log_x=True, log_y=True)


def _curves(
    label: str, ours: Sequence[tuple[float, float]], known: Sequence[tuple[float, float]]
) -> Iterator[Curve]:
    if ours:
        yield Curve(label, sorted(ours))
    if known:
        yield Curve(f"{label}, published", sorted(known), published=True, of=label)


# ---- the machine at hand -------------------------------------------------------------------------


def places(wanted: Wanted, _asked: Asked) -> list[Wanted]:
    """As many processes a node as asked for, one, and one with as many threads."""
    ppn = wanted.ppn or 4
    return [
        replace(wanted, ppn=ppn),
        replace(wanted, ppn=1),
        replace(wanted, ppn=1, threads=ppn),
    ]


def plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, _asked: Asked
) -> Mapping[str, Plan]:
    """A campaign of all shapes: the threaded reduction is the benchmark's own."""
    most = max(setting.place.ppn for setting in settings)

    def campaign(
        chosen: Sequence[Setting], collective: str, counts: Sequence[int], *beside: str
    ) -> Plan:
        return comparison.ComparisonPlan(
            build,
            [Arm(setting, (NATIVE, *beside)) for setting in chosen],
            (collective,),
            counts,
            datatype="double",
            **effort,
        )

    single = [setting for setting in settings if setting.place.threads == 1]
    exchange = {
        f"exchange-{setting.place.ppn}": campaign(
            [setting], HYPERCUBE, [count * most // setting.place.ppn for count in MEASURED]
        )
        for setting in single
    }
    return {
        "reduce": campaign(settings, REDUCED, MEASURED),
        "bcast": campaign(single, "bcast", MEASURED, BINOMIAL),
        **exchange,
    }


STUDY = Study(
    title="Binomial reduction, hypercube exchange: can one process saturate a node's network?",
    source="M. Axtmann: Benchmarks on Juqueen, 2016",
    told="Binomial reduction and broadcast and an exchange across a hypercube on 512 nodes, by 16 "
    "processes a node, by one, and by one whose threads share the local reduction. The MPI "
    "library's reduction of that machine uses a network of its own and is not simulated.",
    machines=("juqueen",),
    points=points,
    sections=each_library(sections),
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
    ),
)
