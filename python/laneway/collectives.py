# SPDX-License-Identifier: BSD-3-Clause
"""The collectives by name, and what kinds of them there are."""

from __future__ import annotations

import re

COLLECTIVES = (
    "allgather", "allreduce", "alltoall", "bcast", "exscan", "gather", "reduce",
    "reduce_scatter_block", "scan", "scatter",
)  # fmt: skip
"""Collectives that move data, in blocks of one size. A barrier moves none, only messages."""

WITH_BARRIER = (*COLLECTIVES, "barrier")

NEIGHBORS = ("neighbor_alltoallv", "neighbor_alltoallw")
"""Collectives of neighbours: the pairs of ranks that have something for each other by a layout."""

BETWEEN_PAIRS = ("alltoallv", "alltoallw", *NEIGHBORS)
"""Collectives in which each rank may have something for each."""

VECTORS = (
    "allgatherv", "alltoallv", "alltoallw", "gatherv", *NEIGHBORS, "reduce_scatter", "scatterv",
)  # fmt: skip
"""Collectives with blocks of any sizes, whose layout says which."""

WITH_VECTORS = (*WITH_BARRIER, *VECTORS)
"""All collectives of MPI that benchmarks time."""

REGULAR = {
    "allgatherv": "allgather",
    "alltoallv": "alltoall",
    "gatherv": "gather",
    "reduce_scatter": "reduce_scatter_block",
    "scatterv": "scatter",
}
"""Vector collectives, each with the one that does the same with blocks of one size."""

EQUAL = "equal"
"""The layout of a vector collective's blocks that goes without saying."""

OF_A_FILE = "file:"
"""The beginning of a layout's name that is a file of counts."""

OF_PAIRS = "stencil"
"""The layout that has blocks between pairs of ranks alone."""

LAYOUTS = (EQUAL, "ramp", "single", "random", "sparse", OF_PAIRS, OF_A_FILE)
"""The layouts, which say how long blocks are, as the benchmark names them."""


def of_layout(layout: str | None) -> str:
    """A layout in words, behind what has it; empty where it goes without saying."""
    return "" if layout in (None, "", EQUAL) else f" of layout {layout}"


NONBLOCKING = {f"i{name}": name for name in WITH_VECTORS}
"""The nonblocking form of each: MPI_Iallreduce is iallreduce."""

PERSISTENT = "_init"
"""The end of the name of a persistent form: MPI_Allreduce_init is allreduce_init."""

WITHOUT_DATA = ("barrier", "ibarrier")

TO_ALL = ("bcast", "scatter")
TO_ONE = ("gather", "reduce")
IN_ORDER = ("exscan", "scan")
AMONG_ALL = ("allgather", "allreduce", "alltoall", "barrier", "reduce_scatter_block")
"""Collectives by who must hear from whom. In this order: all from the root; the root from all; all
from the first rank, and the last rank from all; everybody from everybody."""


def _in_all_forms(*names: str) -> frozenset[str]:
    return frozenset((*names, *(form for form, name in NONBLOCKING.items() if name in names)))


REDUCTIONS = _in_all_forms(
    "allreduce", "binomial_reduce", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block",
    "scan",
)  # fmt: skip
ROOTED = _in_all_forms(
    "bcast", "binomial_reduce", "gather", "gatherv", "reduce", "scatter", "scatterv"
)
"""Collectives that combine data by an operator, and those with a root; of any block sizes."""

OPERATORS = (
    "sum", "prod", "max", "min", "land", "lor", "lxor", "band", "bor", "bxor", "minloc", "maxloc",
)  # fmt: skip
"""The operators that reductions combine by, as the benchmark names them."""

IN_BLOCKS = _in_all_forms(
    "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "gather", "gatherv",
    *NEIGHBORS, "reduce_scatter", "reduce_scatter_block", "scatter", "scatterv",
)  # fmt: skip
"""Collectives whose bytes are those of one rank's block."""

OF_UNKNOWN_BYTES = _in_all_forms("alltoallv", "alltoallw", "gatherv", *NEIGHBORS, "scatterv")
"""Collectives of which only some processes know the bytes: a rule cannot ask for them."""


LABEL = "#"
"""The mark before a name that means nothing: `native#b` is native once more."""

_BETWEEN = re.compile(r",(?![^()]*\))")


def listed(text: str) -> list[str]:
    """Names that commas separate; in parentheses these are parts of a name, tunables."""
    return [name.strip() for name in _BETWEEN.split(text) if name.strip()]


_OF_A_CHOICE = re.compile(r"\([^()]*\)|((?:^|,)\s*)([\w-]+)(?=(?:@\w+)?=)")
"""Text in parentheses, which are tunables; or the collective before a choice."""


def choices(text: str) -> str:
    """Algorithms by collective, the collectives named as here: MPI_Bcast=lane is bcast=lane."""

    def spelled(found: re.Match[str]) -> str:
        return found[0] if found[2] is None else found[1] + collective(found[2])

    return _OF_A_CHOICE.sub(spelled, text)


def blocking(name: str) -> str:
    """The blocking form of a collective, whose algorithms and floor the other ones have."""
    return NONBLOCKING.get(name, name.removesuffix(PERSISTENT))


def collective(word: str) -> str:
    """The name here of a collective as MPI or anybody spells it: MPI_Bcast is bcast."""
    return word.lower().removeprefix("mpi_").replace("-", "_")
