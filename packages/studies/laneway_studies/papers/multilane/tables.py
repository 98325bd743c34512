# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the paper: systems, cases, and the fastest time that is published of each.

Times are the fastest published ones. Counts are those of the paper's benchmark: elements of the
message, or of a block where there is a block a rank. In the lane pattern they are a node's, in
several collectives at once what a process sends to all others together.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from laneway.rows import NATIVE
from laneway_studies import figures

TABLES = Path(figures.__file__).parent / "multilane_collectives.csv"


REPETITIONS = 50
"""Repetitions of the lane pattern in one time (Section 2)."""


@dataclass(frozen=True)
class System:
    """A machine of the paper with an MPI library."""

    name: str
    library: str
    """The library; the tables call both so."""
    native: str
    """The native profile that stands for the library."""
    same_side: float = 0.85
    near: float = 0.60
    """The shares of telling ratios that should be on the same side, and near."""
    exchanged: bool = False
    """Whether times called lane and hierarchical seem to be each other's; that is told as well."""
    beyond: frozenset[str] = frozenset()
    """Collectives whose hierarchical times seem to lack the lanes; what the others say is told."""


SYSTEMS = {
    "hydra": System("Hydra", "Open MPI 4.0.1", "openmpi-4.0", beyond=frozenset({"reduce"})),
    "hydra-mpich": System("Hydra", "MPICH 3.3", "mpich-3.3"),
    "hydra-intelmpi": System("Hydra", "Intel MPI 2018", "intelmpi-2018"),
    "vsc3": System(
        "VSC-3", "Intel MPI 2018", "intelmpi-2018", 0.80, 0.50, beyond=frozenset({"reduce"})
    ),
    "jupiter": System("Jupiter", "MVAPICH2 2-2.3.1", "mvapich2-2.3", 0.80, 0.50, exchanged=True),
}
"""By machine file."""


IN_REGULAR = ("gather", "scatter", "reduce_scatter_block")
DIVIDED = ("bcast", "allreduce", "reduce")
"""Collectives whose mock-ups have regular components: always, and where processes of a node divide
the count (Section 4)."""


@dataclass(frozen=True, order=True)
class PublishedCase:
    """The case that a published time is of."""

    benchmark: str
    """lane_pattern, multi_collective, collective or node_vs_lane."""
    section: str
    collective: str
    nodes: int
    ppn: int
    count: int
    variant: str
    """native, lane, hier ...; empty for probes."""
    virtual_lanes: int
    """The virtual lanes of a probe; else 0."""

    @classmethod
    def of(cls, row: Mapping[str, str]) -> PublishedCase:
        """The case of a row of the tables."""
        return cls(
            row["benchmark"],
            row["section"],
            row["collective"],
            int(row["nodes"]),
            int(row["processes_per_node"]),
            int(row["count_mpi_int"]),
            row["variant"],
            int(row["virtual_lanes"] or 0),
        )

    @property
    def shape(self) -> Sequence[int]:
        """Processes of each node."""
        return (self.ppn,) * self.nodes

    @property
    def algorithm(self) -> str:
        """Our algorithm for it: the paper's own mock-ups, which send nothing as a whole."""
        regular = self.collective in IN_REGULAR or (
            self.collective in DIVIDED and self.count % self.ppn == 0
        )
        if self.benchmark != "collective":
            return NATIVE
        return {
            "native": NATIVE,
            "lane": "lane_regular" if regular else self.irregular,
            "lane_irregular": self.irregular,
            "lane_no_datatypes": "lane_reorder",
            "hier": f"hierarchical{self._whole}",
        }[self.variant]

    @property
    def irregular(self) -> str:
        """The lanes' mock-up with vector collectives on nodes.

        It stands for the regular one as well where processes divide the count, but not the units
        of several elements in which ours moves data.
        """
        return f"lane{self._whole}"

    @property
    def _whole(self) -> str:
        return "(whole=0)" if self.collective == "bcast" else ""


@functools.cache
def published(system: System) -> Mapping[PublishedCase, float]:
    """The fastest times in microseconds; Jupiter's tables print one case twice."""
    times: dict[PublishedCase, float] = {}
    with TABLES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (row["system"], row["mpi_library"]) == (system.name, system.library):
                case, time = PublishedCase.of(row), float(row["min_us"])
                times[case] = min(time, times.get(case, time))
    return times


@functools.cache
def full_size(system: System) -> tuple[int, int]:
    """The nodes of a published machine, and the processes of a full one."""
    cases = published(system)
    return max(case.nodes for case in cases), max(case.ppn for case in cases)
