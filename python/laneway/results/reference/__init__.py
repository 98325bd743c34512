# SPDX-License-Identifier: BSD-3-Clause
"""Published figures, shipped as data: to be laid beside measured ones. see README.md."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from typing import Any

from laneway.errors import Misuse
from laneway.rows import NATIVE
from laneway.units import INT, shape_in_words

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


@dataclass(frozen=True)
class Published:
    """A published time of a collective."""

    source: str
    """Who published it."""
    system: str
    """Machine and MPI library."""
    nodes: int
    ppn: int
    collective: str
    algorithm: str
    bytes: int
    """Counted as in rows: of the message, or of the block of a rank."""
    time_us: float
    """The average, or what the source calls the time."""
    ratio_to_native: float | None = None

    @property
    def name(self) -> str:
        """The machine in a word, by which it is chosen: hydra, vsc-3, jupiter, fugaku, juqueen."""
        return self.system.split(",")[0].lower()

    @property
    def place(self) -> str:
        """Where it was measured, and who says so."""
        return f"{self.system}, {shape_in_words(self.nodes, self.ppn)} ({self.source})"

    def line(self) -> dict[str, Any]:
        """A line of a figure's table."""
        return {"place": self.place, **asdict(self)}


def load(name: str = "all") -> list[Published]:
    """The published times of collectives on a machine, or on all; Misuse for an unknown one."""
    chosen = [each for each in _with_ratios(_every()) if name in ("all", each.name)]
    if not chosen:
        known = ", ".join(names())
        raise Misuse(f"--reference: no published figures of '{name}'; known: all, {known}")
    return chosen


def names() -> list[str]:
    """The machines."""
    return [*dict.fromkeys(each.name for each in _every())]


def _every() -> list[Published]:
    return [*_multilane(), *_fugaku(), *_juqueen()]


def _with_ratios(published: Sequence[Published]) -> list[Published]:
    """With native's time over each one's, where the source has both."""
    natives = {_case(each): each.time_us for each in published if each.algorithm == NATIVE}
    return [
        replace(
            each,
            ratio_to_native=natives[_case(each)] / each.time_us
            if _case(each) in natives and each.time_us > 0
            else None,
        )
        for each in published
    ]


def _case(one: Published) -> tuple[Any, ...]:
    return one.place, one.collective, one.bytes


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
