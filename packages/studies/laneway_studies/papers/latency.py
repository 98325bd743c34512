# SPDX-License-Identifier: BSD-3-Clause
"""Latency of broadcast and reduction by linear, pipeline and binary algorithms, as regressions.

The study fits latency to the number of processes for messages of one byte, with a breakpoint at 128
where ranks fill node after node. It also fits latency to processes and bytes together. It names no
machine; nodes of 128 processes follow from its breakpoint.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from laneway.calibration.latency import Break, Model, Observation, Term, fit_terms
from laneway.calibration.latency_cases import Fitted, fitted
from laneway.campaign import Plan
from laneway.errors import Problem
from laneway.launching.allocation import CLUSTER_PPN, Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.plans import comparison
from laneway.plans.comparison import Arm
from laneway.results.measurements import Measured
from laneway.rows import CaseKey, Row, Samples
from laneway.showing import latency_models
from laneway.showing.diagram import Curve, Plot
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway.units import parse_sizes, size
from laneway_studies.figures import PublishedTerm, latency_terms
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
)

ALGORITHMS = {"linear": "linear", "pipeline": "chain", "binary": "binary"}
"""The study's names, and ours."""

BY_RANK = "(order=0)"
"""The study's algorithms know no nodes: trees and chains follow the ranks."""

COLLECTIVES = {"bcast": "Broadcast", "reduce": "Reduction"}

BY_SOCKET, BY_NODE, BY_CORE = "socket", "node", "core"
ALLOCATIONS = {BY_SOCKET: ("node", "socket"), BY_NODE: ("cyclic",)}
"""The study's allocations, and placements of ours: by socket, ranks fill a node before the next.
If there are ranks that go round the sockets of a node, those of placement `node` are by core. They
fill socket after socket, which the study does not have."""

PROCESSES = "2,4,8,16,32,48,64,80,96,112,128,144,160,176,192,208,224,240,256"
SIZES = "1,16,256,1K,4K,8K,16K,64K,256K,1M"

WARM_UPS = (0, 1, 10, 100, 1000)
ITERATIONS = (10, 100, 1000, 10000)
"""Numbers of iterations whose means are compared, as far as so many were measured."""

OVER_PROCESSES = (
    "The published terms, fitted to our times: MPI_Processes is p. Coefficients are in us; "
    "those of another machine are not expected to be the same, but their signs, and what "
    "grows faster than what."
)
OVER_BOTH = (
    "The Bayesian criterion chooses among terms in p processes and m bytes with one "
    "breakpoint of each at most, as in `laneway model fit`. Residuals are relative."
)
OVER_SOCKETS = (
    "By socket, ranks go round the sockets of a node, as launchers deal them out by socket. By "
    "core, they fill one socket after the other, which the study does not have."
)
OF_LOGARITHMS = (
    "One regression without intercept: a log2(p) + b m, for each algorithm and "
    "allocation. The study does not say of what; with log2 of the time in us, both are of the same "
    "size."
)
WARMING_UP = (
    "Nothing was warmed up before the first repetition. A ratio is the mean of so many "
    "iterations, after so many others, over that of a run's second half. The table has the median "
    "of all runs, the least and the most."
)


