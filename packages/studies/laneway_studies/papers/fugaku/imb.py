# SPDX-License-Identifier: BSD-3-Clause
"""IMB on Fugaku: messages between pairs and neighbours, and twelve collectives.

The choices of Fugaku's MPI library are not published, so its times are laid beside the best of a
portfolio. It has algorithms that are known to suit short or long messages there, not all there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from laneway.collectives import WITHOUT_DATA
from laneway.results.reference import Published
from laneway.rows import NATIVE, Row
from laneway.simulation import comparison, program
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call, in_words
from laneway.units import INT
from laneway_studies import figures
from laneway_studies.papers.fugaku.portfolio import PORTFOLIO, PortfolioEntry, datatype
from laneway_studies.papers.fugaku.shapes import mean_hops, nodes_of, ring, shaped, sides
from laneway_studies.simulated import of_call
from laneway_studies.study import Asked, SimulatedPoint, TellPart

MESSAGES = {
    "pingpong": "PingPong",
    "pingping": "PingPing",
    "sendrecv": "Sendrecv",
    "exchange": "Exchange",
}
"""IMB's names of its messages between pairs and neighbours, by the benchmark's."""

NEIGHBOURS = {"pingping": (1,), "sendrecv": (1,), "exchange": (1, -1)}
"""To whom a process sends, by the distance in a ring of all; from the other side it receives."""

OF_NONE = 1
"""Bytes of a simulated message that stands for one without data, which no algorithm sends."""

PPN = 4
"""Processes a node of the published collectives; of other numbers there is nothing to compare."""

FORMS = "4x6x16,16x12x16,48x12x48"
"""The published shapes of the collectives."""

MOST_HOPS = "4M"
"""Links that the messages of a simulated call cross in all, at most: seconds of work."""


@cache
def published_times() -> Sequence[Published]:
    """The published times of all operations."""
    return figures.times_on("fugaku")


def sizes(operation: str, nodes: int | None = None) -> list[int]:
    """The published bytes of an operation that are some, on so many nodes or on any."""
    own = (
        one
        for one in published_times()
        if one.collective == operation and nodes in (None, one.nodes) and one.bytes
    )
    return sorted({one.bytes for one in own})


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """All published operations: messages once, collectives on each shape."""
    chosen = asked["sizes"]

    def few(of: Iterable[int]) -> Iterator[int]:
        return (bytes_ for bytes_ in of if not chosen or bytes_ in chosen)

    for bytes_ in few((0, *sizes("pingpong"))):
        call = Call("bcast", "linear", bytes_ or OF_NONE, (1, 1), "byte")
        facts: Row = {"collective": "pingpong", "algorithm": NATIVE, "root": None}
        yield of_call(call, shaped(machine, "2x3x2"), **facts, count=bytes_, bytes=bytes_)
    for operation, distances in NEIGHBOURS.items():
        nodes = next(one.nodes for one in published_times() if one.collective == operation)
        for bytes_ in few((0, *sizes(operation))):
            yield _of_neighbours(operation, distances, bytes_, ring(machine, nodes), nodes)
    for form in asked["imb-form"]:
        own, nodes = shaped(machine, form), nodes_of(form)
        hops = mean_hops(sides(form))
        most = asked["most-hops"] / hops
        for collective, ways in PORTFOLIO.items():
            known = sizes(collective, nodes) or sizes(collective)
            for bytes_ in (0,) if collective in WITHOUT_DATA else few(known):
                for way in _ways(ways, bytes_, nodes, most):
                    work = way.messages(nodes * PPN, nodes) * hops
                    yield of_call(_call(collective, way, bytes_, nodes), own, work=work)


def _ways(
    ways: Iterable[PortfolioEntry], bytes_: int, nodes: int, most: float
) -> Iterator[PortfolioEntry]:
    for way in ways:
        if way.least <= bytes_ <= way.most and way.messages(nodes * PPN, nodes) <= most:
            yield way


def _call(collective: str, way: PortfolioEntry, bytes_: int, nodes: int) -> Call:
    unit = datatype(collective)
    count = bytes_ // INT if unit == "int" else bytes_
    return Call(collective, way.algorithm, count, (PPN,) * nodes, unit, components=way.components)


def _of_neighbours(
    operation: str, distances: Sequence[int], bytes_: int, machine: Machine, nodes: int
) -> SimulatedPoint:
    """The time until each process has sent to neighbours, and received from them, all at once."""
    # A file has the counts. Long messages are of doubles, as MPI counts no more bytes.
    of, unit = ("double", 8) if bytes_ and bytes_ % 8 == 0 else ("byte", 1)
    call = Call("alltoallv", "sparse", 1, (1,) * nodes, of)
    told = {**call.options, **machine.options}

    def rows(tell: TellPart) -> Iterator[Row]:
        with TemporaryDirectory() as folder:
            layout = Path(folder) / "counts"
            layout.write_text(_counts(nodes, distances, (bytes_ or OF_NONE) // unit))
            (result,) = program.lines("time", {**told, "layout": f"file:{layout}"}, tell)
        row = comparison.sample(call, machine, {**result, "count": bytes_ // unit, "bytes": bytes_})
        del row["layout"], row["crossing"]
        yield {
            **row,
            "collective": operation,
            "algorithm": NATIVE,
            "time_us": result["time_us"],
        }

    words = f"{operation} {bytes_}, {in_words(call.nodes)}"
    return SimulatedPoint(
        words, {"neighbours": told, "distances": [*distances], "bytes": bytes_}, rows
    )


def _counts(nodes: int, distances: Sequence[int], count: int) -> str:
    """Elements of each process for each other one, a line a process."""
    lines = []
    for own in range(nodes):
        targets = {(own + distance) % nodes for distance in distances}
        lines.append(" ".join(str(count if to in targets else 0) for to in range(nodes)))
    return "".join(f"{line}\n" for line in lines)
