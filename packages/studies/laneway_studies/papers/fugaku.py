# SPDX-License-Identifier: BSD-3-Clause
"""IMB's operations on Fugaku; alltoall by size and shape of the torus; throughput; start of jobs.

The choices of Fugaku's MPI library are not published, so its times are laid beside the best of a
portfolio. It has algorithms that are known to suit long or short messages there, not all there are.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from laneway.campaign import Plan
from laneway.errors import Misuse
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.plans import comparison
from laneway.plans.comparison import Arm
from laneway.rows import NATIVE, Row
from laneway.showing.diagram import Curve, Plot
from laneway.simulation import torus
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call, in_words
from laneway.units import INT, counted, is_whole, quoted, size
from laneway_studies import figures
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

MESSAGES = {
    "pingpong": "PingPong",
    "pingping": "PingPing",
    "sendrecv": "Sendrecv",
    "exchange": "Exchange",
}
"""IMB's names of its messages between pairs and neighbours, by the benchmark's."""

COLLECTIVES = ("allreduce", "reduce", "bcast", "allgather", "gather", "scatter")
"""The published collectives that take a while at most."""

PORTFOLIO = {
    "allreduce": ("recursive_doubling", "rabenseifner", "ring", "lane"),
    "reduce": ("binomial", "reduce_scatter_gather", "lane"),
    "bcast": ("binomial", "scatter_ring", "lane"),
    "allgather": ("bruck", "ring", "lane"),
    "gather": ("binomial",),
    "scatter": ("binomial",),
}

SIZES = (4, 1024, 16384, 262144, 4194304)
MOST_BLOCK = 16384
"""The most bytes of a block, in collectives of IN_BLOCKS."""

IN_BLOCKS = ("allgather", "gather", "scatter")

IMB_PPN = 4
"""Processes a node of the published collectives; of other numbers there is nothing to compare."""

UNIT = (2, 3, 2)
"""Nodes of a, b and c: what the three dimensions that a job asks for consist of."""

FORMS = "2x3x2,2x3x4,4x3x4,4x6x4"
"""The smaller ones of the study's shapes: alltoalls of p ranks are p^2 messages."""

ALLTOALL_SIZES = (8, 512, 32768, 524288)

SHORT, LONG = "bruck", "spread"
"""Our algorithms that stand for modified_bruck and doublespread of Fugaku's MPI library."""

STARTS = ((432, 2.798, 2.898), (3456, 6.644, 6.77), (27648, 12.794, 14.173))
"""Published: nodes, and seconds until the last process runs, the least and the most of several."""


def forms(text: str) -> tuple[str, ...]:
    """Shapes of jobs in X, Y and Z, as the study has them. Raises ValueError."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    for form in found:
        sides(form)
    if not found:
        raise ValueError("no shape is named")
    return found


def sides(form: str) -> tuple[int, ...]:
    """A shape in all six dimensions: 4x6x16 is 2, 2, 8 of 2, 3, 2. Raises ValueError."""
    words = form.split("x")
    if len(words) != len(UNIT) or not all(is_whole(word, 1) for word in words):
        raise ValueError(f"{quoted(form)} is no shape in X, Y and Z, such as 4x6x16")
    whole = [int(word) for word in words]
    if any(own % of for own, of in zip(whole, UNIT, strict=True)):
        raise ValueError(f"'{form}': jobs get multiples of {'x'.join(map(str, UNIT))}")
    return (*(own // of for own, of in zip(whole, UNIT, strict=True)), *UNIT)


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """IMB's operations on one shape, alltoall on each."""
    if torus.shape_of(machine) is None:
        raise Misuse(f"the machine {machine.name} is no torus: this study is of tori")
    yield from _imb(machine, asked["imb-form"])
    for form in asked["forms"]:
        own = shaped(machine, form)
        nodes = math.prod(sides(form))
        for bytes_ in ALLTOALL_SIZES:
            for algorithm, served in alltoalls(form).items():
                call = Call("alltoall", served, bytes_, (1,) * nodes, "byte")
                yield of_call(call, own, algorithm=algorithm, torus=form)


