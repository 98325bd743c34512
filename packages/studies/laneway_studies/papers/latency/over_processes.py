# SPDX-License-Identifier: BSD-3-Clause
"""Latency over processes: the published terms fitted to our times; sockets of a node."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from laneway.calibration.latency import Break, Model, Observation, Term, fit_terms
from laneway.errors import Problem
from laneway.rows import CaseKey, Samples
from laneway.showing.diagram import Curve, Plot
from laneway.units import size
from laneway_studies.figures import PublishedTerm, latency_terms
from laneway_studies.papers.latency.cases import BY_CORE, BY_SOCKET, COLLECTIVES
from laneway_studies.papers.latency.groups import certainty, groups_of
from laneway_studies.study import PublishedComparison, Section

OVER_PROCESSES = (
    "The published terms, fitted to our times: MPI_Processes is p. Coefficients are in us; "
    "those of another machine are not expected to be the same, but their signs, and what "
    "grows faster than what."
)

OVER_SOCKETS = (
    "By socket, ranks go round the sockets of a node, as launchers deal them out by socket. By "
    "core, they fill one socket after the other, which the study does not have."
)


def over_processes(collective: str, length: int, samples: Mapping[CaseKey, Samples]) -> Section:
    """The study's own terms fitted to our times, its coefficients beside ours."""
    published = [one for one in latency_terms() if one.collective == collective]
    comparisons: list[PublishedComparison] = []
    curves: list[Curve] = []
    for (algorithm, allocation), observed in groups_of(samples).items():
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


def sockets_of(
    collective: str, length: int, samples: Mapping[CaseKey, Samples]
) -> Iterator[Section]:
    """Ranks that go round the sockets of a node, against those that fill one after the other."""
    groups = {group: dict(_means(observed)) for group, observed in groups_of(samples).items()}
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
                **certainty(one, own.estimate if own else None, own.error if own else None),
                "our R2": ours.r_squared if ours else None,
            },
            one.estimate,
            own.estimate if own else None,
        )
