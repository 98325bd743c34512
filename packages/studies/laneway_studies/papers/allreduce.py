# SPDX-License-Identifier: BSD-3-Clause
"""The best allreduce of a portfolio against the library's own, one process a node, over nodes.

The study prints graphs, and says in words what they show; their numbers were never published. So
its words stand beside our numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from statistics import median

from laneway.calibration.latency import Observation, fit
from laneway.campaign import Plan
from laneway.errors import Problem
from laneway.guideline import judge_rows
from laneway.guideline.rules import POWERS_OF_TWO, next_power_of_two
from laneway.launching.allocation import CLUSTER_NODES, Wanted
from laneway.launching.place import Setting
from laneway.libraries import registry
from laneway.libraries.native import NativeBuild
from laneway.libraries.registry import Algorithm
from laneway.plans import comparison
from laneway.plans.comparison import Arm
from laneway.rows import NATIVE, SIMULATED, Row
from laneway.showing.diagram import Curve, Plot
from laneway.simulation import native, program
from laneway.simulation.machine import Machine
from laneway.simulation.native import Native
from laneway.simulation.program import COMPONENTS, Call
from laneway.units import quoted, size
from laneway_studies.reading import ascending
from laneway_studies.simulated import fastest, of_call
from laneway_studies.study import (
    Asked,
    Effort,
    Measuring,
    Parameter,
    Section,
    SimulatedPoint,
    Study,
    StudyPart,
)

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

NODES = "2,3,4,5,6,7,8,9,12,15,16,17,24,31,32,33,48,60,63,64,65,96,128"
"""Numbers of nodes up to the study's machines (60, 64 and 128): powers of two and neighbours."""

AS_GOOD = 1.1
"""A time of at most so many times the best is a good choice."""

AS_FAST = 1.05
"""A time of at most so many times another is as fast: the margin of guidelines."""

OPTIMAL = "optimal"

COMMON = 60
"""Nodes that all machines of the study have: it prints a graph up to these, and one of all."""

STEPS = (1 / 4, 4)
"""Segments that are tried besides the usual one, as multiples of it."""


def _libraries(text: str) -> tuple[Native, ...]:
    return tuple(native.load(name.strip()) for name in text.split(",") if name.strip())


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError(f"{quoted(text)} is neither yes nor no")
    return text == "yes"


# ---- what is simulated, and measured ---------------------------------------------------------


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


# ---- what rows say ----------------------------------------------------------------------------


@dataclass(frozen=True)
class LengthTimes:
    """The times of one library, length and number of processes a node, by the number of nodes."""

    library: str
    ppn: int
    bytes: int
    optimal: Mapping[int, tuple[float, str]]
    """The time of the fastest algorithm of the portfolio, in us, and which that is."""
    native: Mapping[int, float]

    @property
    def curves(self) -> dict[str, dict[int, float]]:
        """Both curves, where there are both."""
        optimal = {nodes: time for nodes, (time, _) in self.optimal.items()}
        return {OPTIMAL: optimal, **({NATIVE: dict(self.native)} if self.native else {})}

    def over_optimal(self, nodes: int) -> float | None:
        """How many times as long as the best the library's own takes."""
        if nodes not in self.native or nodes not in self.optimal:
            return None
        return self.native[nodes] / self.optimal[nodes][0]

    def over_power(self, which: str, nodes: int) -> float | None:
        """The time over that on the next power of two of nodes; None for a power of two itself."""
        own, power = self.curves.get(which, {}), next_power_of_two(nodes)
        if nodes == next_power_of_two(nodes - 1) or nodes not in own or power not in own:
            return None
        return own[nodes] / own[power]


Gathered = tuple[str, int, int]
"""Library, processes a node, bytes."""


def gathered(part: StudyPart) -> list[LengthTimes]:
    """The times by library and length. A simulation has one portfolio, and libraries beside it."""
    optimal: dict[Gathered, dict[int, tuple[float, str]]] = defaultdict(dict)
    natives: dict[Gathered, dict[int, float]] = defaultdict(dict)
    own = [summary for summary in part.summaries if summary.key.collective == COLLECTIVE]
    for summary in own:
        key = summary.key
        if key.algorithm == NATIVE:
            library = str(dict(key.axes).get("native", key.library))
            times = natives[library, key.ppn, key.bytes]
            times[key.nodes] = min(summary.median_us, times.get(key.nodes, summary.median_us))
        else:
            best = optimal[key.library, key.ppn, key.bytes]
            found = summary.median_us, key.algorithm
            best[key.nodes] = min(found, best.get(key.nodes, found))
    described = {
        of: optimal[SIMULATED, *of[1:]] for of in natives if part.origin.simulated_on is not None
    }
    known = {**({} if described else optimal), **described}
    lengths = {of[1:] for of in (*known, *natives)}
    part.show(summary for summary in own if (summary.key.ppn, summary.key.bytes) in lengths)
    return [LengthTimes(*of, known.get(of, {}), natives[of]) for of in sorted({*known, *natives})]