def alltoalls(form: str) -> dict[str, str]:
    """The algorithms that are compared on a shape: names in the rows, and with their tunables."""
    six = sides(form)
    names = ("x", "y", "z", "a", "b", "c")
    told = ",".join(f"{name}={own}" for name, own in zip(names, six, strict=True))
    return {
        SHORT: SHORT,
        "pairwise": "pairwise",
        LONG: f"{LONG}(window=16)",
        "by_dimension": f"by_dimension({told})",
    }


def shaped(machine: Machine, form: str) -> Machine:
    """The part of the machine that a job of a shape gets."""
    return machine.with_shape("x".join(map(str, sides(form))))


def _imb(machine: Machine, form: str) -> Iterator[SimulatedPoint]:
    own, nodes = shaped(machine, form), math.prod(sides(form))
    for bytes_ in _sizes("pingpong"):
        call = Call("bcast", "linear", bytes_, (1, 1), "byte")
        yield of_call(call, own, collective="pingpong", algorithm=NATIVE, root=None)
    for collective in COLLECTIVES:
        for bytes_ in SIZES:
            if collective not in IN_BLOCKS or bytes_ <= MOST_BLOCK:
                for algorithm in PORTFOLIO[collective]:
                    count = bytes_ // INT
                    call = Call(
                        collective, algorithm, count, (IMB_PPN,) * nodes, components="bytes"
                    )
                    yield of_call(call, own)


def _sizes(operation: str) -> list[int]:
    found = (one for one in figures.times_on("fugaku") if one.collective == operation)
    return sorted({one.bytes for one in found if one.bytes})


# ---- what rows say -------------------------------------------------------------------------------

_BEST = (
    "Ours is the best of a portfolio; the published ones are those of Fujitsu's MPI, whose choices "
    "are not published."
)
_OTHER_SHAPES = (
    "Published are 384, 3072 and 27648 nodes with 4 processes each. Times of other shapes stand "
    "without a published one."
)
_GRAPHS = (
    "The study prints graphs alone: its library's modified_bruck is the fastest for short blocks, "
    "doublespread for long ones, and where one gives way to the other depends on the nodes."
)
_STARTED = (
    "Published: seconds until the last process runs, by nodes. What a start takes is no matter of "
    "messages and not simulated; `laneway bench start` measures it."
)


def sections(part: StudyPart) -> Iterator[Section]:
    """Messages, collectives, alltoall by shape, throughput, starts."""
    yield from _messages(part)
    yield from _collectives(part)
    yield from _alltoall(part)
    yield _starts(part)


Case = tuple[str, int, int, int]
"""Operation, nodes, processes a node, bytes."""


def _published() -> dict[Case, float]:
    """The published times in us."""
    return {
        (one.collective, one.nodes, one.ppn, one.bytes): one.time_us
        for one in figures.times_on("fugaku")
    }


def _named(case: Case) -> Row:
    return dict(zip(("operation", "nodes", "ppn", "bytes"), case, strict=True))


def _messages(part: StudyPart) -> Iterator[Section]:
    """Each kind of message beside its published times, and times of other shapes behind them."""
    simulated = part.origin.simulated_on is not None
    known = _published()
    for operation, name in MESSAGES.items():
        own = part.show(one for one in part.summaries if one.key.collective == operation)
        ours = {
            (operation, one.key.nodes, one.key.ppn, one.key.bytes): one.median_us for one in own
        }
        theirs = {case: time for case, time in known.items() if case[0] == operation}
        fitted = simulated and operation == "pingpong"
        if ours:
            yield Section(
                name,
                said=["The machine file is fitted to these times, and to no others."]
                if fitted
                else [],
                comparisons=[
                    PublishedComparison(_named(case), time, ours.get(case))
                    for case, time in sorted(theirs.items())
                    if case[3]
                ],
                table=_further(ours, theirs),
            )


