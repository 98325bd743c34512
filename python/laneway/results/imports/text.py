# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a benchmark's output, without what shells and launchers put around them.

Shells write UTF-16 and marks of byte order. Launchers say before each line whose it is, and when:

    [1,0]<stdout>:# OSU MPI Allreduce Latency Test v7.5      mpirun --tag-output
    [0] # OSU MPI Allreduce Latency Test v7.5                mpiexec -prepend-rank
     0: # OSU MPI Allreduce Latency Test v7.5                srun --label

Whatever stands before the benchmark's title stands before all lines of the rank that prints. So no
launcher need be known. Only times differ from line to line.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Sequence

MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Marks at the start of a file, and the encodings that they are of."""

TITLE = re.compile(r"#\s*(?:OSU MPI.*\bTest\b|Intel\s?\(R\) MPI Bench|Benchmarking\s+[A-Z])")
"""A line by which a benchmark is known, wherever it begins."""

TIME = (
    r"(?:(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: \d{4})?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d+)?)"
)
"""A time of the day, as launchers write it before a line."""

_COLOURS = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


def decoded(data: bytes) -> str:
    """A file's text; what is no character of its encoding is marked as such."""
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if data[1:2] == b"\0":  # UTF-16 whose mark was lost
        return data.decode("utf-16-le", errors="replace")
    return data.decode("utf-8", errors="replace")


def lines_of(text: str) -> list[str | None]:
    """The lines of the rank that prints; None for those that are of others."""
    lines = [_COLOURS.sub("", line).rstrip() for line in text.split("\n")]
    tag = _tag(lines)
    return [*lines] if tag is None else [*_without(tag, lines)]


def _tag(lines: Sequence[str]) -> re.Pattern[str] | None:
    """The text before most titles; None where there is none."""
    before = Counter(line[: found.start()] for line in lines if (found := TITLE.search(line)))
    if not before or any(not tag.strip() for tag in before):
        return None
    tags = Counter(re.sub(TIME, "\0", tag) for tag in before.elements())
    parts = map(re.escape, tags.most_common(1)[0][0].split("\0"))
    return re.compile(TIME.join(parts))


def _without(tag: re.Pattern[str], lines: Sequence[str]) -> Iterator[str | None]:
    for line in lines:
        # The blank at a tag's end is gone where the line was empty.
        found = tag.match(line) or tag.match(f"{line} ")
        yield line[found.end() :] if found else "" if not line else None
