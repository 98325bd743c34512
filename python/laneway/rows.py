# SPDX-License-Identifier: BSD-3-Clause
"""Rows: what laneway-bench writes, one JSON object a line, and what is made of them."""

from __future__ import annotations

import functools
import json
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from laneway import gain
from laneway.floor import Bounded, Wire, collective_us

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
"""One object; its key `kind` says what it is: environment, sample, note, error, counters, ..."""

NESTED = (list, dict)
"""Values that have no place in a table."""

NOT_AXES = frozenset(
    (
        "kind", "run", "launch", "block", "task", "repetition", "repetitions", "served_by", "delay",
        "time_us", "min_us", "max_us", "mean_us", "fastest_us", "skew_us", "last_us", "late",
        "planned_skew_us", "source",
    )
)  # fmt: skip
"""Keys of a sample that were measured or tell its place in the campaign; every other one was set,
and tells apart what may not be compared."""


SLOWEST_RANK = "time of the slowest rank"
"""What a time is unless a sample's `statistic` says otherwise."""


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
    axes: tuple[tuple[str, Any], ...] = ()
    """Whatever else was set, by name: operator, root, cold buffers, arrival, ..."""

    @property
    def statistic(self) -> str:
        """What a time is: other benchmarks print other figures."""
        return str(dict(self.axes).get("statistic", SLOWEST_RANK))

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
    medians_us: tuple[float, ...]
    """The median of each run, in the order of their numbers."""
    ratio_to_native: float | None
    """How many times as fast as native this is (gain.py); None where native was not measured.
    Native's is the one of the lowest median among those under several bindings."""
    native_binding: str | None = None
    """The binding under which native was the fastest."""
    machine: str | None = None
    """Which machine the times come from, in words."""
    wire: Wire | None = None
    """The lanes; None where their rate is not known."""
    span_us: float = math.inf
    """The shortest time from the first rank's start to the last one's end."""

    @property
    def spread_us(self) -> tuple[float, float]:
        """The lowest and the highest of the runs' medians."""
        return min(self.medians_us), max(self.medians_us)

    @property
    def slower(self) -> int:
        """By which factor the lanes are slower than those that they stand for."""
        return self.wire.slower if self.wire else 1

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
            calls=dict(key.axes).get("inner_repetitions", 1),
        )

    def row(self) -> Row:
        """The row that `--json` prints; times rounded to nanoseconds."""
        return {
            "machine": self.machine,
            **_flat(self.key),
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
            **dict(self.key.axes),
        }


def _flat(key: Key) -> Row:
    """The facts that every key has."""
    return {name: getattr(key, name) for name in FACTS}


def axes_of(facts: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """What else was set of a sample, for its key; what is null was not."""
    return tuple(
        (name, value)
        for name in _further(tuple(facts))
        if (value := facts[name]) is not None and not isinstance(value, NESTED)
    )


@functools.cache
def _further(names: tuple[str, ...]) -> list[str]:
    """Of the keys of a sample those that are further axes: few sets of keys, many samples."""
    return sorted({*names} - _NO_FURTHER_AXES)


FACTS = tuple(field.name for field in fields(Key) if field.name != "axes")
"""What every sample says of itself."""

_NO_FURTHER_AXES = NOT_AXES | {*FACTS, "axes"}


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


def frame(samples: Iterable[Row]) -> pl.DataFrame:
    """One line a sample, one column a key of the rows; what is nested is left out."""
    import polars as pl

    table = pl.DataFrame([*samples], infer_schema_length=None)
    return table.drop([name for name, kind in table.schema.items() if kind.is_nested()])


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


@dataclass
class Samples:
    """The times of one case, run by run, as they were measured."""

    times_us: dict[int, list[float]] = field(default_factory=dict)
    machine: str | None = None
    wire: Wire | None = None
    span_us: float = math.inf
    """The shortest time from the first rank's start to the last one's end."""


def collect(rows: Iterable[Row]) -> dict[Key, Samples]:
    """The samples of every case, in the order in which they were taken.

    An environment row says on which machine the samples after it were taken.
    """
    facts = itemgetter(*FACTS)
    found: dict[tuple[Any, ...], Samples] = {}
    machine, wire = None, None
    for row in rows:
        if row["kind"] == "environment":
            machine, wire = row.get("place"), Wire.of(row.get("cluster"))
        if row["kind"] == "sample":
            own = found.setdefault((*facts(row), axes_of(row)), Samples())
            own.times_us.setdefault(row["run"], []).append(row["time_us"])
            own.machine, own.wire = machine, wire
            own.span_us = min(own.span_us, span_us(row))
    return {Key(*facts): own for facts, own in found.items()}


def summarise(rows: Iterable[Row]) -> list[Summary]:
    """A summary of every case among the rows of kind `sample`, in the order of their keys."""
    return summaries_of(collect(rows))


def summaries_of(samples: Mapping[Key, Samples]) -> list[Summary]:
    """A summary of every case, in the order of their keys."""
    times = {key: own.times_us for key, own in samples.items()}
    run_medians = {
        key: {run: statistics.median(runs[run]) for run in sorted(runs)}
        for key, runs in times.items()
    }
    medians = {key: statistics.median(own.values()) for key, own in run_medians.items()}
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
            medians_us=tuple(run_medians[key].values()),
            ratio_to_native=gain.ratio(run_medians[natives[key.case]], run_medians[key])
            if key.case in natives
            else None,
            native_binding=natives[key.case].binding if key.case in natives else None,
            machine=samples[key].machine,
            wire=samples[key].wire,
            span_us=samples[key].span_us,
        )
        for key in sorted(times, key=_order)
    ]


def span_us(row: Row) -> float:
    """From the first rank's start to the last one's end; equal starts where no skew is told."""
    return row["time_us"] + row.get("skew_us", 0.0)  # type: ignore[no-any-return]


def _order(key: Key) -> tuple[object, ...]:
    return (
        key.library,
        key.nodes,
        key.ppn,
        -(key.lanes or 0),  # the control comes last
        key.collective,
        key.datatype,
        repr(key.axes),
        key.count,
        key.algorithm != "native",  # what the others are compared with comes first
        key.algorithm,
        key.binding,
    )
