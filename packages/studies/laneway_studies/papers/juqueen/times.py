# SPDX-License-Identifier: BSD-3-Clause
"""Our times of an operation beside the published ones, and what follows from these alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from laneway.rows import Row
from laneway.showing.diagram import Curve, Plot
from laneway_studies.figures import JUQUEEN_ELEMENT_BYTES
from laneway_studies.papers.juqueen.cases import (
    HYPERCUBE,
    LONG,
    OF_TREE,
    ONE,
    NodeShape,
    OperationCase,
    OperationTimes,
    cores_of,
    facts_of,
    rounds,
    shapes_of,
)
from laneway_studies.study import PublishedComparison, Section

_STARTED = (
    "A process with threads takes longer than one without, for the fewest elements. The table has "
    "by how much, for each round between nodes. In simulated times that is --thread-start, by "
    "default the published one."
)
_ONE_LINK = (
    "Ten links carry 18 GB/s each way. So one process does not saturate a node's network: whoever "
    "waits for a partner before turning to the next has one link at work. Processes that are at "
    "different dimensions at the same time use several."
)


def of(
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
                    facts_of(case),
                    time,
                    own.get(case),
                    counts=case.elements >= LONG,
                    remark="" if case.elements >= LONG else "published to 10 us",
                )
                for case, time in sorted(beside.items())
            ],
            table=[
                {**facts_of(case), "ours": time}
                for case, time in sorted(own.items())
                if case not in beside
            ],
            plots=[_plot(title, own, beside)],
        )


def thread_starts(ours: OperationTimes, known: OperationTimes) -> Iterator[Section]:
    """How long threads take to start and to join, by round."""

    def lines(times: OperationTimes, whose: str) -> Iterator[Row]:
        threads = shapes_of(times)["one process with threads"]
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
                    "us a round": longer / rounds(nodes),
                }

    if found := [*lines(ours, "ours")]:
        yield Section("Starting threads", [_STARTED], table=[*lines(known, "published"), *found])


def saturation(ours: OperationTimes, known: OperationTimes) -> Iterator[Section]:
    """The rate at which a node sends in long exchanges."""

    def rates(times: OperationTimes) -> dict[NodeShape, list[tuple[OperationCase, float]]]:
        cores = cores_of(times)
        found: dict[NodeShape, list[tuple[OperationCase, float]]] = defaultdict(list)
        for case, time in sorted(times.items()):
            if case.operation == HYPERCUBE and case.elements >= LONG:
                sent = rounds(case.nodes) * case.elements * cores * JUQUEEN_ELEMENT_BYTES
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
                {**facts_of(case), "GB/s out of a node": rate}
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