def _further(ours: Mapping[Case, float], theirs: Mapping[Case, float]) -> list[Row]:
    """Our times that have no published counterpart."""
    return [
        {**_named(case), "ours": time} for case, time in sorted(ours.items()) if case not in theirs
    ]


def _collectives(part: StudyPart) -> Iterator[Section]:
    own = part.show(one for one in part.summaries if one.key.collective in COLLECTIVES)
    best: dict[Case, tuple[float, str]] = {}
    for summary in own:
        key = summary.key
        case = key.collective, key.nodes, key.ppn, key.bytes
        found = summary.median_us, key.algorithm
        best[case] = min(best.get(case, found), found)
    known = _published()
    told = [
        PublishedComparison(
            {**_named(case), "by": best[case][1]},
            known[case],
            best[case][0],
            counts=case[3] >= SIZES[1],
            remark="" if case[3] >= SIZES[1] else "published ones may use the barrier interface",
        )
        for case in sorted(best)
        if case in known
    ]
    further = [
        {**_named(case), "by": best[case][1], "ours": best[case][0]}
        for case in sorted(best)
        if case not in known
    ]
    if best:
        yield Section(
            "IMB's collectives",
            said=[_BEST, *([_OTHER_SHAPES] if further else [])],
            comparisons=told,
            table=further,
            plots=[
                _imb_plot(collective, told, further)
                for collective in dict.fromkeys(case[0] for case in sorted(best))
            ],
        )


def _imb_plot(collective: str, told: Sequence[PublishedComparison], further: Sequence[Row]) -> Plot:
    """A curve for each shape, and the published one where it is of that shape."""
    lines = [
        *({**one.case, "ours": one.ours, "published": one.published} for one in told),
        *further,
    ]
    curves = []
    shapes = {(line["nodes"], line["ppn"]) for line in lines if line["operation"] == collective}
    for shape in sorted(shapes):
        own = [
            line
            for line in lines
            if (line["operation"], line["nodes"], line["ppn"]) == (collective, *shape)
        ]
        label = f"best of the portfolio, {in_words([shape[1]] * shape[0])}"
        curves.append(Curve(label, [(line["bytes"], line["ours"]) for line in own]))
        if theirs := [(line["bytes"], line["published"]) for line in own if "published" in line]:
            curves.append(Curve(f"published, {shape[0]} nodes", theirs, published=True, of=label))
    return Plot(collective, "bytes", "us", curves, log_x=True, log_y=True)


Alltoalls = Mapping[str, Mapping[int, Mapping[str, float]]]
"""Microseconds by shape, bytes and algorithm."""


@dataclass(frozen=True)
class TorusSize:
    """The size of a shape."""

    nodes: int
    ranks: int


