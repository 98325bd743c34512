# SPDX-License-Identifier: BSD-3-Clause
"""The cases of the study: which operation, by which shape of a node, of how many elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from laneway.results.reference import Published
from laneway.rows import NATIVE, Row
from laneway.units import counted
from laneway_studies import figures
from laneway_studies.figures import JUQUEEN_ELEMENT_BYTES
from laneway_studies.study import Asked, StudyPart

THREADS = 16

REDUCED = "binomial_reduce"
"""The benchmark's binomial reduction, whose local part the threads of a process share."""

HYPERCUBE = "hypercube"
BINOMIAL = "binomial"

LIBRARYS = {"bcast": "the library's bcast", "reduce": "the library's reduce"}
"""The library's own, measured beside the binomial ones."""

LONG = 65536
"""Elements from which on bandwidth decides, as in the study's second half."""


def published() -> list[Published]:
    """The figures of the study."""
    return figures.times_on("juqueen")


def counts_of(operation: str, asked: Asked) -> list[int]:
    """Elements of an operation: those asked for, else all that are published."""
    found = (one for one in published() if one.collective == operation)
    return [*asked["elements"]] or sorted({one.bytes // JUQUEEN_ELEMENT_BYTES for one in found})


@dataclass(frozen=True, order=True)
class NodeShape:
    """How a node takes part: so many processes with so many threads each."""

    ppn: int
    threads: int

    @property
    def cores(self) -> int:
        """The cores of a node that take part."""
        return self.ppn * self.threads

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


def our_times(part: StudyPart) -> dict[OperationCase, float]:
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
    cores = max((shape.cores for shape in shapes.values()), default=1)
    found: dict[OperationCase, float] = {}
    for summary in own:
        key, shape = summary.key, shapes[summary.key]
        operation = OPERATIONS[key.collective, key.algorithm]
        elements = key.count * shape.cores // cores if operation == HYPERCUBE else key.count
        case = OperationCase(operation, key.nodes, shape, elements)
        found[case] = min(summary.median_us, found.get(case, summary.median_us))
    return found


def rounds(processes: int) -> int:
    """The rounds of a binomial tree of so many, and the dimensions of their hypercube."""
    return (processes - 1).bit_length()


def facts_of(case: OperationCase) -> Row:
    """The columns of a table that tell a case from others."""
    a = "core" if case.operation == HYPERCUBE else "process"
    return {"nodes": case.nodes, "shape": str(case.shape), f"elements a {a}": case.elements}


def cores_of(times: Iterable[OperationCase]) -> int:
    """The cores of a node that take part, at most."""
    return max((case.shape.cores for case in times), default=1)


def shapes_of(times: Iterable[OperationCase]) -> dict[str, NodeShape]:
    """The shapes that the study compares, of a node with so many cores as took part."""
    cores = cores_of(times)
    return {
        "all processes": NodeShape(cores, 1),
        "one process": ONE,
        "one process with threads": NodeShape(1, cores),
    }
