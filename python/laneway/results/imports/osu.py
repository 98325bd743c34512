# SPDX-License-Identifier: BSD-3-Clause
"""The output of the OSU micro-benchmarks, versions 3 to 7: latencies, with and without `-f`.

    # OSU MPI Allreduce Latency Test v7.3
    # Datatype: MPI_INT.
    # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
    4                       1.23              1.01              1.40        1000

Bandwidths and message rates are other figures than times and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from laneway.results.imports.table import DamageError, Entry, in_order, number, whole
from laneway.units import counted

TITLE = re.compile(r"^#\s*OSU MPI(?P<what>.*?)\s+Test(?:\s+v?(?P<version>[\d.]+\S*))?\s*$")
DATATYPE = re.compile(r"^#\s*Datatype:\s*MPI_(\w+?)\.?\s*$")
COLUMNS = re.compile(r"^#\s*(?:Size\b|Avg Latency|Latency).*")
COLUMN = re.compile(
    r"Size|Avg Latency\s?\(us\)|Min Latency\s?\(us\)|Max Latency\s?\(us\)|Latency\s?\(us\)"
    r"|P\d+ Tail Lat\s?\(us\)|P\d+\s?\(us\)|Iterations|Validation|Bandwidth\s?\(MB/s\)|MB/s"
    r"|Messages/s"
)
NAMES = {
    "all-to-all": "alltoall",
    "all-to-all personalized exchange": "alltoall",
    "all-to-allv": "alltoallv",
    "all-to-allv personalized exchange": "alltoallv",
    "broadcast": "bcast",
    "": "pingpong",
}
"""The benchmarks whose title is not the collective."""

STATISTIC = "mean of ranks and repetitions"


def matches(lines: Sequence[str]) -> bool:
    """Whether this is such output."""
    return any(TITLE.match(line) for line in lines)


def read(lines: Sequence[str]) -> Iterator[Entry]:
    """The times. Raises DamageError."""
    collective, datatype = "", "byte"
    columns: list[str] = []
    for position, line in enumerate(lines, 1):
        if title := TITLE.match(line):
            collective, columns, datatype = _collective(title["what"]), [], "byte"
        elif named := DATATYPE.match(line):
            datatype = named[1].lower()
        elif collective and COLUMNS.match(line):
            columns = [_plain(column) for column in COLUMN.findall(line)]
        elif columns and line.strip() and not line.startswith("#"):
            if line.strip()[0].isalpha():
                columns = []  # what a script said after the benchmark had ended
            elif "latency" in "".join(columns):
                yield _entry(line, position, columns, collective, datatype)


def _collective(what: str) -> str:
    words = re.sub(r"^-\S+", "", what.strip()).strip().removesuffix("Latency").strip().lower()
    return NAMES.get(words, words.replace("-", "_").replace(" ", "_"))


def _plain(column: str) -> str:
    return re.sub(r"\s?\(us\)", "", column).lower().replace(" ", "_")


def _entry(line: str, position: int, columns: list[str], collective: str, datatype: str) -> Entry:
    words = line.split()
    if len(words) != len(columns):
        raise DamageError(
            position,
            f"{counted(len(words), 'figure')} in a table of {counted(len(columns), 'column')}",
        )
    row = dict(zip(columns, words, strict=True))
    if row.get("validation", "Pass") != "Pass":
        raise DamageError(position, f"the validation says {row['validation']}")
    time = number(row.get("avg_latency") or row["latency"], position, "a latency")
    more: dict[str, float | int] = {}
    if "min_latency" in row and "max_latency" in row:
        more["min_us"] = number(row["min_latency"], position, "a latency")
        more["max_us"] = number(row["max_latency"], position, "a latency")
        in_order(more["min_us"], time, more["max_us"], position)
    if "iterations" in row:
        more["repetitions"] = whole(row["iterations"], position, "a number of iterations")
    size = whole(row["size"], position, "a size") if "size" in row else 0
    return Entry(position, collective, size, time, STATISTIC, more, datatype)
