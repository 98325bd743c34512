# SPDX-License-Identifier: BSD-3-Clause
"""The output of the OSU micro-benchmarks, versions 3 to 7: latencies, with and without `-f`.

    # OSU MPI Allreduce Latency Test v7.3
    # Datatype: MPI_INT.
    # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
    4                       1.23              1.01              1.40        1000

The time of a nonblocking collective is that of pure communication: the overall one has computation
in it. Bandwidths, message rates and one-sided operations are no times of collectives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from laneway.collectives import WITH_VECTORS
from laneway.results.imports.table import HEADLESS, BenchmarkTable, Figures, TableEntry

TITLE = re.compile(
    r"#\s*OSU MPI(?:-(?P<memory>[A-Z]+(?: MANAGED)?))?(?P<what>[ _].*?|)\s*Test(?: Test)?"
    r"(?P<after> Persistent)?(?:\s+v?\d[\d.]*\S*)?"
)
DATATYPE = re.compile(r"#\s*Datatype:\s*MPI_(\w+?)\.?")
COLUMNS = re.compile(r"#\s*(?:Size\b|Avg Latency|Latency|Overall\s?\(|Bandwidth|MB/s).*")
COLUMN = re.compile(
    r"Size|(?:Avg |Min |Max )?Latency\s?\(us\)|Iterations|Validation|Transmit Size"
    r"|(?:Overall|Compute|Coll\. Init|MPI_Test|MPI_Wait|Pure Comm\.|Min Comm\.|Max Comm\.)\s?\(us\)"
    r"|Overlap\s?\(%\)|P\d+ Tail (?:Lat\s?\(us\)|BW\s?\(MB/s\))|P\d+\s?\(us\)"
    r"|Bandwidth\s?\(MB/s\)|MB/s|Messages/s"
)
OF_A_HEAD = re.compile(
    r"#(?:\s*(?:Overall = .*|Window creation: .*|Synchronization: .*|Rank 0 Memory on .*"
    r"|Number of (?:Sender|Receiver) threads: .*|\[ pairs: .*))?"
)
"""Other lines between a title and the columns."""

NAMES = {"all-to-all": "alltoall", "all-to-allv": "alltoallv", "all-to-allw": "alltoallw",
         "broadcast": "bcast"}  # fmt: skip
"""Collectives that titles call otherwise."""

STATISTIC = "mean of ranks and repetitions"

DIVIDED = ("reduce_scatter", "reduce_scatter_block")
"""Collectives whose size is that of all blocks together."""

FORGOTTEN = ("min_latency", "max_latency", "iterations")
"""Columns that some versions print with `-f`, and do not name."""


def matches(lines: Sequence[str]) -> bool:
    """Whether this is such output."""
    return any(TITLE.fullmatch(line.strip()) for line in lines)


class OsuTable(BenchmarkTable):
    """A table of one of its benchmarks, and datatype."""

    def __init__(self) -> None:
        self.collective = ""
        self.datatype = "byte"
        self.memory: str | None = None
        self._gap = False

    def end(self) -> None:
        """See BenchmarkTable."""
        super().end()
        self.collective, self.memory = "", None

    def note(self, line: str) -> bool:
        """See BenchmarkTable."""
        if not line:
            self._gap = True
            return True
        if not line.startswith("#"):
            if "OSU MPI" in line:
                self.end()
            return False
        after_gap, self._gap = self._gap, False
        if title := TITLE.fullmatch(line):
            self._begin(title)
        elif typed := DATATYPE.fullmatch(line):
            datatype = typed[1].lower()
            if self.columns and (after_gap or datatype == self.datatype):
                self.end()  # another benchmark's, whose title is lost
            self.datatype, self.columns = datatype, ()
        elif self.columns:
            self.end()
        elif COLUMNS.fullmatch(line):
            self._columns(line)
        elif not OF_A_HEAD.fullmatch(line):
            self.end()
        return True

    def _begin(self, title: re.Match[str]) -> None:
        self.end()
        self.datatype = "byte"
        self.title = title["what"].strip() or "Test"
        self.memory = title["memory"]
        self.collective = _collective(title["what"] + (title["after"] or ""))
        self.reason = "" if self.collective else f"'{self.title}' is no collective of MPI"

    def _columns(self, line: str) -> None:
        self.begin_rows([*map(_plain, COLUMN.findall(line))])
        rest = COLUMN.sub("", line).strip("# ")
        if rest:
            self.reason = f"a column '{rest}' that is not known"
        elif not self.reason and not {"avg_latency", "latency", "pure_comm."} & {*self.columns}:
            self.reason = "no latency is in it"
        if not self.title:
            self.reason = HEADLESS

    def entry(self, words: Sequence[str], line: int, decimals: int) -> TableEntry:
        """See BenchmarkTable."""
        columns = [*self.columns]
        forgotten = len(words) - len(columns) == len(FORGOTTEN)
        if forgotten and columns[-1] == "avg_latency" and words[-1].isdecimal():
            columns += FORGOTTEN
        row = Figures(columns, words, line, decimals)
        if "validation" in row:
            row.must_be("validation", "Pass", "the validation says")
        kind = next(each for each in ("avg_latency", "pure_comm.", "latency") if each in row)
        time = row.time(kind, "a latency")
        more: dict[str, float | int | str] = {}
        for least, most in (("min_latency", "max_latency"), ("min_comm.", "max_comm.")):
            if least in row and most in row:
                low, high = row.time(least, "a latency"), row.time(most, "a latency")
                row.in_order(low, time, high)
                more |= {"min_us": low, "max_us": high}
        if "iterations" in row:
            more["repetitions"] = row.whole("iterations", "a number of iterations")
        if self.memory:
            more["memory"] = self.memory
        size = row.whole("size", "a size") if "size" in row else 0
        plain = re.sub(r"^i|_init$", "", self.collective)
        return TableEntry(
            line, self.collective, size, time, STATISTIC, more, self.datatype,
            divided=plain in DIVIDED,
        )  # fmt: skip


def _collective(what: str) -> str:
    """The name here of what a title calls otherwise; empty for what is no collective."""
    words = re.sub(r"latency| personalized exchange", " ", what.lower()).split()
    if not words and what.strip().lower() == "latency":
        return "pingpong"
    before = after = ""
    if words[:1] == ["non-blocking"]:
        before, words = "i", words[1:]
    if words[-1:] == ["persistent"]:
        after, words = "_init", words[:-1]
    if words[:1] in (["neighborhood"], ["neighbor"]):
        before, words = f"{before}neighbor_", words[1:]
    name = NAMES.get(" ".join(words), "_".join(words))
    return f"{before}{name}{after}" if name in WITH_VECTORS else ""


def _plain(column: str) -> str:
    return re.sub(r"\s?\((?:us|%)\)", "", column).lower().replace(" ", "_")
