# SPDX-License-Identifier: BSD-3-Clause
"""The collectives of IMB that are published, and the algorithms that stand for the library's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from laneway.collectives import REDUCTIONS

COLLECTIVES = {
    "allreduce": "Allreduce",
    "reduce": "Reduce",
    "allgather": "Allgather",
    "allgatherv": "Allgatherv",
    "gather": "Gather",
    "gatherv": "Gatherv",
    "scatter": "Scatter",
    "scatterv": "Scatterv",
    "alltoall": "Alltoall",
    "alltoallv": "Alltoallv",
    "bcast": "Bcast",
    "barrier": "Barrier",
}
"""IMB's names of the published collectives."""


def _once(processes: int, _nodes: int) -> float:
    return processes


def _twice(processes: int, _nodes: int) -> float:
    return 2 * processes


def _in_rounds(processes: int, _nodes: int) -> float:
    return processes * (processes - 1).bit_length()


def _twice_in_rounds(processes: int, nodes: int) -> float:
    return 2 * _in_rounds(processes, nodes)


RADIX = 16
"""The base of the digits by which long blocks go where all pairs are too many messages."""


def _by_digits(processes: int, _nodes: int) -> float:
    places, messages = 1, 0
    while places < processes:
        messages += min(RADIX, -(-processes // places)) - 1
        places *= RADIX
    return processes * messages


def _by_rings_of_lanes(processes: int, nodes: int) -> float:
    return 2 * processes * nodes


def _pairs(processes: int, _nodes: int) -> float:
    return processes * processes


@dataclass(frozen=True)
class PortfolioEntry:
    """An algorithm that is simulated."""

    algorithm: str
    messages: Callable[[int, int], float]
    """About how many messages it sends in all, of so many processes on so many nodes."""
    least: int = 0
    most: int = 2**40
    """The bytes of messages, or blocks, that it is for."""
    components: str = "rounds"
    stands_in: bool = False
    """Whether it stands for one of too many messages to be simulated; it is not measured then."""


BY_RINGS = PortfolioEntry("lane", _by_rings_of_lanes, least=4096, components="bytes")

_BY_TREE_OR_ROOT = (
    PortfolioEntry("binomial", _once),
    PortfolioEntry("linear", _once, least=512),
)

PORTFOLIO = {
    "allreduce": (
        PortfolioEntry("recursive_doubling", _in_rounds, most=65536),
        PortfolioEntry("reduce_bcast", _twice, most=65536),
        PortfolioEntry("rabenseifner", _twice_in_rounds, least=512),
        PortfolioEntry("lane", _in_rounds),
        BY_RINGS,
    ),
    "reduce": (
        PortfolioEntry("binomial", _once),
        PortfolioEntry("reduce_scatter_gather", _twice_in_rounds, least=512),
        PortfolioEntry("lane", _twice),
        BY_RINGS,
    ),
    "bcast": (
        PortfolioEntry("binomial", _once),
        PortfolioEntry("scatter_recursive_doubling", _in_rounds, least=4096),
        PortfolioEntry("lane", _twice),
        BY_RINGS,
    ),
    "allgather": (
        PortfolioEntry("bruck", _in_rounds),
        PortfolioEntry("ring", _pairs, least=512),
        BY_RINGS,
    ),
    "allgatherv": (
        PortfolioEntry("circulant", _in_rounds),
        PortfolioEntry("ring", _pairs, least=512),
        BY_RINGS,
    ),
    "gather": _BY_TREE_OR_ROOT,
    "gatherv": _BY_TREE_OR_ROOT,
    "scatter": _BY_TREE_OR_ROOT,
    "scatterv": _BY_TREE_OR_ROOT,
    "alltoall": (
        PortfolioEntry("bruck", _in_rounds, most=4096),
        PortfolioEntry(f"bruck(radix={RADIX})", _by_digits, least=8192, stands_in=True),
        PortfolioEntry("spread", _pairs, least=64),
    ),
    "alltoallv": (
        PortfolioEntry("bruck", _in_rounds, most=256),
        PortfolioEntry(f"tuna(radix={RADIX},longest=1G)", _by_digits, least=512, stands_in=True),
        PortfolioEntry("spread", _pairs, least=64),
    ),
    "barrier": (
        PortfolioEntry("dissemination", _in_rounds),
        PortfolioEntry("tree", _once),
        PortfolioEntry("lane", _in_rounds),
    ),
}
"""The algorithms that are simulated, by collective."""

ALIKE = {
    "reductions": ("allreduce", "reduce"),
    "blocks": ("allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv", "alltoallv"),
    "broadcasts": ("bcast",),
    "barriers": ("barrier",),
}
"""The collectives that are measured together: of one datatype, at the same published sizes.
Alltoall is measured by shape."""


def portfolio_of(collectives: Iterable[str]) -> Sequence[str]:
    """The algorithms that are measured of collectives, beside the library's own."""
    return [
        *dict.fromkeys(
            way.algorithm for name in collectives for way in PORTFOLIO[name] if not way.stands_in
        )
    ]


def datatype(collective: str) -> str:
    """The type of a collective's elements: bytes, which nothing sums up."""
    return "int" if collective in REDUCTIONS else "byte"