# ---- what is simulated, and measured ---------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    """How ranks are dealt out to nodes and sockets."""

    placement: str
    size: int | None = None
    """Processes that fill a socket."""
    sockets: int | None = None
    """Sockets of a node that ranks go round."""


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """Both collectives by all algorithms, ranks dealt out each way."""
    most, cores, sockets = max(asked["process-counts"]), asked["cores"], asked["sockets"]
    all_nodes = -(-most // cores)
    for collective in COLLECTIVES:
        for algorithm in ALGORITHMS.values():
            for p in asked["process-counts"]:
                full, rest = divmod(p, cores)
                filled = (cores,) * full + ((rest,) if rest else ())
                dealt = tuple(len(range(node, p, all_nodes)) for node in range(min(p, all_nodes)))
                for nodes, where in (
                    (filled, Placed("node", size=-(-cores // sockets) if sockets > 1 else None)),
                    *([(filled, Placed("socket", sockets=sockets))] if sockets > 1 else ()),
                    (dealt, Placed("cyclic")),
                ):
                    for count in asked["sizes"]:
                        call = Call(
                            collective,
                            f"{algorithm}{BY_RANK}",
                            count,
                            nodes,
                            "byte",
                            placement=where.placement,
                            socket_size=where.size,
                            sockets=where.sockets,
                        )
                        yield of_call(call, machine)


def places(wanted: Wanted, _asked: Asked) -> list[Wanted]:
    """All numbers of processes a node up to that asked for, ranks dealt out both ways."""
    most = wanted.ppn or CLUSTER_PPN
    numbers = sorted({*(2**power for power in range(most.bit_length())), most})
    placements = ("node", "cyclic") if wanted.placement == "node" else (wanted.placement,)
    return [
        replace(wanted, ppn=ppn, placement=placement) for placement in placements for ppn in numbers
    ]


def plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, asked: Asked
) -> dict[str, Plan]:
    """One campaign; nothing is warmed up, so that what warming up does is in the samples."""
    algorithms = [f"{name}{BY_RANK}" for name in ALGORITHMS.values()]
    arms = [
        Arm(setting, algorithms)
        for setting in settings
        # Virtual nodes have consecutive ranks, whatever is asked for.
        if setting.place.cluster or setting.place.real or setting.place.placement == "node"
    ]
    plan = comparison.ComparisonPlan(
        build=build,
        arms=arms,
        collectives=tuple(COLLECTIVES),
        counts=(),
        sizes=asked["sizes"],
        datatype="byte",
        others={"warmup": ("0",)},
        **{**effort, "op": "bxor"},
    )
    return {"latency": plan}


# ---- what rows say ----------------------------------------------------------------------------


def sections(part: StudyPart) -> Iterator[Section]:
    """Over processes, over processes and bytes, by the published terms; warm-up where measured."""
    samples = {
        key: own
        for key, own in Measured(part.rows).samples.items()
        if key.collective in COLLECTIVES and _paper_name(key.algorithm)
    }
    if not samples:
        return
    least = min(key.bytes for key in samples)
    for collective in COLLECTIVES:
        own = {key: times for key, times in samples.items() if key.collective == collective}
        if own:
            shortest = {key: times for key, times in own.items() if key.bytes == least}
            yield _over_processes(collective, least, shortest)
            yield from _sockets(collective, least, shortest)
            part.shown.update(shortest)
            both = [*_over_both(collective, own)]
            part.shown.update(own if both else ())
            yield from both
    if part.origin.simulated_on is None:
        yield from _warming_up(samples)


def _paper_name(algorithm: str) -> str | None:
    """The study's name for an algorithm of ours."""
    name = algorithm.partition("(")[0]
    return next((theirs for theirs, ours in ALGORITHMS.items() if ours == name), None)


def _allocation(placement: str, placements: Collection[str]) -> str:
    """The allocation of a placement, among all that there are."""
    if placement == "node" and "socket" in placements:
        return BY_CORE
    return next(theirs for theirs, ours in ALLOCATIONS.items() if placement in ours)


def _placement(key: CaseKey) -> str:
    return str(dict(key.axes).get("placement") or "node")


Allocated = tuple[str, str]
"""Algorithm and allocation, in the study's words."""


def _groups(samples: Mapping[CaseKey, Samples]) -> dict[Allocated, list[Observation]]:
    found: dict[Allocated, list[Observation]] = defaultdict(list)
    placements = {*map(_placement, samples)}
    for key, own in samples.items():
        algorithm = _paper_name(key.algorithm)
        allocation = _allocation(_placement(key), placements)
        if algorithm:
            found[algorithm, allocation] += (
                Observation(sum(key.processes), key.bytes, statistics.median(run))
                for run in own.times_us.values()
            )
    return dict(found)


def _over_processes(collective: str, length: int, samples: Mapping[CaseKey, Samples]) -> Section:
    """The study's own terms fitted to our times, its coefficients beside ours."""
    published = [one for one in latency_terms() if one.collective == collective]
    comparisons: list[PublishedComparison] = []
    curves: list[Curve] = []
    for (algorithm, allocation), observed in _groups(samples).items():
        theirs = [one for one in published if (one.algorithm, one.allocation) ==
                  (algorithm, allocation)]  # fmt: skip
        ours = _same_terms(theirs, observed)
        comparisons += _beside(theirs, ours)
        label = f"{algorithm}, by {allocation}"
        curves.append(Curve(label, _means(observed)))
        ps = sorted({one.p for one in observed})
        line = [(p, sum(one.estimate * _term(one).value(p, 1) for one in theirs)) for p in ps]
        curves.append(Curve(f"{label}, published model", line, True, of=label, markers=False))
    return Section(
        f"{COLLECTIVES[collective]} of {size(length)}: latency over processes",
        [OVER_PROCESSES],
        comparisons,
        "coefficients in us",
        plots=[
            Plot(
                f"{COLLECTIVES[collective]} of {size(length)}",
                "processes",
                "latency in us",
                curves,
                log_y=True,
            )
        ],
    )


def _sockets(collective: str, length: int, samples: Mapping[CaseKey, Samples]) -> Iterator[Section]:
    """Ranks that go round the sockets of a node, against those that fill one after the other."""
    groups = {group: dict(_means(observed)) for group, observed in _groups(samples).items()}
    lines = [
        {
            "algorithm": algorithm,
            "processes": p,
            "by core, us": groups[algorithm, BY_CORE][p],
            "by socket, us": own[p],
            "by socket / by core": own[p] / groups[algorithm, BY_CORE][p],
        }
        for (algorithm, allocation), own in groups.items()
        if allocation == BY_SOCKET and (algorithm, BY_CORE) in groups
        for p in sorted(own.keys() & groups[algorithm, BY_CORE].keys())
    ]
    if lines:
        title = f"{COLLECTIVES[collective]} of {size(length)}: sockets of a node"
        yield Section(title, [OVER_SOCKETS], table=lines)


def _means(observed: Sequence[Observation]) -> list[tuple[float, float]]:
    times = defaultdict(list)
    for one in observed:
        times[one.p].append(one.time_us)
    return [(p, statistics.fmean(own)) for p, own in sorted(times.items())]


def _term(published: PublishedTerm) -> Term:
    """A published term as ours. (One lost its number when it was printed: it is 128 as well.)."""
    beyond = Break("p", 128) if ">" in published.term else None
    grows = published.term.split(" : ")[0] == "MPI_Processes"
    return Term("p" if grows else None, beyond=beyond)


def _same_terms(
    published: Sequence[PublishedTerm], observed: Sequence[Observation]
) -> Model | None:
    """The model; None where there are too few times, or none beyond the breakpoint."""
    terms = [*map(_term, published)]
    if not all(any(term.value(one.p, one.m) for one in observed) for term in terms):
        terms = [term for term in terms if not term.beyond]
    try:
        return fit_terms(observed, terms) if terms else None
    except Problem:
        return None


def _beside(
    published: Sequence[PublishedTerm], ours: Model | None
) -> Iterator[PublishedComparison]:
    known = {each.term: each for each in ours.coefficients} if ours else {}
    for one in published:
        own = known.get(_term(one))
        yield PublishedComparison(
            {
                "algorithm": one.algorithm,
                "allocation": one.allocation,
                "term": str(_term(one)),
                **_certainty(one, own.estimate if own else None, own.error if own else None),
                "our R2": ours.r_squared if ours else None,
            },
            one.estimate,
            own.estimate if own else None,
        )


def _over_both(collective: str, samples: Mapping[CaseKey, Samples]) -> Iterator[Section]:
    """Models by the criterion, and the published ones of the logarithm."""
    found, _ = fitted(samples, breakpoints=1)  # so that tables can be read
    placements = {str(each.facts["placement"]) for each in found}
    if found:
        names = ["algorithm", "placement"]
        yield Section(
            f"{COLLECTIVES[collective]}: latency in processes and bytes",
            [OVER_BOTH],
            table=[
                _line(each, line, placements)
                for each in found
                for line in latency_models.lines(each)
            ],
            plots=[latency_models.plot(each, names) for each in found],
        )
    comparisons = [*_logarithms(collective, samples)]
    if comparisons:
        yield Section(
            f"{COLLECTIVES[collective]}: growth with log2(p) and with bytes",
            [OF_LOGARITHMS],
            comparisons,
            "coefficients",
        )


def _line(each: Fitted, line: Row, placements: Collection[str]) -> Row:
    names = ("term", "estimate", "std. error", "t", "R2 adjusted", "residual")
    return {
        "algorithm": _paper_name(str(each.facts["algorithm"])),
        "allocation": _allocation(str(each.facts["placement"]), placements),
        **{name: line[name] for name in names},
    }


def _certainty(published: PublishedTerm, ours: float | None, error: float | None) -> Row:
    """How sure a published coefficient is, and ours."""
    return {
        "published error": published.std_error,
        "published t": published.t_value,
        "our error": error,
        "our t": ours / error if ours is not None and error else None,
    }


@dataclass(frozen=True)
class LogarithmFit:
    """An algorithm and allocation in the regression of all: a log2(p) + b m is log2 of the time."""

    estimates: Sequence[float]
    spread: Sequence[float]
    """The square of a standard error over the variance of the residuals."""
    squares: float
    """The sum of squared residuals."""
    degrees: int
    """Times beyond the coefficients."""


LOGARITHMIC = ("log2(mpi_processes)", "message_size")


def _logarithm_fit(observed: Sequence[Observation]) -> LogarithmFit | None:
    """None where processes or sizes are too few."""
    import numpy as np

    if min(len({one.p for one in observed}), len({one.m for one in observed})) < 2:
        return None
    matrix = np.array([(math.log2(one.p), float(one.m)) for one in observed])
    times = np.log2([one.time_us for one in observed])
    found, *_ = np.linalg.lstsq(matrix, times, rcond=None)
    squares = float(((times - matrix @ found) ** 2).sum())
    spread = np.linalg.inv(matrix.T @ matrix).diagonal()
    return LogarithmFit([*map(float, found)], [*map(float, spread)], squares, len(times) - 2)


def _logarithms(
    collective: str, samples: Mapping[CaseKey, Samples]
) -> Iterator[PublishedComparison]:
    """The study's regression without intercept: two coefficients for each algorithm, one error."""
    published = {
        tuple(re.split(r" : |-", one.term.lower())): one
        for one in latency_terms()
        if one.collective == collective and one.algorithm == "all"
    }
    fits = {
        group: found
        for group, observed in _groups(samples).items()
        if (found := _logarithm_fit(observed))
    }
    degrees = sum(one.degrees for one in fits.values())
    variance = sum(one.squares for one in fits.values()) / degrees if degrees else 0.0
    for (algorithm, allocation), one in fits.items():
        for term, estimate, spread in zip(LOGARITHMIC, one.estimates, one.spread, strict=True):
            theirs = published.get((term, algorithm, allocation))
            if theirs is None:
                continue
            yield PublishedComparison(
                {
                    "algorithm": algorithm,
                    "allocation": allocation,
                    "term": term,
                    **_certainty(theirs, estimate, math.sqrt(variance * spread)),
                },
                theirs.estimate,
                estimate,
            )


def _warming_up(samples: Mapping[CaseKey, Samples]) -> Iterator[Section]:
    """Means of so many iterations after so many others, over that of the second half."""
    runs = [run for own in samples.values() for run in own.times_us.values()]
    lines = []
    for warm_up in WARM_UPS:
        for iterations in ITERATIONS:
            ratios = [
                statistics.fmean(run[warm_up : warm_up + iterations])
                / statistics.fmean(run[len(run) // 2 :])
                for run in runs
                if len(run) >= warm_up + iterations
            ]
            if len(ratios) > 1:
                lines.append(
                    {
                        "warm-up": warm_up,
                        "iterations": iterations,
                        "mean / settled mean": statistics.median(ratios),
                        "from": min(ratios),
                        "to": max(ratios),
                        "runs": len(ratios),
                    }
                )
    if lines:
        yield Section(
            "Warm-up and iterations",
            [WARMING_UP],
            table=lines,
            plots=[_warm_up_plot(lines)],
        )


def _warm_up_plot(lines: Sequence[Row]) -> Plot:
    by_warm_up: Callable[[Row], int] = lambda line: line["warm-up"]  # noqa: E731 - with its type
    return Plot(
        "Warm-up and iterations",
        "iterations",
        "mean / settled mean",
        [
            Curve(
                f"{warm_up} before",
                [(line["iterations"], line["mean / settled mean"]) for line in own],
            )
            for warm_up, own in groupby(lines, by_warm_up)
        ],
        log_x=True,
    )


STUDY = Study(
    title="Latency models of broadcast and reduction: linear, pipeline, binary",
    source="Modeling the latency of MPI collective communication algorithms",
    told="Latency grows with the number of processes and with the message, by algorithm and by "
    "how ranks are dealt out to nodes. Regressions have a breakpoint where a second node begins; "
    "the published coefficients stand beside ours. The study shows the influence of warming up and "
    "of the number of iterations.",
    machines=("hydra",),
    points=points,
    sections=sections,
    measuring=Measuring(plans, places),
    parameters=(
        Parameter(
            "process-counts", "Numbers of processes.", PROCESSES, "P,Q", partial(ascending, least=2)
        ),
        Parameter(
            "cores",
            "Processes that a simulated node has room for.",
            "128",
            "N",
            partial(whole, least=1, what="number of processes"),
        ),
        Parameter(
            "sockets",
            "Sockets of a simulated node, which ranks go round; 1: they are no factor.",
            "2",
            "N",
            partial(whole, least=1, what="number of sockets"),
        ),
        Parameter("sizes", "Bytes of messages.", SIZES, "A,B", parse_sizes),
    ),
)
