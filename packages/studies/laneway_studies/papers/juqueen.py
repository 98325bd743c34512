# SPDX-License-Identifier: BSD-3-Clause
"""Binomial reduction and broadcast, hypercube exchange: 16 processes a node, one, one with threads.

The question of the study: can one process saturate a node's network? A node of Blue Gene/Q has ten
links. The bytes that a node sends in a second, over what its links carry, answer it.

The machine file is fitted to the binomial reduction of 4 and of 1048576 elements. The sizes
between, the reduction with threads, and the exchange are predictions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from laneway.campaign import Plan
from laneway.launching.allocation import Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.plans.comparison import Arm, ComparisonPlan
from laneway.results.reference import Published
from laneway.rows import NATIVE, Row
from laneway.showing.diagram import Curve, Plot
from laneway.simulation import torus
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway.units import counted, parse_seconds
from laneway_studies import figures
from laneway_studies.figures import JUQUEEN_ELEMENT_BYTES
from laneway_studies.reading import ascending, whole
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
    TellPart,
)

NODES = 512
"""A midplane, which the study had."""

THREADS = 16

THREAD_START = "25us"
"""Time for starting and joining threads in a round: fitted to the published reduction of 4."""

REDUCED = "binomial_reduce"
"""The benchmark's binomial reduction, whose local part the threads of a process share."""

HYPERCUBE = "hypercube"
BINOMIAL = "binomial"
DOUBLING = "recursive_doubling"

LIBRARYS = {"bcast": "the library's bcast", "reduce": "the library's reduce"}
"""The library's own, measured beside the binomial ones."""

REDUCING = {"reduce": "node-bandwidth", "cached-reduce": "cached-node-bandwidth"}
"""Rates of reductions, and what all threads of a node have together."""

LONG = 65536
"""Elements from which on bandwidth decides, as in the study's second half."""

MEASURED = (64, 16384, 1048576)
"""Elements of the broadcasts that are measured: the study prints no figures of them."""


def published() -> list[Published]:
    """The figures of the study."""
    return figures.times_on("juqueen")


