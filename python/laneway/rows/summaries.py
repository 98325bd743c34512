# SPDX-License-Identifier: BSD-3-Clause
"""Summaries: the times of a case in the figures that tables, plots and JSON show."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from laneway.modelling.crossing import Crossing
from laneway.modelling.floor import Bounded, Wire, collective_us, crossing_us
from laneway.rows import gain
from laneway.rows.cases import FACTS, NATIVE, CaseKey, Samples, collect
from laneway.rows.row import Row
from laneway.units import rounded


@dataclass(frozen=True)
class CaseSummary(Bounded):
    """The slowest rank's time in the repetitions of one algorithm, in microseconds.

    The run of mpirun is the unit of replication: repetitions of one run resemble each other more
    than those of another. So the median is that of the runs' medians, and the mean that of the
    runs' means; the minimum is that of all repetitions.
    """

    key: CaseKey
    runs: int
    repetitions: int
    min_us: float
    median_us: float
    mean_us: float
    medians_us: tuple[float, ...]
    """The median of each run, in the order of the runs' numbers."""
    ratio_to_native: float | None
    """How many times as fast as native this is (gain.ratio); None where native was not measured.
    Native is taken under its binding of the lowest median."""
    native_binding: str | None = None
    """The binding under which native was the fastest."""
    machine: str | None = None
    """The machine that the times come from, in words."""
    wire: Wire | None = None
    """The lanes; None where their rate is not known."""
    span_us: float = math.inf
    """The shortest time from the first rank's start to the last one's end."""
    crossing: Crossing | None = None
    """The data of a vector collective that must go from node to node."""
    served_by: tuple[str, ...] = ()
    """The algorithms that served the calls: for `tuned` the settings' choices, which may differ."""

    @property
    def spread_us(self) -> tuple[float, float]:
        """The lowest and the highest of the runs' medians."""
        return min(self.medians_us), max(self.medians_us)

    @property
    def slower(self) -> int:
        """The factor by which the lanes are slower than those that they stand for."""
        return self.wire.slower if self.wire else 1

    @property
    def floor_us(self) -> float | None:
        """The least time that the lanes allow; None where there is no knowing."""
        key = self.key
        if self.wire is None or key.lanes is None:
            return None
        shape: dict[str, Any] = {
            "processes": key.processes,
            "lanes": key.lanes,
            "binding": key.binding,
            "calls": dict(key.axes).get("inner_repetitions", 1),
        }
        if self.crossing:
            return crossing_us(self.wire, self.crossing, **shape)
        return collective_us(self.wire, key.collective, key.bytes, **shape)

    def row(self) -> Row:
        """The row that `--json` prints; times rounded to nanoseconds."""
        return {
            "machine": self.machine,
            **_flat(self.key),
            "runs": self.runs,
            "min_us": round(self.min_us, 3),
            "median_us": round(self.median_us, 3),
            "mean_us": round(self.mean_us, 3),
            "ratio_to_native": rounded(self.ratio_to_native, 4),
            "native_binding": self.native_binding,
            "floor_us": rounded(self.floor_us, 3),
            "over_floor": rounded(self.over_floor, 4),
            "lane_rate": round(self.wire.mean_rate) if self.wire else None,
            "lane_burst": self.wire.burst if self.wire else None,
            "served_by": ",".join(self.served_by) or None,
            **dict(self.key.axes),
        }


def _flat(key: CaseKey) -> Row:
    """The facts that every key has."""
    facts = {name: getattr(key, name) for name in FACTS}
    return {**facts, "nodes": key.nodes or None, "ppn": key.ppn or None}


def impossible(summaries: Iterable[CaseSummary]) -> list[str]:
    """An error for each time that cannot be."""
    return [
        f"error: {summary.key.collective} {summary.key.count}, {summary.key.algorithm}: "
        f"{summary.span_us:.0f} us lies below the floor of {summary.floor_us:.0f} us"
        for summary in summaries
        if summary.below_floor
    ]


def summarise(rows: Iterable[Row]) -> list[CaseSummary]:
    """A summary of every case among the rows of kind `sample`, in the order of their keys."""
    return summaries_of(collect(rows))


def summaries_of(samples: Mapping[CaseKey, Samples]) -> list[CaseSummary]:
    """A summary of every case, in the order of their keys."""
    times = {key: own.times_us for key, own in samples.items()}
    run_medians = {key: own.medians() for key, own in samples.items()}
    medians = {key: statistics.median(own.values()) for key, own in run_medians.items()}
    natives: dict[CaseKey, CaseKey] = {}
    for key in medians:
        if key.algorithm == NATIVE:
            best = natives.setdefault(key.case, key)
            natives[key.case] = min(best, key, key=lambda each: medians[each])
    return [
        CaseSummary(
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
            crossing=samples[key].crossing,
            served_by=tuple(sorted(samples[key].served_by)),
        )
        for key in sorted(times, key=_order)
    ]


def _order(key: CaseKey) -> tuple[object, ...]:
    return (
        key.library,
        key.nodes,
        key.ppn,
        -(key.lanes or 0),  # the control comes last
        key.collective,
        key.datatype,
        repr(key.axes),
        key.count,
        key.algorithm != NATIVE,  # native comes first, as the others are compared with it
        key.algorithm,
        key.binding,
    )
