# SPDX-License-Identifier: BSD-3-Clause
"""The performance guidelines that are known.

A guideline says that a specialised operation is no slower than what a user could put together of
others to the same end. Otherwise the library should do that itself. Sources: J. L. Träff,
W. D. Gropp, R. Thakur: Self-Consistent MPI Performance Guidelines (IEEE TPDS 21(5), 2010), and
S. Hunold, A. Carpen-Amarie, F. D. Lübbe, J. L. Träff: Automatic Verification of Self-Consistent
MPI Performance Guidelines (Euro-Par 2016), whose PGMPI measures mock-ups as wholes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from laneway.collectives import REGULAR


class Scale(IntEnum):
    """The count of a part, by that of the whole: c p to the power of this value, rounded up."""

    OVER_P = -1
    SAME = 0
    TIMES_P = 1
    LONGEST = 2
    """The count not of the whole, but of its longest block, or a greater one."""

    def count(self, whole: int, ranks: int) -> int:
        """The count of the part."""
        if self is Scale.OVER_P:
            return -(-whole // ranks)
        return whole * ranks if self is Scale.TIMES_P else whole


@dataclass(frozen=True)
class MockUpPart:
    """One of the operations that a mock-up consists of."""

    collective: str
    scale: Scale = Scale.SAME

    def __str__(self) -> str:
        return f"{self.collective}{' of the longest' if self.scale is Scale.LONGEST else ''}"


@dataclass(frozen=True)
class Guideline:
    """`left` is no slower than the parts, one after the other."""

    left: str
    parts: tuple[MockUpPart, ...]

    @property
    def name(self) -> str:
        """The name in tables and on the command line."""
        return f"{self.left} <= {' + '.join(map(str, self.parts))}"


def _rule(left: str, *parts: str) -> Guideline:
    """`/p` and `*p` behind a part say how its count follows from the left side's."""
    scales = {"/p": Scale.OVER_P, "*p": Scale.TIMES_P}
    return Guideline(
        left,
        tuple(
            MockUpPart(part[:-2], scales[part[-2:]]) if part[-2:] in scales else MockUpPart(part)
            for part in parts
        ),
    )


RULES = (
    _rule("bcast", "scatter/p", "allgather/p"),
    _rule("allreduce", "reduce", "bcast"),
    _rule("allreduce", "reduce_scatter_block/p", "allgather/p"),
    _rule("allgather", "gather", "bcast*p"),
    _rule("allgather", "alltoall"),
    _rule("allgather", "allreduce*p"),
    _rule("gather", "allgather"),
    _rule("gather", "reduce*p"),
    _rule("scatter", "bcast*p"),
    _rule("reduce", "allreduce"),
    _rule("reduce", "reduce_scatter_block/p", "gather/p"),
    _rule("reduce_scatter_block", "reduce*p", "scatter"),
    _rule("reduce_scatter_block", "allreduce*p"),
    _rule("scan", "exscan"),
    _rule("allgather", "allgatherv"),
    _rule("alltoall", "alltoallv"),
    _rule("gather", "gatherv"),
    _rule("scatter", "scatterv"),
    _rule("reduce_scatter_block", "reduce_scatter"),
    *(_rule(vector, regular) for vector, regular in REGULAR.items()),
    *(
        Guideline(vector, (MockUpPart(regular, Scale.LONGEST),))
        for vector, regular in REGULAR.items()
    ),
)
"""Counts are those of the MPI calls. For bcast, reductions and scans they are of the whole message,
for the others of one rank's block. `scan <= exscan` leaves out the local reduction that must
follow. Vector collectives are judged with equal counts; those of another layout against what a
program could do that fills all blocks up to the longest."""

MONOTONY = "monotony"
"""Less data take no longer."""

SPLITTING = "splitting"
"""A message takes no longer than its parts, sent one after the other."""


POWERS_OF_TWO = "powers of two"
"""Processes take no longer than the next power of two of them: the preference that "Optimal
MPI_ALLREDUCE node performance" finds is no law of nature."""


def next_power_of_two(processes: int) -> int:
    """The least power of two that is more."""
    return 1 << processes.bit_length()


def mockup(subject: str, other: str) -> str:
    """The guideline that an algorithm is no slower than another of the same collective."""
    return f"{subject} <= {other}"