def _alltoalls(part: StudyPart) -> tuple[Alltoalls, dict[str, TorusSize]]:
    """Times, and the size of each shape: a torus, or what was measured in words."""
    found: dict[str, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    sizes = {}
    for summary in part.show(
        one for one in part.summaries if one.key.collective == "alltoall" and one.key.bytes
    ):
        key = summary.key
        form = str(dict(key.axes).get("torus") or in_words(key.processes))
        found[form][key.bytes][key.algorithm.partition("(")[0]] = summary.median_us
        sizes[form] = TorusSize(key.nodes, sum(key.processes))
    return found, sizes


def _alltoall(part: StudyPart) -> Iterator[Section]:
    found, sizes = _alltoalls(part)
    if not found:
        return
    table: list[Row] = [
        {
            "shape": form,
            "bytes": bytes_,
            "fastest": min(times, key=lambda name: times[name]),
            **{f"{name} us": time for name, time in times.items()},
        }
        for form, by_size in found.items()
        for bytes_, times in sorted(by_size.items())
    ]
    yield Section(
        "Alltoall by size and shape",
        said=[_GRAPHS, _threshold(found, sizes)],
        table=table,
        plots=[_alltoall_plot(form, by_size) for form, by_size in found.items()],
    )
    yield Section(
        "Throughput: a block over the time of the fastest alltoall, times processes",
        said=["The study has one process a node. Its throughput a node falls with more nodes."],
        table=[
            {
                "shape": form,
                "nodes": sizes[form].nodes,
                "processes": sizes[form].ranks,
                "bytes": bytes_,
                "GB/s": bytes_ * sizes[form].ranks / min(times.values()) / 1e3,
            }
            for form, by_size in found.items()
            for bytes_, times in sorted(by_size.items())
        ],
    )


def _threshold(found: Alltoalls, sizes: Mapping[str, TorusSize]) -> str:
    """The block up to which our algorithm for the library's short one wins, by shape."""
    told = []
    for form, by_size in found.items():
        short = [
            bytes_
            for bytes_, times in by_size.items()
            if SHORT in times and LONG in times and times[SHORT] < times[LONG]
        ]
        nodes = counted(sizes[form].nodes, "node")
        told.append(f"{form} ({nodes}): {size(max(short)) if short else 'never'}")
    return f"Ours: {SHORT} is faster than {LONG} up to blocks of {'; '.join(told)}."


def _alltoall_plot(form: str, by_size: Mapping[int, Mapping[str, float]]) -> Plot:
    names = dict.fromkeys(name for times in by_size.values() for name in times)
    curves = [
        Curve(name, [(bytes_, times[name]) for bytes_, times in sorted(by_size.items())
                     if name in times])
        for name in names
    ]  # fmt: skip
    return Plot(f"Alltoall, {form}", "bytes of a block", "us", curves, log_x=True, log_y=True)


def _starts(part: StudyPart) -> Section:
    """How long a job takes to start; a simulated machine has none."""
    ours = [
        {"nodes": summary.key.nodes, "ppn": summary.key.ppn, "s": summary.median_us / 1e6}
        for summary in part.show(one for one in part.summaries if one.key.collective == "start")
    ]
    published = [
        {"nodes": nodes, "published from, s": least, "to, s": most} for nodes, least, most in STARTS
    ]
    return Section(
        "Start of a job",
        said=[_STARTED],
        table=[*published, *ours],
    )


# ---- the machine at hand -------------------------------------------------------------------------


def plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, _asked: Asked
) -> Mapping[str, Plan]:
    """IMB's operations by the library and the portfolio; alltoall by all that are compared."""

    def campaign(collectives: Sequence[str], algorithms: Sequence[str]) -> Plan:
        arms = [Arm(setting, (NATIVE, *algorithms)) for setting in settings]
        return comparison.ComparisonPlan(build, arms, collectives, (), SIZES[:-1], **effort)

    portfolio = dict.fromkeys(name for names in PORTFOLIO.values() for name in names)
    return {
        "messages": campaign([*MESSAGES], ()),
        "collectives": campaign(COLLECTIVES, tuple(portfolio)),
        "alltoall": campaign(("alltoall",), (SHORT, "pairwise", LONG, "by_dimension")),
    }


def _form(text: str) -> str:
    sides(text)
    return text


STUDY = Study(
    title="IMB on Fugaku; alltoall by size and shape of the torus",
    source="RIKEN R-CCS: Results of Intel MPI Benchmarks (IMB), 2022",
    told="Point-to-point messages and collectives of IMB on Fugaku beside the best of a portfolio "
    "on a simulated torus of six dimensions; alltoall algorithms by size and shape, one that "
    "exchanges dimension by dimension among them; throughput; how long jobs take to start.",
    machines=("fugaku",),
    points=points,
    sections=each_library(sections),
    measuring=Measuring(plans),
    parameters=(
        Parameter(
            "imb-form", "Shape of the torus for IMB's collectives.", "4x6x16", "XxYxZ", _form
        ),
        Parameter("forms", "Shapes for alltoall.", FORMS, "XxYxZ,...", forms),
    ),
)
