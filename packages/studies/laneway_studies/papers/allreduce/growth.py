# SPDX-License-Identifier: BSD-3-Clause
"""Growth with the number of nodes, and a preference for powers of two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from laneway.calibration.latency import Observation, fit
from laneway.errors import Problem
from laneway.guideline import judge_rows
from laneway.guideline.rules import POWERS_OF_TWO, next_power_of_two
from laneway.rows import NATIVE, Row
from laneway.units import size
from laneway_studies.papers.allreduce.cases import COLLECTIVE
from laneway_studies.papers.allreduce.times import OPTIMAL, LengthTimes
from laneway_studies.study import StudyPart

AS_FAST = 1.05
"""A time of at most so many times another is as fast: the margin of guidelines."""

LOG_P = (
    "Times on P nodes as a + b log2(P), and as a + b P, by least relative squares; residuals are "
    "relative. The criterion (BIC) prefers the one that is marked."
)

POWERS = (
    "The time on P nodes over that on the next power of two of nodes. Fewer nodes should take no "
    "longer: that is the guideline 'powers of two' of `laneway verify`. Where more than 1 stands, "
    "the algorithm prefers powers of two. Verdicts on native need several runs."
)


def growth_lines(one: LengthTimes) -> Iterator[Row]:
    """Two laws of growth, fitted to each curve, and which one the criterion prefers."""
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


def power_lines(
    one: LengthTimes, verdicts: Mapping[tuple[str, int, int, int], str]
) -> Iterator[Row]:
    """Times over those on the next power of two of nodes."""
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


def preference(one: LengthTimes) -> str:
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


def verdicts_of(part: StudyPart) -> dict[tuple[str, int, int, int], str]:
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
