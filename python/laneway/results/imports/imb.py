# SPDX-License-Identifier: BSD-3-Clause
"""The output of the Intel MPI Benchmarks, versions 3 to 2021: collectives of all their parts.

    #----------------------------------------------------------------
    # Benchmarking Allreduce
    # #processes = 4
    #----------------------------------------------------------------
           #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
                4         1000         1.31         1.42         1.37

The time of a collective is `t_max`, that of the slowest rank, as an average over repetitions. For a
nonblocking one it is `t_pure`, as `t_ovrl` has computation in it. `-multi` times several groups at
once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from laneway.collectives import WITH_VECTORS
from laneway.results.imports.table import (
    HEADLESS,
    BenchmarkTable,
    DamageError,
    Figures,
    TableEntry,
)

BANNER = re.compile(r"#\s*Intel\s?\(R\) MPI Benchmarks?( Suite)?\b")
TITLE = re.compile(r"#\s*Benchmarking\s+(?P<multi>Multi-)?(?P<what>[A-Za-z]\w*)\s*")
PROCESSES = re.compile(
    r"#\s*\(?\s*#processes\s*=\s*(?P<ranks>[1-9]\d{0,8})(?P<order>; rank order.*)?"
    r"(?:\s*\)|\s*\(threads.*)?"
)
GROUPS = re.compile(
    r"#\s*\(\s*(?P<groups>[1-9]\d{0,8}) groups of (?P<ranks>[1-9]\d{0,8}) processes\b.*"
)
DATATYPE = re.compile(r"#\s*MPI_Datatype(?P<reduces> for reductions)?\s*:\s*MPI_(\w+)\s*")
COLUMNS = re.compile(r"(?:Group\s+)?#(?:bytes|repetitions|Benchmarking)\b.*")
OF_A_HEAD = re.compile(
    r"#(?:-+|[\s\d.]*|\s*Group\s+\d+\s*:.*|\s*\(\s*\d+ additional process.*|\s*MODE: .*"
    r"|\s*window_size = \d+)"
)
"""Other lines between the rules of a head, and behind them."""

PERCENTILES = re.compile(r"\[[\d., ]*\]")
OMITTED = re.compile(r"(?:\d+\s+){1,2}(?P<why>out-of-mem|int-overflow|time-out)\.")
LEFT_OUT = re.compile(r"-+|.*\b(?:exceeded|skipped)\b.*")

COLUMN = {
    "group": "group", "#bytes": "bytes", "#repetitions": "repetitions", "#benchmarking": "name",
    "#procs": "procs", "bytes": "bytes", "repetitions": "repetitions", "t[usec]": "t",
    "t_min[usec]": "t_min", "t_max[usec]": "t_max", "t_avg[usec]": "t_avg",
    "t_ovrl[usec]": "t_ovrl", "t_pure[usec]": "t_pure", "t_cpu[usec]": "t_cpu",
    "overlap[%]": "overlap", "mbytes/sec": "mbytes", "msg/sec": "messages", "defects": "defects",
}  # fmt: skip
"""Columns as they are printed, in lower case."""

POINT_TO_POINT = ("exchange", "pingping", "pingpong", "sendrecv")
"""Benchmarks besides collectives that are read."""

SLOWEST = "mean of repetitions, slowest rank"
ONE = "mean of repetitions"


def matches(lines: Sequence[str]) -> bool:
    """Whether this is such output."""
    return any(BANNER.match(line) or TITLE.fullmatch(line) for line in map(str.strip, lines))


class ImbTable(BenchmarkTable):
    """A table of one of its benchmarks, and number of processes."""

    def __init__(self) -> None:
        self.datatypes = {False: "byte", True: "float"}
        """The datatypes of data movement, and of reductions."""
        self.of_head: dict[str, int | str] = {}
        self.in_order = True
        self.collective = ""

    def end(self) -> None:
        """See BenchmarkTable."""
        super().end()
        self.of_head, self.in_order, self.collective = {}, True, ""

    def note(self, line: str) -> bool:
        """See BenchmarkTable."""
        if not line or PERCENTILES.fullmatch(line):
            return True
        if COLUMNS.fullmatch(line):
            if self.columns:
                self.end()  # a table begins whose title is lost
            self._columns(line)
            return True
        if not line.startswith("#"):
            if "Benchmarking" in line:
                self.end()
            return bool(LEFT_OUT.fullmatch(line))
        self._head(line)
        return True

    def _head(self, line: str) -> None:
        if self.columns:
            self.end()
        if typed := DATATYPE.fullmatch(line):
            self.datatypes[bool(typed["reduces"])] = typed[2].lower()
        elif title := TITLE.fullmatch(line):
            self._begin(title)
        elif found := PROCESSES.fullmatch(line) or GROUPS.fullmatch(line):
            facts = found.groupdict()
            self.in_order = not facts.pop("order", None)
            self.of_head |= {name: int(number) for name, number in facts.items()}
        elif not OF_A_HEAD.fullmatch(line):
            self.end()

    def _begin(self, title: re.Match[str]) -> None:
        self.end()
        self.title, self.collective = title["what"], _collective(title["what"])
        self.reason = "" if self.collective else f"{self.title} is no collective of MPI"

    def _columns(self, line: str) -> None:
        words = line.lower().split()
        self.begin_rows([COLUMN.get(word, "") for word in words])
        there = {*self.columns}
        if not all(self.columns):
            self.reason = f"a column '{words[self.columns.index('')]}' that is not known"
        elif not self.reason and "messages" in there:
            self.reason = f"{self.title} is a rate of many pairs at once"
        elif not self.reason and not ("t_pure" in there or "t" in there or there >= _RANGE):
            self.reason = "no time is in it"
        if not self.title:
            self.reason = HEADLESS

    def omits(self, line: str) -> str:
        """See BenchmarkTable."""
        found = OMITTED.match(line)
        return f"{found['why']}, as the benchmark itself says" if found else ""

    def entry(self, words: Sequence[str], line: int, decimals: int) -> TableEntry:
        """See BenchmarkTable."""
        row = Figures(self.columns, words, line, decimals)
        if "name" in row and row.text("name") != self.title:
            raise DamageError(line, f"a time of {row.text('name')} in the table of {self.title}")
        if "defects" in row and row.number("defects", "a number of defects") > 0:
            raise DamageError(line, f"the benchmark found wrong results ({row.text('defects')})")
        more: dict[str, float | int | str] = {
            "repetitions": row.whole("repetitions", "a number of repetitions"),
            **self.of_head,
        }
        if "procs" in row:
            more["ranks"] = row.whole("procs", "a number of processes")
        if "group" in row:
            more["group"] = row.whole("group", "a group")
        size = row.whole("bytes", "a number of bytes") if "bytes" in row else 0
        if {*self.columns} >= _RANGE:
            least, most, mean = (row.time(f"t_{each}") for each in ("min", "max", "avg"))
            row.in_order(least, mean, most)
            more |= {"min_us": least, "max_us": most, "mean_us": mean}
            time, statistic = most, SLOWEST
        else:
            time, statistic = row.time("t_pure" if "t_pure" in row else "t"), ONE
        plain = re.sub(r"^i|_init|_pure", "", self.collective)
        return TableEntry(
            line, self.collective, size, time, statistic, more,
            self.datatypes[any(word in plain for word in _COMBINING)],
            divided=plain == "reduce_scatter", in_order=self.in_order,
        )  # fmt: skip


_RANGE = {"t_min", "t_max", "t_avg"}
_COMBINING = ("reduce", "scan")
"""Words in the names of reductions."""


def _collective(title: str) -> str:
    """The name here of what a title calls otherwise; empty for what is no collective."""
    name = re.sub(r"(_pure)?_persist(?:ent)?(_pure)?$", r"_init\1\2", title.lower())
    plain = re.sub(r"_pure$", "", name)
    plain = plain.removesuffix("_init")
    known = plain in WITH_VECTORS or (plain[:1] == "i" and plain[1:] in WITH_VECTORS)
    return name if known or name in POINT_TO_POINT else ""
