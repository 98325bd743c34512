# SPDX-License-Identifier: BSD-3-Clause
"""One run of laneway-bench: its rows as they come, and the table that its users expect."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.table import Table

from laneway import files
from laneway.campaign import BAD_USAGE
from laneway.errors import Misuse, Problem
from laneway.floor import COLLECTIVES
from laneway.launch import GRACE, Job, Run
from laneway.place import Place
from laneway.rows import Row, parse
from laneway.start import since
from laneway.using import comparison

DEFAULTS = ("--algorithm=native", "--message-size=0:4M", "--repetitions=1000", "--time=1")
"""What `laneway bench` measures unless told otherwise."""

_FACTORS = {"pingpong": 1, "pingping": 1, "sendrecv": 2, "exchange": 4}
"""Messages of a rank that IMB counts in an operation's throughput, received and sent."""


def rows(job: Job, silence: float) -> Iterator[Row]:
    """The rows of a job as they come.

    Raises Misuse where the benchmark rejects its options, Problem where it fails or is silent for
    `silence` seconds.
    """
    with Run(job) as running:
        wrong = done = False
        try:
            for line in running.lines(silence):
                row = parse(line)
                if row is None:
                    continue  # launchers, too, write to standard output
                yield row
                wrong = wrong or row["kind"] == "error"
                if done := row["kind"] == "progress" and row["done"] >= row["total"]:
                    break
            for _ in running.lines(GRACE) if done else ():
                pass
            code = running.wait()
        except TimeoutError:
            if done:  # its work is done; MPICH 4.0 can hang in MPI_Finalize
                return
            raise Problem(f"the job hangs: no row for {silence:.0f} s") from None
        if code == BAD_USAGE:
            mark = "laneway-bench: "
            said = running.errors().splitlines()
            raise Misuse(next((line[len(mark) :] for line in said if line.startswith(mark)), mark))
        if code != 0 and not wrong:
            tail = "\n".join(running.errors().strip().splitlines()[-15:])
            raise Problem(f"the job failed (exit code {code})\n{tail}")


class RowsFile:
    """A file of rows, as they come: a kill costs the case under way and no more.

    What was in the file before stays until the first case is done.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[str] = []
        self._begun = False

    def keep(self, row: Row) -> None:
        """Takes a row; those of a case go to the file with its last one. Raises UnwritableError."""
        self._waiting.append(json.dumps(row) + "\n")
        if row["kind"] in ("averages", "error") or (self._begun and row["kind"] != "sample"):
            self.flush()

    def flush(self) -> None:
        """Writes what waits. Raises UnwritableError."""
        text = "".join(self._waiting)
        self._waiting.clear()
        if not self._begun:
            files.replace(self._path, text)
            self._begun = True
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise files.UnwritableError(self._path, error) from error


def start(job: Job, silence: float) -> Row:
    """The row about one start of a job whose program is laneway-bench --start.

    Raises as `rows`.
    """
    before = time.time()
    found = [row for row in rows(job, silence) if row["kind"] == "start"]
    if not found:
        raise Problem("the job ended without saying when it began")
    return since(before, found[0])


def throughput(row: Row) -> float | None:
    """MB/s (10^6 bytes a second) as IMB counts it for point to point; None for collectives."""
    factor = _FACTORS.get(row["collective"])
    if factor is None or not row["max_us"] or not row["bytes"]:
        return None
    return float(factor * row["bytes"] / row["max_us"])


def table(found: Iterable[Row]) -> Table:
    """The rows of kind `averages` as OSU's and IMB's users know them.

    min, avg and max are over ranks, of each rank's mean; median is that of the slowest rank's
    times, with its confidence interval.
    """
    listing = Table(box=None, pad_edge=False)
    for heading in ("operation", "algorithm"):
        listing.add_column(heading, no_wrap=True)
    for heading in ("ranks", "bytes", "count", "reps", "min us", "avg us", "max us"):
        listing.add_column(heading, justify="right", no_wrap=True)
    for heading in ("median us", "interval us", "MB/s", "late"):
        listing.add_column(heading, justify="right", no_wrap=True)
    for row in found:
        if row["kind"] != "averages":
            continue
        interval = "" if row["low_us"] is None else f"{row['low_us']:.5g}..{row['high_us']:.5g}"
        rate = throughput(row)
        cells: Sequence[Any] = (
            row["collective"],
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
    """What the columns of `table` are, and what to do next in that place, by that build."""
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
    if collectives and {row["algorithm"] for row in averages} == {"native"}:
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


def start_table(row: Row) -> Table:
    """The row of a start, its times in ms."""
    listing = Table(
        title=f"{row['library']}, {row['ranks']} ranks on {row['nodes']} nodes", box=None
    )
    for heading in ("ms from the start", "first rank", "last rank"):
        listing.add_column(heading, justify="left" if heading.startswith("ms") else "right")
    for what, prefix in (("first line of main", ""), ("MPI_Init has returned", "init_")):
        times = (f"{row[f'{prefix}{which}_us'] / 1e3:.1f}" for which in ("first", "last"))
        listing.add_row(what, *times)
    return listing


def help_text(bench: str) -> str:
    """What laneway-bench says of its options; empty where it cannot be run."""
    import subprocess  # noqa: PLC0415 - for --help only

    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(
            [bench, "--help"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    return ""
