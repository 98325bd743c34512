# SPDX-License-Identifier: BSD-3-Clause
"""Sections on IMB's operations: published times beside ours, and how many have one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from laneway.collectives import WITHOUT_DATA
from laneway.rows import NATIVE, CaseKey, Row
from laneway.showing.diagram import Curve, Plot
from laneway.simulation.program import in_words
from laneway.units import counted
from laneway_studies.papers.fugaku.imb import MESSAGES, NEIGHBOURS, published_times
from laneway_studies.papers.fugaku.portfolio import COLLECTIVES
from laneway_studies.study import PublishedComparison, Section, StudyPart

PASSING = {"pingpong": 1, "pingping": 1, "sendrecv": 2, "exchange": 4}
"""Messages that IMB counts in the throughput of a process."""

SHORT = 1024
"""Bytes below which published reductions and broadcasts may use the barrier interface."""

_BEST = (
    "Ours is the best of a portfolio; the published ones are those of Fujitsu's MPI, whose choices "
    "are not published."
)

_OTHER_SHAPES = (
    "Published are 384, 3072 and 27648 nodes with 4 processes each. Times of other shapes stand "
    "without a published one."
)

_FITTED = "The machine file is fitted to these times, and to no others."

_NEIGHBOURS = "Published are 384 nodes in a row, one process each. Ours is a call alone."

_TOO_MANY = "its messages cross more links than --most-hops"

_NO_DATA = "no data"
_OF_NONE = "ours has one byte"

_NOT_ASKED = "not among --sizes"

_NOT_MEASURED = "not measured"

_INTERFACE = "published ones may use the barrier interface"


@dataclass(frozen=True, order=True)
class ImbCase:
    """An operation, where, and how many bytes."""

    operation: str
    nodes: int
    ppn: int
    bytes: int

    @property
    def facts(self) -> Row:
        """The columns of a table that tell it from others."""
        return vars(self)


@dataclass
class TimesByAlgorithm:
    """Our times of one case."""

    us: dict[str, float] = field(default_factory=dict)
    """By algorithm."""

    @property
    def best(self) -> tuple[str, float]:
        """The fastest algorithm, and its time."""
        return min(self.us.items(), key=lambda found: found[1])


def sections(part: StudyPart) -> Iterator[Section]:
    """All that is published, counted; messages; collectives."""
    ours = _ours(part)
    found = [
        _section(part, operation, name, ours)
        for operation, name in {**MESSAGES, **COLLECTIVES}.items()
        if any(case.operation == operation for case in ours)
    ]
    if any(section.comparisons for section in found):
        yield _overview(found)
    yield from found
    yield from _throughputs(ours)


def _ours(part: StudyPart) -> Mapping[ImbCase, TimesByAlgorithm]:
    """Our times. An alltoall of a named shape of the torus is none of IMB's."""
    own = part.show(
        one
        for one in part.summaries
        if one.key.collective in (*MESSAGES, *COLLECTIVES) and "torus" not in dict(one.key.axes)
    )
    found: dict[ImbCase, TimesByAlgorithm] = defaultdict(TimesByAlgorithm)
    for summary in own:
        key, times = summary.key, found[_case(summary.key)].us
        times[key.algorithm] = min(summary.median_us, times.get(key.algorithm, summary.median_us))
    return found


def _case(key: CaseKey) -> ImbCase:
    """The case of ours. Two processes alone are two nodes' wherever the others are."""
    pair = key.collective in ("pingpong", "pingping") and key.nodes > 1
    nodes, ppn = (2, 1) if pair else (key.nodes, key.ppn)
    return ImbCase(key.collective, nodes, ppn, key.bytes)


def _section(
    part: StudyPart, operation: str, name: str, found: Mapping[ImbCase, TimesByAlgorithm]
) -> Section:
    """Published times of the shapes that we have times of, and ours of other shapes behind them."""
    ours = {case: times for case, times in found.items() if case.operation == operation}
    shapes = {(case.nodes, case.ppn) for case in ours}
    theirs = {
        ImbCase(operation, one.nodes, one.ppn, one.bytes): one.time_us
        for one in published_times()
        if one.collective == operation and (one.nodes, one.ppn) in shapes
    }
    simulated = part.origin.simulated_on is not None
    several = operation in COLLECTIVES
    compared = [
        PublishedComparison(
            {**case.facts, **(_by(ours.get(case)) if several else {})},
            time,
            ours[case].best[1] if case in ours else None,
            remark=_remark(case, part, there=case in ours),
        )
        for case, time in sorted(theirs.items())
    ]
    further = [
        {**case.facts, **(_by(times) if several else {}), "ours": times.best[1]}
        for case, times in sorted(ours.items())
        if case not in theirs
    ]
    said = [_BEST] if several else []
    if simulated and operation == "pingpong":
        said.append(_FITTED)
    if simulated and operation in NEIGHBOURS:
        said.append(_NEIGHBOURS)
    if several and further:
        said.append(_OTHER_SHAPES)
    return Section(
        name,
        said,
        compared,
        table=further,
        plots=[_plot(name, theirs, ours)] if several and operation not in WITHOUT_DATA else [],
    )


