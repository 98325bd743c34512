# SPDX-License-Identifier: BSD-3-Clause
"""The output of the Intel MPI Benchmarks, versions 3 to 2021: MPI-1 and NBC parts.

    #----------------------------------------------------------------
    # Benchmarking Allreduce
    # #processes = 4
    #----------------------------------------------------------------
           #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
                4         1000         1.31         1.42         1.37

The time of a collective is `t_max`, that of the slowest rank, as an average over repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from laneway.results.imports.table import DamageError, Entry, in_order, number, whole
from laneway.units import counted

BANNER = re.compile(r"^#\s*Intel\s?\(R\) MPI Benchmarks?( Suite)?\b")
TITLE = re.compile(r"^#\s*Benchmarking\s+([A-Za-z]\w*)\s*$")
PROCESSES = re.compile(r"^#\s*#processes\s*=\s*(?P<ranks>\d+)")
GROUPS = re.compile(r"^#\s*\(\s*\d+ groups of (?P<ranks>\d+) processes")
DATATYPE = re.compile(r"^#\s*MPI_Datatype(?P<reduces> for reductions)?\s*:\s*MPI_(\w+)")
HEADING = re.compile(r"^\s*#(bytes|repetitions|Benchmarking)\b.*t(_\w+)?\[usec\]")
LEFT_OUT = re.compile(r"out-of-(mem|time)|^\s*#?-+\s*$|exceeded|skipped")
END = re.compile(r"^#\s*All processes entering MPI_Finalize")

SLOWEST = "mean of repetitions, slowest rank"
ONE = "mean of repetitions"


def matches(lines: Sequence[str]) -> bool:
    """Whether this is such output."""
    return any(BANNER.match(line) or TITLE.match(line) for line in lines)


@dataclass
class _Table:
    """The table that is being read."""

    collective: str = ""
    ranks: int = 0
    columns: list[str] = field(default_factory=list)
    datatypes: dict[bool, str] = field(default_factory=lambda: {False: "byte", True: "float"})
    """Of data movement, and of reductions."""

    def note(self, line: str) -> bool:
        """Takes in a line that is no line of figures: whether it was one."""
        if typed := DATATYPE.match(line):
            self.datatypes[bool(typed["reduces"])] = typed[2].lower()
        elif title := TITLE.match(line):
            self.collective, self.columns, self.ranks = title[1].lower(), [], 0
        elif counted := PROCESSES.match(line) or GROUPS.match(line):
            self.ranks = int(counted["ranks"])
        elif HEADING.match(line):
            self.columns = [_plain(word) for word in line.split()]
        elif END.match(line):
            self.columns = []
        else:
            return not self.columns or line.startswith("#") or bool(LEFT_OUT.search(line))
        return True

    @property
    def datatype(self) -> str:
        return self.datatypes["reduce" in self.collective or "scan" in self.collective]


def read(lines: Sequence[str]) -> Iterator[Entry]:
    """The times. Raises DamageError."""
    table = _Table()
    for position, line in enumerate(lines, 1):
        if not table.note(line) and line.strip():
            yield _entry(line, position, table)


def _plain(word: str) -> str:
    return word.lstrip("#").replace("[usec]", "").replace("/sec", "").lower()


def _entry(line: str, position: int, table: _Table) -> Entry:
    words = line.split()
    if len(words) != len(table.columns):
        expected = len(table.columns)
        raise DamageError(
            position, f"{counted(len(words), 'figure')} in a table of {counted(expected, 'column')}"
        )
    row = dict(zip(table.columns, words, strict=True))
    if number(row.get("defects", "0"), position, "a number of defects") > 0:
        raise DamageError(position, f"the benchmark found wrong results ({row['defects']})")
    more: dict[str, float | int] = {
        "repetitions": whole(row["repetitions"], position, "a number of repetitions")
    }
    if table.ranks:
        more["ranks"] = table.ranks
    size = whole(row["bytes"], position, "a number of bytes") if "bytes" in row else 0
    if "t_max" not in row:
        name = next(column for column in ("t", "t_ovrl") if column in row)
        time = number(row[name], position, "a time")
        return Entry(position, table.collective, size, time, ONE, more, table.datatype)
    least, most, mean = (number(row[f"t_{x}"], position, "a time") for x in ("min", "max", "avg"))
    in_order(least, mean, most, position)
    more |= {"min_us": least, "max_us": most, "mean_us": mean}
    return Entry(position, table.collective, size, most, SLOWEST, more, table.datatype)