def sections(part: StudyPart) -> Iterator[Section]:
    """A section for each length, the growth with P, powers of two."""
    times = gathered(part)
    for ppn, length in sorted({(one.ppn, one.bytes) for one in times}):
        yield _of_length(length, ppn, [one for one in times if (one.ppn, one.bytes) ==
                                       (ppn, length)])  # fmt: skip
    growth = [line for one in times for line in _growth(one)]
    if growth:
        yield Section(
            "Growth with P",
            [LOG_P],
            table=growth,
        )
    powers = [line for one in times for line in _powers(one, _verdicts(part))]
    if powers:
        yield Section("Powers of two", [POWERS, *map(_preference, times)], table=powers)


def across(parts: Sequence[StudyPart]) -> Iterator[Section]:
    """Machines against each other: the best of the portfolio, and each library's own."""
    found: dict[tuple[int, int], dict[str, dict[int, float]]] = defaultdict(dict)
    for part in parts:
        for one in gathered(part):
            for which, own in one.curves.items():
                named = "" if which == OPTIMAL else f", {one.library}"
                found[one.ppn, one.bytes][f"{part.origin.short}: {which}{named}"] = own
    for (ppn, length), curves in sorted(found.items()):
        nodes = sorted({each for own in curves.values() for each in own})
        yield Section(
            f"{_title(length, ppn)}: machines against each other",
            table=[
                {"nodes": each, **{f"{name}, us": own.get(each) for name, own in curves.items()}}
                for each in nodes
            ],
            plots=[*_intervals(_title(length, ppn), curves)],
        )


def _title(length: int, ppn: int) -> str:
    several = f", {ppn} processes a node" if ppn > 1 else ""
    return f"Allreduce of {size(length)}{several}"


def _intervals(title: str, curves: Mapping[str, Mapping[int, float]]) -> Iterator[Plot]:
    """The study's two graphs: the nodes that all machines have, and all of them."""
    beyond = any(nodes > COMMON for own in curves.values() for nodes in own)
    for most in (COMMON, *([None] if beyond else ())):
        yield Plot(
            title + (f", up to {COMMON} nodes" if beyond and most else ""),
            "nodes",
            "us",
            [
                Curve(name, [(nodes, time) for nodes, time in own.items()
                             if most is None or nodes <= most])
                for name, own in curves.items()
            ],
            log_x=True,
            log_y=True,
        )  # fmt: skip


LOG_P = (
    "Times on P nodes as a + b log2(P), and as a + b P, by least relative squares; residuals are "
    "relative. The criterion (BIC) prefers the one that is marked."
)

POWERS = (
    "The time on P nodes over that on the next power of two of nodes. Fewer nodes should take no "
    "longer: that is the guideline 'powers of two' of `laneway verify`. Where more than 1 stands, "
    "the algorithm prefers powers of two. Verdicts on native need several runs."
)


