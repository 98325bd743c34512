# SPDX-License-Identifier: BSD-3-Clause
"""Published figures, shipped as data: README.md has their sources."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from laneway.results.reference import Published
from laneway.rows import NATIVE
from laneway.units import INT

JUQUEEN_ELEMENT_BYTES = 8

TRAEFF = "Träff and Hunold 2020"
FUGAKU = "RIKEN R-CCS 2022"
AXTMANN = "Axtmann 2016"

_ALGORITHMS = {
    "hier": "hierarchical",
    "lane_irregular": "lane (irregular)",
    "lane_no_datatypes": "lane_reorder",
}
"""Names in the paper whose algorithm has another one here."""


def times() -> list[Published]:
    """All published times of collectives, which the core finds by an entry point."""
    return [*_multilane(), *_fugaku(), *_juqueen()]


def times_on(machine: str) -> list[Published]:
    """The published times of one machine."""
    return [each for each in times() if each.name == machine]


def _table(name: str) -> Iterator[dict[str, str]]:
    with files(__name__).joinpath(name).open(encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


def _multilane() -> Iterator[Published]:
    for line in _table("multilane_collectives.csv"):
        if line["benchmark"] == "collective":
            table = "" if line["section"] == "main" else f", appendix {line['section']}"
            yield Published(
                source=TRAEFF + table,
                system=f"{line['system']}, {line['mpi_library']}",
                nodes=int(line["nodes"]),
                ppn=int(line["processes_per_node"]),
                collective=line["collective"],
                algorithm=_ALGORITHMS.get(line["variant"], line["variant"]),
                bytes=INT * int(line["count_mpi_int"]),
                time_us=float(line["avg_us"]),
            )


def _fugaku() -> Iterator[Published]:
    for line in _table("fugaku_imb.csv"):
        yield Published(
            source=FUGAKU,
            system="Fugaku, Fujitsu MPI",
            nodes=int(line["nodes"]),
            ppn=int(line["processes_per_node"]),
            collective=line["operation"],
            algorithm=NATIVE,
            bytes=int(line["message_bytes"]),
            time_us=1e6 * float(line["time_s"]),
        )


def _juqueen() -> Iterator[Published]:
    for line in _table("juqueen.csv"):
        threads = int(line["threads_per_process"])
        yield Published(
            source=AXTMANN,
            system="Juqueen, IBM MPI" + (f", {threads} threads a rank" if threads > 1 else ""),
            nodes=int(line["nodes"]),
            ppn=int(line["processes_per_node"]),
            collective=line["operation"],
            algorithm=line["algorithm"],
            bytes=JUQUEEN_ELEMENT_BYTES * int(line["count"]),
            time_us=1e6 * float(line["time_s"]),
        )


@dataclass(frozen=True)
class PublishedTerm:
    """A published coefficient of a latency model, in microseconds for each unit of its term."""

    collective: str
    algorithm: str
    """linear, pipeline or binary; all: of a model of all of them."""
    allocation: str
    """How ranks were dealt out: by socket, which fills a node before the next, or by node."""
    term: str
    estimate: float
    std_error: float
    t_value: float


def latency_terms() -> list[PublishedTerm]:
    """The regressions of "Modeling the latency of MPI collective communication algorithms"."""
    return [
        PublishedTerm(
            line["operation"],
            line["algorithm"],
            line["allocation"],
            line["term"],
            float(line["estimate"]),
            float(line["std_error"]),
            float(line["t_value"]),
        )
        for line in _table("latency_models.csv")
    ]


@dataclass(frozen=True)
class PublishedStart:
    """The published start of a job on Fugaku."""

    nodes: int
    shape: str
    """X, Y and Z, or `noncont`: nodes that are not next to each other."""
    first_s: float
    last_s: float
    """Seconds until the first process runs, and until the last."""


def starts() -> list[PublishedStart]:
    """How long jobs take to start on Fugaku, each by itself."""
    return [
        PublishedStart(
            int(line["nodes"]), line["shape"], float(line["first_s"]), float(line["last_s"])
        )
        for line in _table("fugaku_start.csv")
    ]