def _throughputs(ours: Mapping[ImbCase, TimesByAlgorithm]) -> Iterator[Section]:
    """Bytes a second of messages, published and ours."""
    compared = [
        PublishedComparison(
            {"operation": MESSAGES[one.collective], "bytes": one.bytes},
            PASSING[one.collective] * one.bytes / one.time_us,
            PASSING[one.collective] * one.bytes / ours[case].best[1] if case in ours else None,
        )
        for one in published_times()
        if one.collective in MESSAGES and one.bytes
        for case in (ImbCase(one.collective, one.nodes, one.ppn, one.bytes),)
    ]
    if any(one.ours is not None for one in compared):
        yield Section(
            "Throughput of messages",
            ["IMB counts what a process sends and receives, and one message of a pair."],
            compared,
            quantity="MB/s",
        )


def _by(times: TimesByAlgorithm | None) -> Row:
    """The algorithm of the best time, and the library's own where that was measured."""
    if times is None:
        return {"by": None}
    own = {"native us": times.us[NATIVE]} if NATIVE in times.us else {}
    return {"by": times.best[0], **own}


def _remark(case: ImbCase, part: StudyPart, *, there: bool) -> str:
    """The reason why a published time has none of ours, or one that is hardly comparable."""
    if there:
        if case.operation in MESSAGES and not case.bytes and part.origin.simulated_on is not None:
            return _OF_NONE
        short = case.operation in ("allreduce", "reduce", "bcast", "barrier") and case.bytes < SHORT
        return _INTERFACE if short else ""
    if case.operation not in WITHOUT_DATA:
        if not case.bytes:
            return _NO_DATA
        if part.asked["sizes"] and case.bytes not in part.asked["sizes"]:
            return _NOT_ASKED
    is_bounded = part.origin.simulated_on is not None and case.operation in COLLECTIVES
    return _TOO_MANY if is_bounded else _NOT_MEASURED


def _overview(found: Sequence[Section]) -> Section:
    """How many published times have one of ours, and how near these are."""
    lines: list[Row] = []
    every = [one for section in found for one in section.comparisons]
    for section in found:
        by_nodes: dict[int, list[PublishedComparison]] = defaultdict(list)
        for one in section.comparisons:
            by_nodes[one.case["nodes"]].append(one)
        for nodes, own in by_nodes.items():
            ratios = [one.quotient for one in own if one.quotient is not None]
            lines.append(
                {
                    "operation": section.title,
                    "nodes": nodes,
                    "published": len(own),
                    "with ours": len(ratios),
                    "within a factor of 2": sum(0.5 <= ratio <= 2 for ratio in ratios),
                    "ours/published, median": median(ratios) if ratios else None,
                }
            )
    there = sum(one.ours is not None for one in every)
    reasons = sorted({one.remark for one in every if one.ours is None})
    without = f" The others have none: {'; '.join(reasons)}." if reasons else ""
    return Section(
        "IMB: published times with one of ours",
        [f"{counted(there, 'published time')} of {len(every)} have one of ours.{without}"],
        table=lines,
    )


def _plot(
    name: str, theirs: Mapping[ImbCase, float], ours: Mapping[ImbCase, TimesByAlgorithm]
) -> Plot:
    """A curve for each shape, and the published one where it is of that shape."""
    curves = []
    for nodes, ppn in sorted({(case.nodes, case.ppn) for case in ours}):
        label = f"best of the portfolio, {in_words([ppn] * nodes)}"
        own = [
            (case.bytes, times.best[1])
            for case, times in sorted(ours.items())
            if (case.nodes, case.ppn) == (nodes, ppn) and case.bytes
        ]
        curves.append(Curve(label, own))
        known = [(case.bytes, time) for case, time in sorted(theirs.items())
                 if (case.nodes, case.ppn) == (nodes, ppn) and case.bytes]  # fmt: skip
        if known:
            curves.append(Curve(f"published, {nodes} nodes", known, published=True, of=label))
    return Plot(name, "bytes", "us", curves, log_x=True, log_y=True)