def _of_length(length: int, ppn: int, times: Sequence[LengthTimes]) -> Section:
    told = LENGTHS.get(length // ELEMENT)
    curves = {_named(one, which, times): own for one in times for which, own in one.curves.items()}
    return Section(
        _title(length, ppn),
        [*([f"The study on {told}."] if told else ()), *map(_choice, times)],
        table=[line for one in times for line in _lines(one)],
        plots=[*_intervals(_title(length, ppn), curves)],
    )


def _named(one: LengthTimes, which: str, among: Sequence[LengthTimes]) -> str:
    """The curve's name, with the library if there are several; simulated ones share an optimum."""
    common = which == OPTIMAL and all(each.optimal is one.optimal for each in among)
    return which if common or len(among) == 1 else f"{which}, {one.library}"


def _choice(one: LengthTimes) -> str:
    """Whether the library's own is a good choice."""
    over = [ratio for nodes in one.native if (ratio := one.over_optimal(nodes)) is not None]
    if not over:
        return "There is no native allreduce here: the best algorithms alone."
    good = sum(ratio <= AS_GOOD for ratio in over)
    return (
        f"{one.library}: native takes {median(over):.2f} times as long as the best (median), and "
        f"at most {AS_GOOD - 1:.0%} longer on {good} of {len(over)} numbers of nodes."
    )


def _lines(one: LengthTimes) -> Iterator[Row]:
    for nodes in sorted({*one.optimal, *one.native}):
        time, algorithm = one.optimal.get(nodes, (None, None))
        yield {
            "library": one.library,
            "nodes": nodes,
            "power of two": "yes" if nodes == next_power_of_two(nodes - 1) else "",
            "optimal us": time,
            "by": algorithm,
            "native us": one.native.get(nodes),
            "native/optimal": one.over_optimal(nodes),
        }


def _growth(one: LengthTimes) -> Iterator[Row]:
    for which, own in one.curves.items():
        observed = [Observation(nodes, one.bytes, time) for nodes, time in own.items()]
        try:
            models = {growth: fit(observed, (growth,), 0) for growth in ("log2(p)", "p")}
        except Problem:  # too few
            continue
        best = min(models, key=lambda growth: models[growth].criterion)
        for growth, model in models.items():
            terms = {str(each.term): each for each in model.coefficients}
            grows = terms.get(growth)
            yield {
                "library": one.library,
                "ppn": one.ppn,
                "bytes": one.bytes,
                "which": which,
                "law": "a + b log2(P)" if growth == "log2(p)" else "a + b P",
                "preferred": "yes" if growth == best else "",
                "a us": terms["(Intercept)"].estimate if "(Intercept)" in terms else 0.0,
                "b us": grows.estimate if grows else 0.0,
                "t of b": grows.t if grows else None,
                "R2 adjusted": model.r_squared,
                "residual": model.residual,
            }


def _powers(one: LengthTimes, verdicts: Mapping[tuple[str, int, int, int], str]) -> Iterator[Row]:
    for nodes in sorted({*one.optimal, *one.native}):
        optimal, native = (one.over_power(which, nodes) for which in (OPTIMAL, NATIVE))
        if optimal or native:
            yield {
                "library": one.library,
                "ppn": one.ppn,
                "bytes": one.bytes,
                "nodes": nodes,
                "next power": next_power_of_two(nodes),
                "optimal": optimal,
                "native": native,
                "verdict on native": verdicts.get((one.library, one.ppn, one.bytes, nodes), ""),
            }


def _preference(one: LengthTimes) -> str:
    """How often fewer nodes take longer than the next power of two."""
    told = []
    for which, own in one.curves.items():
        ratios = [ratio for nodes in own if (ratio := one.over_power(which, nodes)) is not None]
        longer = sum(ratio > AS_FAST for ratio in ratios)
        told.append(f"{which} on {longer} of {len(ratios)}")
    several = f", {one.ppn} processes a node" if one.ppn > 1 else ""
    return (
        f"{one.library}, {size(one.bytes)}{several}: more than {AS_FAST - 1:.0%} longer than the "
        f"next power of two: {', '.join(told)} numbers of nodes."
    )


def _verdicts(part: StudyPart) -> dict[tuple[str, int, int, int], str]:
    """Verdicts on the guideline, where runs were measured: they differ, simulated times do not."""
    if part.origin.simulated_on is not None:
        return {}
    own: Iterable[Row] = (row for row in part.rows if row.get("collective") == COLLECTIVE)
    return {
        (
            each.axes["library"],
            each.axes["ppn"],
            each.bytes,
            each.axes["nodes"],
        ): each.verdict.value
        for each in judge_rows(own)
        if each.guideline == POWERS_OF_TWO
    }


STUDY = Study(
    title="Allreduce: the best algorithm against the library's, one process a node",
    source="Optimal MPI_ALLREDUCE node performance",
    told="The MPI library's allreduce is compared with the best of a portfolio, for 8 B, 8 KB and "
    "2 MB, over the number of nodes. The study asks whether times grow with log P, and whether the "
    "library prefers powers of two.",
    machines=("hydra",),
    points=points,
    sections=sections,
    compares=("library",),
    measuring=Measuring(plans, places),
    across=across,
    parameters=(
        Parameter(
            "node-counts",
            "Numbers of nodes.",
            NODES,
            "N,M",
            partial(ascending, least=2, what="numbers of nodes"),
        ),
        Parameter(
            "ppn-each",
            "Processes of a node; with several the local part goes by its memory.",
            "1",
            "N,M",
            partial(ascending, least=1, what="numbers of processes"),
        ),
        Parameter(
            "tunables",
            "Whether other segments than the usual ones take part: yes or no.",
            "yes",
            "yes|no",
            _yes,
        ),
        Parameter(
            "native",
            "Libraries whose choices are simulated: names of native profiles, or files.",
            "openmpi-4.0,mpich-3.3",
            "NAME,...",
            _libraries,
        ),
    ),
)
