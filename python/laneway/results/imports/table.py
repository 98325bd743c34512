# SPDX-License-Identifier: BSD-3-Clause
"""The readers of other benchmarks' output have this in common: heads, rows, and what is neither.

A line of a head is taken in, or ends the table that is being read. So no time goes under a head
that is not its own. Rows are read, or left out with a reason; all other lines are told.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from laneway.units import counted

NOT_ITS_OWN = "no output of the benchmark"
HEADLESS = "figures under no head that is understood"

DECIMALS = 2
"""All of these benchmarks print times with so many decimals."""

WIDEST = 2**63
"""No whole number is as large."""

_FIGURE = re.compile(r"[-+]?(?:\.?\d|(?:nan|inf)$)", re.IGNORECASE)
_TIME = re.compile(r"\d+(?:\.(?P<decimals>\d*))?", re.ASCII)


class DamageError(Exception):
    """A line that cannot be what the benchmark wrote: its number, from 1, and why."""

    def __init__(self, line: int, reason: str, *, cut: bool = False) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason
        self.cut = cut
        """Whether it may be the beginning of a line that the benchmark wrote."""


@dataclass(frozen=True)
class TableEntry:
    """One line of a table of times."""

    line: int
    collective: str
    """The name as in laneway: lower case, words joined by underscores."""
    bytes: int
    """Bytes as the benchmark counts them."""
    time_us: float
    statistic: str
    """The kind of time that `time_us` is."""
    more: Mapping[str, float | int | str] = field(default_factory=dict)
    """Figures that were printed: `ranks`, `repetitions`, `min_us`, `max_us`, `mean_us`. Besides,
    `groups` that ran at the same time, the `group` that was timed, the `memory` of the buffers."""
    datatype: str = "byte"
    divided: bool = False
    """Whether `bytes` are those of all blocks together, where a call names one block."""
    in_order: bool = True
    """Whether the ranks are the job's first ones, in their order."""


@dataclass(frozen=True)
class LinesLeftOut:
    """Lines that gave no times, and why."""

    reason: str
    lines: Sequence[int]

    def __str__(self) -> str:
        spans: list[list[int]] = []
        for line in self.lines:
            if spans and line == spans[-1][-1] + 1:
                spans[-1][1:] = [line]
            else:
                spans.append([line])
        told = ", ".join(" to ".join(map(str, span)) for span in spans[:4])
        more = f" and others, {len(self.lines)} in all" if len(spans) > 4 else ""
        return f"{'line' if len(self.lines) == 1 else 'lines'} {told}{more}: {self.reason}"


class Figures:
    """The figures of a row by column."""

    def __init__(
        self, columns: Sequence[str], words: Sequence[str], line: int, decimals: int
    ) -> None:
        """Raises DamageError where they are not as many as columns."""
        if len(words) != len(columns):
            found, expected = counted(len(words), "figure"), counted(len(columns), "column")
            fewer = len(words) < len(columns)
            raise DamageError(line, f"{found} in a table of {expected}", cut=fewer)
        self.line = line
        self._by_column = dict(zip(columns, words, strict=True))
        self._last = columns[-1]
        self._decimals = decimals

    def __contains__(self, column: str) -> bool:
        return column in self._by_column

    def text(self, column: str) -> str:
        """The figure as it was printed."""
        return self._by_column[column]

    def time(self, column: str, what: str = "a time") -> float:
        """A time, with all of its decimals. Raises DamageError."""
        text = self._by_column[column]
        found = _TIME.fullmatch(text)
        if not found:
            self._refuse(text, what)
        elif len(found["decimals"] or "") < self._decimals:
            self._refuse_cut(column, f"a part of {text} is missing: {what} has 2 decimals")
        return float(text)

    def number(self, column: str, what: str) -> float:
        """A figure that cannot be negative. Raises DamageError."""
        text = self._by_column[column]
        if not _TIME.fullmatch(text):
            self._refuse(text, what)
        return float(text)

    def whole(self, column: str, what: str) -> int:
        """A number of things. Raises DamageError."""
        text = self._by_column[column]
        if not (text.isascii() and text.isdecimal()):
            self._refuse(text, what)
        if len(text) > len(str(WIDEST)) or int(text) >= WIDEST:
            raise DamageError(self.line, f"{what} cannot be {text[:20]}")
        return int(text)

    def must_be(self, column: str, right: str, complaint: str) -> None:
        """Raises DamageError where a word is another one."""
        text = self._by_column[column]
        if text != right:
            if right.startswith(text):
                self._refuse_cut(column, f"a part of {right} is missing")
            raise DamageError(self.line, f"{complaint} {text}")

    def in_order(self, least: float, mean: float, most: float) -> None:
        """Raises DamageError unless rounded figures can be minimum, mean and maximum."""
        if not least - 0.011 <= mean <= most + 0.011:
            raise DamageError(
                self.line, f"minimum {least}, mean {mean} and maximum {most} contradict each other"
            )

    def _refuse(self, text: str, what: str) -> None:
        try:
            value = float(text)
        except ValueError:
            value = 0
        if value < 0 or not math.isfinite(value):
            raise DamageError(self.line, f"{what} cannot be {text}")
        raise DamageError(self.line, f"'{text}' is no number where {what} should be")

    def _refuse_cut(self, column: str, reason: str) -> None:
        raise DamageError(self.line, reason, cut=column == self._last)


