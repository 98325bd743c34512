# SPDX-License-Identifier: BSD-3-Clause
"""The shapes of a node against each other, and the library's reduction against the binomial one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from laneway_studies.papers.juqueen import times as beside
from laneway_studies.papers.juqueen.cases import (
    HYPERCUBE,
    LONG,
    OF_MPI,
    OF_TREE,
    OperationCase,
    OperationTimes,
    cores_of,
    shapes_of,
)
from laneway_studies.study import PublishedComparison, Section

_BY_CORE = (
    "As many elements a core: a process that has a node to itself has those of all its cores. "
    "Ratios are over all processes of the node."
)
_OF_MPI = "MPI's own reduction over the binomial one, of the same shape and elements."
_NOT_SIMULATED = (
    "The library of that machine reduces by a network of its own, which is not simulated: the "
    "published ratios stand alone."
)

Pair = tuple[str, int, int]
"""The shapes that are compared, nodes, elements."""


def _ratios(operation: str, times: OperationTimes, over: str) -> dict[Pair, float]:
    """Times of each shape over another's, of the same nodes and elements."""
    shapes = shapes_of(times)
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


def against(
    operation: str, title: str, said: str, ours: OperationTimes, known: OperationTimes
) -> Iterator[Section]:
    """The shapes of a node against each other, by one operation."""
    over = "all processes" if operation == HYPERCUBE else "one process"
    a = "core" if operation == HYPERCUBE else "process"
    yield from _compared(
        title, said, _ratios(operation, ours, over), _ratios(operation, known, over), a
    )


def by_core(ours: OperationTimes, known: OperationTimes) -> Iterator[Section]:
    """The reduction where one process has the elements of all cores of its node."""

    def per_core(times: OperationTimes) -> dict[OperationCase, float]:
        cores = cores_of(times)
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


def of_mpi(ours: OperationTimes, known: OperationTimes, *, simulated: bool) -> Iterator[Section]:
    """The time of MPI's own reduction over the binomial one."""

    def over_tree(times: OperationTimes) -> dict[Pair, float]:
        return {
            (name, case.nodes, case.elements): time / times[tree]
            for case, time in times.items()
            for name, shape in shapes_of(times).items()
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
        yield from beside.of(OF_MPI, f"{title}: times", [], ours, known)
