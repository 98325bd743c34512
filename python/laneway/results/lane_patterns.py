# SPDX-License-Identifier: BSD-3-Clause
"""Published tables of the lane pattern, as rows of the probe."""

from __future__ import annotations

import csv
from pathlib import Path

from laneway.errors import Misuse
from laneway.rows import Row
from laneway.units import INT

EXCHANGES = 50
"""Exchanges in a published time (Träff and Hunold 2020, Section 2): so its tables tell on lanes
whose rate is known."""

NEEDED = ("system", "mpi_library", "benchmark", "virtual_lanes", "nodes", "processes_per_node",
          "count_mpi_int", "min_us")  # fmt: skip


def read(path: Path, system: str | None) -> list[Row]:
    """The rows of one system in a CSV file with the columns of multilane_collectives.csv.

    A system is a machine with its library: `Hydra, Open MPI 4.0.1`. Times are the fastest ones, of
    the jobs with the most processes a node. Raises Misuse that names file, line and reason; also
    where there are several systems, and not one of them is asked for.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
            if missing:
                raise Misuse(f"{path}:1: no column '{missing[0]}' in this table of lane patterns")
            found = [
                (
                    f"{line['system']}, {line['mpi_library']}",
                    _row(line, f"{path}:{reader.line_num}"),
                )
                for line in reader
                if line["benchmark"] == "lane_pattern"
            ]
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{path}: cannot be read: {error}") from error
    systems = sorted({name for name, _ in found if _is_called(name, system)})
    if len(systems) != 1:
        known = "; ".join(sorted({name for name, _ in found}))
        told = f"'{system}' is {'several' if systems else 'none'} of these" if system else "which?"
        raise Misuse(f"{path}: --system: {told}: {known}")
    own = [row for name, row in found if name == systems[0]]
    most = max(row["ppn"] for row in own)
    return [row for row in own if row["ppn"] == most]


def _is_called(name: str, asked: str | None) -> bool:
    """Whether a machine and its library is one that is asked for, by both or by the machine."""
    return asked is None or asked.lower() in (name.lower(), name.partition(",")[0].lower())


def _row(line: dict[str, str], where: str) -> Row:
    try:
        return {
            "kind": "probe",
            "probe": "lane-pattern",
            "run": 1,
            "virtual_lanes": int(line["virtual_lanes"]),
            "bytes": INT * int(line["count_mpi_int"]),
            "inner_repetitions": EXCHANGES,
            "nodes": int(line["nodes"]),
            "ppn": int(line["processes_per_node"]),
            "time_us": float(line["min_us"]),
        }
    except (TypeError, ValueError) as error:
        raise Misuse(f"{where}: {error}") from error