def _counts(operation: str, asked: Asked) -> list[int]:
    """Elements of an operation: those asked for, else all that are published."""
    found = (one for one in published() if one.collective == operation)
    return [*asked["elements"]] or sorted({one.bytes // JUQUEEN_ELEMENT_BYTES for one in found})


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """Each operation at the published counts: by all processes, by one a node, with its threads."""
    nodes, threads = asked["nodes-simulated"], asked["threads-simulated"]
    own = torus.part(machine, nodes)
    shared, free = threaded(own, threads), exchanging(own)
    for count in _counts("reduce", asked):
        for ppn in (threads, 1):
            for collective in ("reduce", "bcast"):
                yield of_call(_call(collective, BINOMIAL, count, nodes, ppn), own)
        point = of_call(_call("reduce", BINOMIAL, count, nodes, 1), shared, threads=threads)
        yield later(point, _rounds(nodes) * asked["thread-start"])
    for count in _counts("hypercube_exchange", asked):
        for ppn in (threads, 1):
            call = _call("allreduce", DOUBLING, count * threads // ppn, nodes, ppn)
            yield of_call(call, free, collective=HYPERCUBE, algorithm=NATIVE, op=None)


def _rounds(processes: int) -> int:
    """The rounds of a binomial tree of so many, and the dimensions of their hypercube."""
    return (processes - 1).bit_length()


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


# ---- what rows say -------------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class NodeShape:
    """How a node takes part: so many processes with so many threads each."""

    ppn: int
    threads: int

    def __str__(self) -> str:
        if self.threads > 1:
            return f"1 process with {self.threads} threads"
        return f"{counted(self.ppn, 'process')} a node"


@dataclass(frozen=True, order=True)
class OperationCase:
    """An operation, where, and the elements of a process; of exchanges those of a core."""

    operation: str
    nodes: int
    shape: NodeShape
    elements: int


OPERATIONS = {
    ("reduce", BINOMIAL): "reduce",
    (REDUCED, NATIVE): "reduce",
    ("reduce", NATIVE): LIBRARYS["reduce"],
    ("bcast", BINOMIAL): "bcast",
    ("bcast", NATIVE): LIBRARYS["bcast"],
    (HYPERCUBE, NATIVE): HYPERCUBE,
}
"""Operations of the study, by collective and algorithm of the rows."""

OF_MPI, OF_TREE = LIBRARYS["reduce"], "reduce"

OperationTimes = Mapping[OperationCase, float]
"""Microseconds."""

ONE = NodeShape(1, 1)


def theirs() -> OperationTimes:
    """The published times."""
    names = {"hypercube_exchange": HYPERCUBE}
    found = {}
    for one in published():
        native = one.collective == "reduce" and one.algorithm == NATIVE
        operation = OF_MPI if native else names.get(one.collective, one.collective)
        # Exchanges of one process are printed once, whether threads share them or not.
        shape = NodeShape(one.ppn, THREADS if one.algorithm.endswith("openmp") else 1)
        elements = one.bytes // JUQUEEN_ELEMENT_BYTES
        found[OperationCase(operation, one.nodes, shape, elements)] = one.time_us
    return found


def _times(part: StudyPart) -> dict[OperationCase, float]:
    """Our times. Each thread of an exchange has the elements of a core; a process those of all."""
    own = part.show(
        summary
        for summary in part.summaries
        if (summary.key.collective, summary.key.algorithm) in OPERATIONS
    )
    shapes = {
        summary.key: NodeShape(summary.key.ppn, int(dict(summary.key.axes).get("threads") or 1))
        for summary in own
    }
    cores = max((shape.ppn * shape.threads for shape in shapes.values()), default=1)
    found: dict[OperationCase, float] = {}
    for summary in own:
        key, shape = summary.key, shapes[summary.key]
        operation = OPERATIONS[key.collective, key.algorithm]
        shared = shape.threads * shape.ppn
        elements = key.count * shared // cores if operation == HYPERCUBE else key.count
        case = OperationCase(operation, key.nodes, shape, elements)
        found[case] = min(summary.median_us, found.get(case, summary.median_us))
    return found


def sections(part: StudyPart) -> Iterator[Section]:
    """Times beside the published ones, shapes against each other, and the network of a node."""
    ours = _times(part)
    if not ours:
        return
    known = theirs()
    simulated = part.origin.simulated_on is not None
    yield from _of(OF_TREE, "Binomial reduction", [_REDUCED], ours, known)
    yield from _against(OF_TREE, "Reduction: shapes against each other", _SHAPES, ours, known)
    yield from _by_core(ours, known)
    yield from _thread_starts(ours, known)
    yield from _of_mpi(ours, known, simulated=simulated)
    yield from _of("bcast", "Binomial broadcast", [_BROADCAST], ours, known)
    yield from _of(LIBRARYS["bcast"], "The library's broadcast", [_BROADCAST], ours, known)
    yield from _against(HYPERCUBE, "Hypercube exchange: shapes against each other", _EXCHANGE,
                        ours, known)  # fmt: skip
    yield from _of(HYPERCUBE, "Hypercube exchange: times", [_EXCHANGE], ours, known)
    yield from _saturation(ours, known)


_REDUCED = (
    "A round takes a message and a reduction: one process does all of it alone, its threads share "
    "the reduction, and 16 processes have four rounds more, in the node."
)
_SHAPES = (
    "Elements of a process are the same. Ours may be of other nodes and cores than the published: "
    "the study compares on which side of 1 ratios lie."
)
_BY_CORE = (
    "As many elements a core: a process that has a node to itself has those of all its cores. "
    "Ratios are over all processes of the node."
)
_STARTED = (
    "What a process with threads takes longer than one without, by rounds between nodes, for the "
    "fewest elements. In simulated times it is --thread-start, by default the published one."
)
_OF_MPI = "MPI's own reduction over the binomial one, of the same shape and elements."
_NOT_SIMULATED = (
    "The library of that machine reduces by a network of its own, which is not simulated: the "
    "published ratios stand alone."
)
_BROADCAST = "The study describes it and prints no figures of it."
_EXCHANGE = (
    "Every process exchanges all of its data across every dimension, one after the other; as many "
    "elements a core in all shapes. Threads exchange for themselves, all at once. The study prints "
    "one time of a process a node, whether threads take part or not."
)


_ONE_LINK = (
    "Ten links carry 18 GB/s each way. So one process does not saturate a node's network: whoever "
    "waits for a partner before turning to the next has one link at work. Processes that are at "
    "different dimensions at the same time use several."
)


def _of(
    operation: str, title: str, said: Sequence[str], ours: OperationTimes, known: OperationTimes
) -> Iterator[Section]:
    """The times of an operation; published ones of the nodes and shapes that ours are of."""
    own = {case: time for case, time in ours.items() if case.operation == operation}
    where = {(case.nodes, case.shape) for case in own}
    beside = {
        case: time
        for case, time in known.items()
        if case.operation == operation and (case.nodes, case.shape) in where
    }
    if own:
        yield Section(
            title,
            said,
            [
                PublishedComparison(
                    _facts(case),
                    time,
                    own.get(case),
                    counts=case.elements >= LONG,
                    remark="" if case.elements >= LONG else "published to 10 us",
                )
                for case, time in sorted(beside.items())
            ],
            table=[
                {**_facts(case), "ours": time}
                for case, time in sorted(own.items())
                if case not in beside
            ],
            plots=[_plot(title, own, beside)],
        )


def _facts(case: OperationCase) -> Row:
    a = "core" if case.operation == HYPERCUBE else "process"
    return {"nodes": case.nodes, "shape": str(case.shape), f"elements a {a}": case.elements}


def _cores(times: Iterable[OperationCase]) -> int:
    """The cores of a node that take part, at most."""
    return max((case.shape.ppn * case.shape.threads for case in times), default=1)


def _shapes(times: Iterable[OperationCase]) -> dict[str, NodeShape]:
    """The shapes that the study compares, of a node with so many cores as took part."""
    cores = _cores(times)
    return {
        "all processes": NodeShape(cores, 1),
        "one process": ONE,
        "one process with threads": NodeShape(1, cores),
    }


Pair = tuple[str, int, int]
"""The shapes that are compared, nodes, elements."""


def _ratios(operation: str, times: OperationTimes, over: str) -> dict[Pair, float]:
    """Times of each shape over another's, of the same nodes and elements."""
    shapes = _shapes(times)
    found = {}
    for case, time in times.items():
        for name, shape in shapes.items():
            base = replace(case, shape=shapes[over])
            known = case.operation == operation and base in times
            if known and case.shape == shape != shapes[over]:
                found[f"{name} / {over}", case.nodes, case.elements] = time / times[base]
    return found


def _compared(
    title: str, said: str, ours: Mapping[Pair, float], known: Mapping[Pair, float], a: str
) -> Iterator[Section]:
    """Our ratios, each beside the published one of as many elements, whatever the nodes."""
    of_elements = {(name, elements): ratio for (name, _, elements), ratio in known.items()}
    compared, further = [], []
    for (name, nodes, elements), ratio in sorted(ours.items()):
        facts = {"ratio": name, "nodes": nodes, f"elements a {a}": elements}
        if (name, elements) in of_elements:
            coarse = elements < LONG
            compared.append(
                PublishedComparison(
                    facts,
                    of_elements[name, elements],
                    ratio,
                    counts=not coarse,
                    remark="published to 10 us" if coarse else "",
                )
            )
        else:
            further.append({**facts, "ours": ratio})
    if ours:
        yield Section(
            title, [said], compared, quantity="ratio of times", ratios=True, table=further
        )


def _against(
    operation: str, title: str, said: str, ours: OperationTimes, known: OperationTimes
) -> Iterator[Section]:
    over = "all processes" if operation == HYPERCUBE else "one process"
    a = "core" if operation == HYPERCUBE else "process"
    yield from _compared(
        title, said, _ratios(operation, ours, over), _ratios(operation, known, over), a
    )


def _by_core(ours: OperationTimes, known: OperationTimes) -> Iterator[Section]:
    """The reduction where one process has the elements of all cores of its node."""

    def per_core(times: OperationTimes) -> dict[OperationCase, float]:
        cores = _cores(times)
        return {
            replace(case, elements=case.elements // (cores // case.shape.ppn)): time
            for case, time in times.items()
            if case.operation == OF_TREE and case.elements % (cores // case.shape.ppn) == 0
        }

    yield from _compared(
        "Reduction of as many elements a core",
        _BY_CORE,
        _ratios(OF_TREE, per_core(ours), "all processes"),
        _ratios(OF_TREE, per_core(known), "all processes"),
        "core",
    )


def _thread_starts(ours: OperationTimes, known: OperationTimes) -> Iterator[Section]:
    """How long threads take to start and to join, by round."""

    def lines(times: OperationTimes, whose: str) -> Iterator[Row]:
        threads = _shapes(times)["one process with threads"]
        for nodes in sorted({case.nodes for case in times}):
            own = [
                case
                for case in times
                if (case.operation, case.nodes, case.shape) == (OF_TREE, nodes, threads)
                and replace(case, shape=ONE) in times
                and threads.threads > 1
            ]
            if own:
                least = min(own, key=lambda case: case.elements)
                longer = times[least] - times[replace(least, shape=ONE)]
                yield {
                    "whose": whose,
                    "nodes": nodes,
                    "threads": threads.threads,
                    "elements": least.elements,
                    "us a round": longer / _rounds(nodes),
                }

    if found := [*lines(ours, "ours")]:
        yield Section("Starting threads", [_STARTED], table=[*lines(known, "published"), *found])


def _of_mpi(ours: OperationTimes, known: OperationTimes, *, simulated: bool) -> Iterator[Section]:
    """The time of MPI's own reduction over the binomial one."""

    def over_tree(times: OperationTimes) -> dict[Pair, float]:
        return {
            (name, case.nodes, case.elements): time / times[tree]
            for case, time in times.items()
            for name, shape in _shapes(times).items()
            if case.operation == OF_MPI and case.shape == shape
            for tree in (replace(case, operation=OF_TREE),)
            if tree in times
        }

    title = "MPI's own reduction"
    if simulated:
        yield Section(
            title,
            [_OF_MPI, _NOT_SIMULATED],
            table=[
                {"shape": name, "nodes": nodes, "elements a process": elements, "published": ratio}
                for (name, nodes, elements), ratio in sorted(over_tree(known).items())
            ],
        )
    else:
        yield from _compared(title, _OF_MPI, over_tree(ours), over_tree(known), "process")
        yield from _of(OF_MPI, f"{title}: times", [], ours, known)


def _saturation(ours: OperationTimes, known: OperationTimes) -> Iterator[Section]:
    """The rate at which a node sends in long exchanges."""

    def rates(times: OperationTimes) -> dict[NodeShape, list[tuple[OperationCase, float]]]:
        cores = _cores(times)
        found: dict[NodeShape, list[tuple[OperationCase, float]]] = defaultdict(list)
        for case, time in sorted(times.items()):
            if case.operation == HYPERCUBE and case.elements >= LONG:
                sent = _rounds(case.nodes) * case.elements * cores * JUQUEEN_ELEMENT_BYTES
                found[case.shape].append((case, sent / time / 1e3))
        return found

    def most(times: OperationTimes) -> str:
        found = rates(times)
        return ", ".join(
            f"{shape} {max(rate for _, rate in own):.2f} GB/s" for shape, own in found.items()
        )

    if own := rates(ours):
        yield Section(
            "Can one process saturate a node's network?",
            [
                f"In the exchange a node sends at most, by its processes: {most(ours)}.",
                f"Published times amount to at most: {most(known)}. {_ONE_LINK}",
            ],
            table=[
                {**_facts(case), "GB/s out of a node": rate}
                for each in own.values()
                for case, rate in each
            ],
        )


def _plot(title: str, ours: OperationTimes, known: OperationTimes) -> Plot:
    curves = []
    for nodes, shape in sorted({(case.nodes, case.shape) for case in ours}):
        label = f"{shape}, {nodes} nodes"
        for times, name in ((ours, label), (known, f"{label}, published")):
            own = sorted(
                (case.elements, time)
                for case, time in times.items()
                if (case.nodes, case.shape) == (nodes, shape)
            )
            if own:
                curves.append(Curve(name, own, published=times is known, of=label))
    return Plot(title, "elements", "us", curves, log_x=True, log_y=True)


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
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, asked: Asked
) -> Mapping[str, Plan]:
    """A campaign of all shapes: the threaded reduction is the benchmark's own."""
    most = max(setting.place.ppn for setting in settings)

    def campaign(
        chosen: Sequence[Setting], collective: str, counts: Sequence[int], *beside: str
    ) -> Plan:
        return ComparisonPlan(
            build,
            [Arm(setting, (NATIVE, *beside)) for setting in chosen],
            (collective,),
            counts,
            datatype="double",
            **effort,
        )

    single = [setting for setting in settings if setting.place.threads == 1]
    reduced, exchanged = _counts("reduce", asked), _counts("hypercube_exchange", asked)
    exchanges = {}
    for ppn, threads in dict.fromkeys((one.place.ppn, one.place.threads) for one in settings):
        of_shape = [one for one in settings if (one.place.ppn, one.place.threads) == (ppn, threads)]
        counts = [count * most // (ppn * threads) for count in exchanged]
        exchanges[f"exchange-{ppn}x{threads}"] = campaign(of_shape, HYPERCUBE, counts)
    return {
        "binomial-reduce": campaign(settings, REDUCED, reduced),
        "reduce": campaign(single, "reduce", reduced),
        "bcast": campaign(single, "bcast", MEASURED, BINOMIAL),
        **exchanges,
    }


STUDY = Study(
    title="Binomial reduction, hypercube exchange: can one process saturate a node's network?",
    source="M. Axtmann: Benchmarks on Juqueen, 2016",
    told="Binomial reduction and broadcast and an exchange across a hypercube on 512 nodes, by 16 "
    "processes a node, by one, and by one whose threads share the local reduction. The MPI "
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
            "What a simulated round takes longer where threads share its reduction.",
            THREAD_START,
            "TIME",
            parse_seconds,
        ),
    ),
)