class BenchmarkTable:
    """The table that is being read; a benchmark's own says what its heads and rows mean."""

    title = ""
    """The title as it was printed; empty where the head was not understood."""
    columns: Sequence[str] = ()
    """The columns; none before the line that names them."""
    reason = HEADLESS
    """Why rows are left out; empty where they are read."""

    def end(self) -> None:
        """Ends the table: lines that come belong to none until a head says otherwise."""
        self.title, self.columns, self.reason = "", (), HEADLESS

    def begin_rows(self, columns: Sequence[str]) -> None:
        """Begins the rows that stand under these columns."""
        self.columns = columns
        self._sizes: set[tuple[int, object]] = set()

    def has_size(self, entry: TableEntry) -> bool:
        """Whether a row of that size was read already: no table has it twice."""
        size = entry.bytes, entry.more.get("group")
        if size in self._sizes:
            return True
        self._sizes.add(size)
        return False

    def note(self, line: str) -> bool:
        """Takes in a line that is no row; whether it is the benchmark's own."""
        raise NotImplementedError

    def omits(self, line: str) -> str:
        """Why the benchmark itself gives no time in a row; empty where it is no such row."""
        del line
        return ""

    def entry(self, words: Sequence[str], line: int, decimals: int) -> TableEntry:
        """The time in a row. Raises DamageError."""
        raise NotImplementedError

    def is_row(self, line: str) -> bool:
        """Whether most words of a line are figures, the first one, or all after the title, too."""
        words = line.split()
        figures = sum(map(bool, map(_FIGURE.match, words)))
        begins = words and (_FIGURE.match(words[0]) or words[0] == self.title)
        return bool(begins) and 2 * figures > len(words)


class _Reading:
    """The times so far, and the lines left out."""

    def __init__(self, table: BenchmarkTable, decimals: int) -> None:
        self.table = table
        self.decimals = decimals
        self.entries: list[TableEntry] = []
        self.left_out: dict[str, list[int]] = defaultdict(list)
        self._cut: DamageError | None = None
        """The damage of the table's last row."""

    def row(self, line: str, position: int) -> None:
        """Reads a row, or leaves it out. Raises DamageError."""
        if self._cut:
            raise self._cut  # more rows came: the table did not end there
        if not self.table.columns:
            self.table.end()  # its columns are lost, and may not be those that come next
        if why := self.table.omits(line) or self.table.reason:
            self.left_out[why].append(position)
            return
        try:
            found = self.table.entry(line.split(), position, self.decimals)
        except DamageError as damage:
            if not damage.cut:
                raise
            self._cut = damage
            return
        if self.table.has_size(found):
            self.table.end()  # it begins anew: a head is lost
            self.left_out[self.table.reason].append(position)
        else:
            self.entries.append(found)

    def end_of_table(self) -> None:
        """Leaves out a last row that was cut."""
        if self._cut:
            reason = f"{self._cut.reason}; the table ends there"
            self.left_out[reason].append(self._cut.line)
            self._cut = None


def read(
    lines: Sequence[str | None], table: BenchmarkTable
) -> tuple[list[TableEntry], list[LinesLeftOut]]:
    """The times, and what was left out. Raises DamageError for a line that cannot be.

    The last line of a table may be cut, where a job was ended: it is left out. Lines that are None
    are not of the rank that prints.
    """
    found = _Reading(table, _decimals(lines, table))
    for position, line in enumerate(lines, 1):
        text = None if line is None else line.strip()
        if text and (table.omits(text) or table.is_row(text)):
            found.row(text, position)
        elif text is None or not table.note(text):
            found.left_out[NOT_ITS_OWN].append(position)
        elif text:
            found.end_of_table()
    found.end_of_table()
    return found.entries, [LinesLeftOut(reason, own) for reason, own in found.left_out.items()]


def _decimals(lines: Iterable[str | None], table: BenchmarkTable) -> int:
    """How many decimals each time must have: none where somebody wrote several without any."""
    rows = [line for line in lines if line and "#" not in line and table.is_row(line)]
    return DECIMALS if len(rows) < 2 or any("." in row for row in rows) else 0
