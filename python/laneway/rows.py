# SPDX-License-Identifier: BSD-3-Clause
"""Rows: what laneway-bench writes, one JSON object a line, and what is made of them."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from laneway.floor import Bounded, Wire, collective_us

Row = dict[str, Any]
"""One object; its key `kind` says what it is: environment, sample, note, error, counters, ..."""

NESTED = (list, dict)
"""Values that have no place in a table."""

NOT_AXES = frozenset(
    (
        "kind", "run", "launch", "block", "task", "repetition", "repetitions", "served_by", "delay",
        "time_us", "min_us", "max_us", "mean_us", "fastest_us", "skew_us", "last_us", "late",
        "source",
    )
)  # fmt: skip
"""Keys of a sample that were measured or tell its place in the campaign; every other one was set,
and tells apart what may not be compared."""


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

    @property
    def case(self) -> Key:
        """The same for all that are compared with each other, whatever lanes their ranks see."""
        return replace(self, algorithm="", binding="")


@dataclass(frozen=True)
class Summary(Bounded):
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
    """Native's median over this one's, above 1 is faster; None where native was not measured.
    Native's is the lowest of those under several bindings."""
    native_binding: str | None = None
    """The binding under which native was the fastest."""
    machine: str | None = None
    """Which machine the times come from, in words."""
    wire: Wire | None = None
    """The lanes; None where their rate is not known."""
    span_us: float = math.inf
    """The shortest time from the first rank's start to the last one's end."""

    @property
    def floor_us(self) -> float | None:
        """The least time that the lanes allow; None where there is no knowing."""
        key = self.key
        if self.wire is None or key.lanes is None:
            return None
        return collective_us(
            self.wire,
            key.collective,
            key.bytes,
            processes=[key.ppn] * key.nodes,
            lanes=key.lanes,
            binding=key.binding,
        )

    def row(self) -> Row:
        """The row that `--json` prints; times rounded to nanoseconds."""
        return {
            "machine": self.machine,
            **asdict(self.key),
            "runs": self.runs,
            "min_us": round(self.min_us, 3),
            "median_us": round(self.median_us, 3),
            "mean_us": round(self.mean_us, 3),
            "ratio_to_native": _rounded(self.ratio_to_native, 4),
            "native_binding": self.native_binding,
            "floor_us": _rounded(self.floor_us, 3),
            "over_floor": _rounded(self.over_floor, 4),
            "lane_rate": self.wire.rate if self.wire else None,
            "lane_burst": self.wire.burst if self.wire else None,
        }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


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


def impossible(summaries: Iterable[Summary]) -> list[str]:
    """An error for each time that cannot be."""
    return [
        f"error: {summary.key.collective} {summary.key.count}, {summary.key.algorithm}: "
        f"{summary.span_us:.0f} us lies below the floor of {summary.floor_us:.0f} us"
        for summary in summaries
        if summary.below_floor
    ]


def lane_use(rows: Iterable[Row]) -> list[str]:
    """What the lanes carried, by the kernel's counters: a line for each number and binding."""
    sent: dict[tuple[int | None, str], list[int]] = {}
    drops: Counter[tuple[int | None, str]] = Counter()
    for row in rows:
        if row["kind"] == "counters":
            key = row["lanes"], row["binding"]
            by_lane = [sum(lane) for lane in zip(*row["tx_bytes"], strict=True)]
            before = sent.get(key, [0] * len(by_lane))
            sent[key] = [*map(sum, zip(before, by_lane, strict=True))]
            drops[key] += sum(map(sum, row["drops"]))
    told = []
    for (lanes, binding), carried in sent.items():
        total = max(1, sum(carried))
        shares = ", ".join(f"lane{i} {100 * own / total:.0f}%" for i, own in enumerate(carried))
        told.append(
            f"lanes {lanes}, binding {binding}: {shares} of {total / 1e6:.0f} MB sent, "
            f"{drops[lanes, binding]} packets dropped"
        )
    return told


def summarise(rows: Iterable[Row]) -> list[Summary]:
    """A summary of every case among the rows of kind `sample`, in the order of their keys.

    An environment row says on which machine the samples after it were taken.
    """
    times: dict[Key, dict[int, list[float]]] = {}
    spans: dict[Key, float] = {}
    origins: dict[Key, tuple[str | None, Wire | None]] = {}
    origin: tuple[str | None, Wire | None] = (None, None)
    for row in rows:
        if row["kind"] == "environment":
            spec = row.get("cluster")
            origin = row.get("place"), Wire(spec["rate"], spec["burst"]) if spec else None
        if row["kind"] == "sample":
            key = Key(**{field.name: row[field.name] for field in fields(Key)})
            times.setdefault(key, {}).setdefault(row["run"], []).append(row["time_us"])
            spans[key] = min(spans.get(key, math.inf), span_us(row))
            origins[key] = origin

    run_medians = {key: [*map(statistics.median, runs.values())] for key, runs in times.items()}
    medians = {key: statistics.median(own) for key, own in run_medians.items()}
    natives: dict[Key, Key] = {}
    for key in medians:
        if key.algorithm == "native":
            best = natives.setdefault(key.case, key)
            natives[key.case] = min(best, key, key=lambda each: medians[each])
    return [
        Summary(
            key=key,
            runs=len(times[key]),
            repetitions=sum(map(len, times[key].values())),
            min_us=min(map(min, times[key].values())),
            median_us=medians[key],
            mean_us=statistics.fmean(map(statistics.fmean, times[key].values())),
            spread_us=(min(run_medians[key]), max(run_medians[key])),
            ratio_to_native=_ratio(natives.get(key.case), medians, medians[key]),
            native_binding=natives[key.case].binding if key.case in natives else None,
            machine=origins[key][0],
            wire=origins[key][1],
            span_us=spans[key],
        )
        for key in sorted(times, key=_order)
    ]


def span_us(row: Row) -> float:
    """From the first rank's start to the last one's end; equal starts where no skew is told."""
    return row["time_us"] + row.get("skew_us", 0.0)  # type: ignore[no-any-return]


def _ratio(native: Key | None, medians: Mapping[Key, float], own: float) -> float | None:
    return medians[native] / own if native is not None and own > 0 else None


def _order(key: Key) -> tuple[object, ...]:
    return (
        key.library,
        key.nodes,
        key.ppn,
        -(key.lanes or 0),  # the control comes last
        key.collective,
        key.datatype,
        key.count,
        key.algorithm != "native",  # what the others are compared with comes first
        key.algorithm,
        key.binding,
    )
