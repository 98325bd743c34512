# SPDX-License-Identifier: BSD-3-Clause
"""The sections of lengths: the best against the library's own, machines against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from laneway.guideline.rules import next_power_of_two
from laneway.rows import Row
from laneway.showing.diagram import Curve, Plot
from laneway.units import size
from laneway_studies.papers.allreduce.cases import ELEMENT, LENGTHS
from laneway_studies.papers.allreduce.times import OPTIMAL, LengthTimes, gathered
from laneway_studies.study import Section, StudyPart

AS_GOOD = 1.1
"""A time of at most so many times the best is a good choice."""

COMMON = 60
"""Nodes that all machines of the study have: it prints a graph up to these, and one of all."""


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
            f"{title_of(length, ppn)}: machines against each other",
            table=[
                {"nodes": each, **{f"{name}, us": own.get(each) for name, own in curves.items()}}
                for each in nodes
            ],
            plots=[*_intervals(title_of(length, ppn), curves)],
        )


def title_of(length: int, ppn: int) -> str:
    """The title of a length, in bytes."""
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


def of_length(length: int, ppn: int, times: Sequence[LengthTimes]) -> Section:
    """The section of a length: what the study says of it, times, curves."""
    told = LENGTHS.get(length // ELEMENT)
    curves = {_named(one, which, times): own for one in times for which, own in one.curves.items()}
    return Section(
        title_of(length, ppn),
        [*([f"The study on {told}."] if told else ()), *map(_choice, times)],
        table=[line for one in times for line in _lines(one)],
        plots=[*_intervals(title_of(length, ppn), curves)],
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
