# SPDX-License-Identifier: BSD-3-Clause
"""Rows: what laneway-bench writes, one JSON object a line, and what is made of them."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

Row = dict[str, Any]
"""One object; its key `kind` says what it is: environment, sample, note, error, progress."""


@dataclass(frozen=True)
class Key:
    """What samples must have in common to be summarised together."""

    collective: str
    algorithm: str
    count: int
    datatype: str
    bytes: int
    nodes: int
    ppn: int
    lanes: int | None
    library: str
    binding: str

    def by(self, algorithm: str) -> Key:
        """The same case by another algorithm."""
        return replace(self, algorithm=algorithm)


@dataclass(frozen=True)
class Summary:
    """The slowest rank's time in the repetitions of one algorithm, in microseconds.

    The run of mpirun is the unit of replication: repetitions of one run resemble each other more
    than those of another. So the median is the median of the runs' medians and the mean the mean of
    the runs' means; the minimum is that of all repetitions.
    """

    key: Key
    runs: int
    repetitions: int
    min_us: float
    median_us: float
    mean_us: float
    spread_us: tuple[float, float]
    """The lowest and the highest of the runs' medians."""
    ratio_to_native: float | None
    """Native's median over this one's, above 1 is faster; None where native was not measured."""

    def row(self) -> Row:
        """The row that `--json` prints; times rounded to nanoseconds."""
        ratio = self.ratio_to_native
        return {
            **asdict(self.key),
            "runs": self.runs,
            "min_us": round(self.min_us, 3),
            "median_us": round(self.median_us, 3),
            "mean_us": round(self.mean_us, 3),
            "ratio_to_native": None if ratio is None else round(ratio, 4),
        }


def parse(line: str) -> Row | None:
    """The row on a line; None where it holds none, as the last line of a job that was killed."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and isinstance(row.get("kind"), str) else None


def read(lines: Iterable[str]) -> Iterator[Row]:
    """The rows among lines."""
    return (row for row in map(parse, lines) if row is not None)


def describe(row: Row) -> str:
    """A row of kind note or error in prose."""
    return f"{row['collective']} {row['count']}, {row['algorithm']}: {row['message']}"


def notes(rows: Iterable[Row]) -> list[str]:
    """What the benchmark noted, each thing once, with the number of runs that saw it."""
    seen = Counter(describe(row) for row in rows if row["kind"] == "note")
    return [f"{note} ({runs} {'run' if runs == 1 else 'runs'})" for note, runs in seen.items()]


def summarise(rows: Iterable[Row]) -> list[Summary]:
    """A summary of every case among the rows of kind `sample`, in the order of their keys."""
    times: dict[Key, dict[int, list[float]]] = {}
    for row in rows:
        if row["kind"] == "sample":
            key = Key(**{field.name: row[field.name] for field in fields(Key)})
            times.setdefault(key, {}).setdefault(row["run"], []).append(row["time_us"])

    run_medians = {key: [*map(statistics.median, runs.values())] for key, runs in times.items()}
    medians = {key: statistics.median(own) for key, own in run_medians.items()}
    return [
        Summary(
            key=key,
            runs=len(times[key]),
            repetitions=sum(map(len, times[key].values())),
            min_us=min(map(min, times[key].values())),
            median_us=medians[key],
            mean_us=statistics.fmean(map(statistics.fmean, times[key].values())),
            spread_us=(min(run_medians[key]), max(run_medians[key])),
            ratio_to_native=_ratio(medians.get(key.by("native")), medians[key]),
        )
        for key in sorted(times, key=_order)
    ]


def _ratio(native: float | None, own: float) -> float | None:
    return native / own if native is not None and own > 0 else None


def _order(key: Key) -> tuple[object, ...]:
    return (
        key.library,
        key.nodes,
        key.ppn,
        key.lanes or 0,
        key.binding,
        key.collective,
        key.datatype,
        key.count,
        key.algorithm != "native",  # what the others are compared with comes first
        key.algorithm,
    )
