# SPDX-License-Identifier: BSD-3-Clause
"""One run of the benchmark as the tables that the users of OSU's and IMB's benchmarks expect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.table import Table

from laneway.choosing.next_commands import comparison
from laneway.collectives import COLLECTIVES, EQUAL
from laneway.launching.place import Place
from laneway.rows import NATIVE, Row
from laneway.units import counted

_FACTORS = {"pingpong": 1, "pingping": 1, "sendrecv": 2, "exchange": 4}
"""Messages of a rank that IMB counts in an operation's throughput, received and sent."""


def throughput(row: Row) -> float | None:
    """MB/s (10^6 bytes a second) as IMB counts it for point to point; None for collectives."""
    factor = _FACTORS.get(row["collective"])
    if factor is None or not row["max_us"] or not row["bytes"]:
        return None
    return float(factor * row["bytes"] / row["max_us"])


def averages_table(found: Iterable[Row]) -> Table:
    """The rows of kind `averages` as OSU's and IMB's users know them.

    The columns min, avg and max are over ranks, of each rank's mean. The median is that of the
    slowest rank's times, with its confidence interval.
    """
    averages = [row for row in found if row["kind"] == "averages"]
    laid_out = any(row.get("layout") not in (None, EQUAL) for row in averages)
    listing = Table(box=None, pad_edge=False)
    for heading in ("operation", *(("layout",) if laid_out else ()), "algorithm"):
        listing.add_column(heading, no_wrap=True)
    for heading in ("ranks", "bytes", "count", "reps", "min us", "avg us", "max us"):
        listing.add_column(heading, justify="right", no_wrap=True)
    for heading in ("median us", "interval us", "MB/s", "late"):
        listing.add_column(heading, justify="right", no_wrap=True)
    for row in averages:
        interval = "" if row["low_us"] is None else f"{row['low_us']:.5g}..{row['high_us']:.5g}"
        rate = throughput(row)
        cells: Sequence[Any] = (
            row["collective"],
            *((row.get("layout") or "",) if laid_out else ()),
            row["algorithm"],
            row["ranks"],
            row["bytes"],
            row["count"],
            row["repetitions"],
            *(f"{row[key]:.2f}" for key in ("min_us", "avg_us", "max_us", "median_us")),
            interval,
            "" if rate is None else f"{rate:.2f}",
            "" if row["late"] is None else row["late"],
        )
        listing.add_row(*map(str, cells))
    return listing


def closing(averages: Sequence[Row], words: Sequence[str], place: Place, mpi: str) -> Iterator[str]:
    """The meaning of the table's columns, and the next command in that place, by that build."""
    yield (
        "min, avg and max are over ranks, of each rank's mean time, as OSU's and IMB's benchmarks "
        "print them."
    )
    above = any(row["median_us"] > row["max_us"] for row in averages)
    yield (
        "median is over repetitions, of the time of the slowest rank in each, with its interval"
        + (": it lies above max where ranks take turns in being the slowest." if above else ".")
    )
    names = {row["collective"] for row in averages} & {*COLLECTIVES, "barrier"}
    collectives = dict.fromkeys(r["collective"] for r in averages if r["collective"] in names)
    if collectives and {row["algorithm"] for row in averages} == {NATIVE}:
        sizes = _option(words, "m", "message-size")
        what = [*collectives, *(("-m", sizes) if sizes else ())]
        yield (
            "One run shows what a run shows. To see what other algorithms gain, by tests over "
            f"several: {comparison(what, place, mpi)}"
        )


def _option(words: Sequence[str], letter: str, name: str) -> str | None:
    """The last value of an option among words."""
    value = r"([\d:][\dKMGkmg:,]*)(?=\n|$)"
    found = re.findall(rf"(?:^|\n)(?:-{letter}|--?{name})[=\n]?{value}", "\n".join(words))
    return found[-1] if found else None


def start_place(row: Row) -> str:
    """The place of a start, in words."""
    ranks, nodes = counted(row["ranks"], "rank"), counted(row["nodes"], "node")
    return f"{row['library']}, {ranks} on {nodes}"


def start_table(row: Row) -> Table:
    """The row of a start, its times in ms."""
    listing = Table(title=start_place(row), box=None)
    for heading in ("ms from the start", "first rank", "last rank"):
        listing.add_column(heading, justify="left" if heading.startswith("ms") else "right")
    for what, first, last in start_lines(row):
        listing.add_row(what, f"{first:.1f}", f"{last:.1f}")
    return listing


def start_lines(row: Row) -> Iterator[tuple[str, float, float]]:
    """The timed events of a start, each with ms from its beginning on the first and last rank."""
    for what, prefix in (("first line of main", ""), ("MPI_Init has returned", "init_")):
        yield what, row[f"{prefix}first_us"] / 1e3, row[f"{prefix}last_us"] / 1e3
