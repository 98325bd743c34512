# SPDX-License-Identifier: BSD-3-Clause
"""What each figure shows, as a table of plain values.

The report, the plots, the CSV files and the tests all take a figure's numbers from here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

from laneway.measured import Measured
from laneway.probe import summary as probes
from laneway.rows import Key, Row, Summary

Table = list[dict[str, Any]]
"""Lines with the same columns; times in microseconds, sizes in bytes."""

_PLACE = ("library", "nodes", "ppn", "lanes")
_SWEPT = (*_PLACE, "collective", "algorithm", "binding", "count", "bytes")
"""What figures have an axis, a curve or a selector for. Other facts of a key tell operations apart
where they differ."""


@dataclass(frozen=True)
class Figure:
    """One way to look at measurements."""

    name: str
    title: str
    shows: str
    """What is seen, in a sentence."""
    table: Callable[[Measured], Table]


def place_name(library: str, nodes: int, ppn: int, lanes: int | None = None) -> str:
    """A library on a shape, in words."""
    of_lanes = f", {lanes} lane{'s'[: lanes != 1]}" if lanes else ""
    return f"{library}, {nodes} nodes x {ppn} ranks{of_lanes}"


def points(measured: Measured) -> Table:
    """Everything that is known of each algorithm at each size.

    `place`, `operation` and `curve` name what belongs into one picture and what is one line there.
    """
    names = _Names([summary.key for summary in measured.summaries])
    return [_point(summary, names) for summary in measured.summaries]


def _band(medians: Sequence[float]) -> tuple[float, float]:
    """What a curve's band lies between: the first and the last decile of the runs' medians."""
    if len(medians) == 1:
        return medians[0], medians[0]
    low, *_, high = quantiles(medians, n=10, method="inclusive")
    return low, high


def _point(summary: Summary, names: _Names) -> dict[str, Any]:
    low, high = _band(summary.medians_us)
    return {
        "place": names.place(summary.key),
        "operation": names.operation(summary.key),
        "curve": names.curve(summary.key),
        **{name: getattr(summary.key, name) for name in _SWEPT},
        "datatype": summary.key.datatype,
        "statistic": summary.key.statistic,
        "runs": summary.runs,
        "repetitions": summary.repetitions,
        "min_us": summary.min_us,
        "median_us": summary.median_us,
        "mean_us": summary.mean_us,
        "low_us": low,
        "high_us": high,
        "floor_us": summary.floor_us,
        "over_floor": summary.over_floor,
        "ratio_to_native": summary.ratio_to_native,
        "native_binding": summary.native_binding,
    }


class _Names:
    """Names that tell the keys of a set apart, and are no longer than that takes."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self._values: dict[str, dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
        self._bindings: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for key in keys:
            for name, value in _told_apart_by(key).items():
                self._values[key.collective][name].add(value)
        for key in keys:
            self._bindings[self._line(key)].add(key.binding)

    def place(self, key: Key) -> str:
        return place_name(key.library, key.nodes, key.ppn, key.lanes)

    def operation(self, key: Key) -> str:
        own = _told_apart_by(key)
        differing = [
            _word(name, own.get(name))
            for name, values in self._values[key.collective].items()
            if len(values) > 1
        ]
        told = ", ".join(filter(None, differing))
        return f"{key.collective} ({told})" if told else key.collective

    def curve(self, key: Key) -> str:
        several = len(self._bindings[self._line(key)]) > 1
        return f"{key.algorithm} ({key.binding})" if several else key.algorithm

    def _line(self, key: Key) -> tuple[str, ...]:
        return self.place(key), self.operation(key), key.algorithm


def _told_apart_by(key: Key) -> dict[str, Any]:
    return {"datatype": key.datatype, **dict(key.axes)}


def _word(name: str, value: object) -> str:
    """A fact of a key in a name: text by itself, anything else with what it is."""
    return value if isinstance(value, str) else "" if value is None else f"{name}={value}"


def _columns(table: Table, *names: str) -> Table:
    return [{name: line[name] for name in names} for line in table]


_CASE = ("place", "operation", "curve", *_SWEPT)


def times(measured: Measured) -> Table:
    """Time against size: median, band over the runs, minimum and mean, and the floor."""
    kept = (
        "statistic",
        "runs",
        "repetitions",
        "min_us",
        "median_us",
        "mean_us",
        "low_us",
        "high_us",
    )
    return _columns(points(measured), *_CASE, *kept, "floor_us", "over_floor")


def ratios(measured: Measured) -> Table:
    """How many times as fast as native every other algorithm is, and what runs say about it.

    `verdict` is that of the guideline "native is as fast as this algorithm": VIOLATED means that
    the algorithm is faster, beyond what runs differ by. `low` and `high` bound the ratio.
    """
    names = _Names([summary.key for summary in measured.summaries])
    found = []
    for summary in measured.summaries:
        if summary.ratio_to_native is None or summary.key.algorithm == "native":
            continue
        point = _point(summary, names)
        verdict = measured.verdicts.get(summary.key)
        found.append(
            {
                **{name: point[name] for name in _CASE},
                "ratio_to_native": summary.ratio_to_native,
                "native_binding": summary.native_binding,
                "runs": summary.runs,
                "verdict": str(verdict.verdict) if verdict else None,
                "low": verdict.low if verdict else None,
                "high": verdict.high if verdict else None,
                "more_runs": verdict.more_runs if verdict else None,
            }
        )
    return found


def lanes(measured: Measured) -> Table:
    """Speed-up over the fewest lanes, beside the ideal; and over one virtual lane, by probes."""
    return [*_lanes_of_cases(points(measured)), *_lanes_of_probes(measured.rows)]


def _lanes_of_cases(table: Table) -> Table:
    """Of the better binding at each number of lanes."""
    by_case: dict[tuple[Any, ...], dict[int, float]] = defaultdict(dict)
    for line in table:
        if line["lanes"]:
            case = (
                place_name(line["library"], line["nodes"], line["ppn"]),
                *(line[name] for name in ("operation", "algorithm", "count", "bytes")),
            )
            own = by_case[case]
            number = line["lanes"]
            own[number] = min(own.get(number, line["median_us"]), line["median_us"])
    found: Table = []
    for (place, operation, curve, count, size), medians in by_case.items():
        fewest = min(medians)
        if len(medians) > 1:
            found += [
                {
                    "place": place,
                    "operation": operation,
                    "curve": curve,
                    "count": count,
                    "bytes": size,
                    "lanes": number,
                    "median_us": medians[number],
                    "speedup": medians[fewest] / medians[number],
                    "ideal": number / fewest,
                }
                for number in sorted(medians)
                if medians[number] > 0
            ]
    return found


def _lanes_of_probes(rows: Iterable[Row]) -> Table:
    """Of k processes a node that send at once, over one."""
    return [
        {
            "place": place_name(key.library, key.nodes, key.ppn),
            "operation": f"probe {key.probe}, {key.collective}",
            "curve": f"{_of_lanes(key.lanes)}, binding {key.binding}",
            "count": key.count,
            "bytes": key.bytes,
            "lanes": key.virtual_lanes,
            "median_us": summary.median_us,
            "speedup": summary.speedup,
            "ideal": min(key.virtual_lanes, key.lanes or key.virtual_lanes),
        }
        for summary in probes.summarise(rows)
        if (key := summary.key).virtual_lanes is not None and summary.speedup is not None
    ]


def _of_lanes(number: int | None) -> str:
    return "unknown lanes" if number is None else f"{number} lane{'s'[: number != 1]}"


def winners(measured: Measured) -> Table:
    """The algorithm with the lowest median at each size, and what runs say about it.

    `margin` is the next algorithm's median over the winner's. `verdict` is that on "another one is
    as fast", tested against all of them: VIOLATED means that the winner is faster than each, beyond
    what runs differ by.
    """
    summaries = {summary.key: summary for summary in measured.summaries}
    names = _Names([*summaries])
    order = {key: position for position, key in enumerate(summaries)}
    found: Table = []
    for standing in sorted(measured.standings, key=lambda each: order[each.best]):
        best, runner_up = summaries[standing.best], summaries[standing.runner_up]
        found.append(
            {
                **{name: getattr(names, name)(best.key) for name in ("place", "operation")},
                "count": best.key.count,
                "bytes": best.key.bytes,
                "winner": best.key.algorithm,
                "binding": best.key.binding,
                "median_us": best.median_us,
                "ratio_to_native": best.ratio_to_native,
                "runner_up": runner_up.key.algorithm,
                "margin": runner_up.median_us / best.median_us if best.median_us else None,
                "runs": best.runs,
                "verdict": str(standing.verdict),
                "more_runs": standing.more_runs,
            }
        )
    return found


def samples(measured: Measured) -> Table:
    """Every repetition, in the order in which those of a case were measured."""
    names = _Names([*measured.samples])
    found = []
    for key, own in measured.samples.items():
        case = {
            "place": names.place(key),
            "operation": names.operation(key),
            "curve": names.curve(key),
            "count": key.count,
            "bytes": key.bytes,
            "statistic": key.statistic,
        }
        found += [
            {**case, "run": run, "order": order, "time_us": time}
            for run, times_us in sorted(own.times_us.items())
            for order, time in enumerate(times_us)
        ]
    return found


def counters(measured: Measured) -> Table:
    """What each lane of each node carried during all jobs of a library, number and binding."""
    library = ""
    carried: dict[tuple[str, int, str, int, int], list[int]] = {}
    for row in measured.rows:
        library = row["library"] if row["kind"] == "environment" else library
        if row["kind"] == "counters":
            for place, values in _by_lane(row).items():
                key = (library, row["lanes"], row["binding"], *place)
                carried[key] = [*map(sum, zip(carried.get(key, (0, 0, 0)), values, strict=True))]
    names = ("library", "lanes", "binding", "node", "lane")
    measures = ("sent_bytes", "received_bytes", "dropped_packets")
    return [
        {**dict(zip(names, key, strict=True)), **dict(zip(measures, own, strict=True))}
        for key, own in carried.items()
    ]


def _by_lane(row: Row) -> Mapping[tuple[int, int], tuple[int, int, int]]:
    """Sent, received and dropped, by node and lane."""
    return {
        (node, lane): values
        for node, nodes in enumerate(
            zip(row["tx_bytes"], row["rx_bytes"], row["drops"], strict=True)
        )
        for lane, values in enumerate(zip(*nodes, strict=True))
    }


FIGURES = {
    figure.name: figure
    for figure in (
        Figure(
            "time",
            "Time against size",
            "Median over the runs; the band holds the middle four fifths of the runs; dashed: the "
            "least time that the lanes allow.",
            times,
        ),
        Figure(
            "ratio",
            "Times as fast as native",
            "The MPI library's own median over the algorithm's: above 1 is faster.",
            ratios,
        ),
        Figure(
            "winners",
            "Which algorithm wins where",
            "The algorithm with the lowest median, and the next one's median over it.",
            winners,
        ),
        Figure(
            "lanes",
            "Lane scaling",
            "Speed-up over the fewest lanes, beside the ideal.",
            lanes,
        ),
        Figure(
            "samples",
            "Samples: distribution and order",
            "Every repetition: how the times are distributed, run by run, and in which order they "
            "came.",
            samples,
        ),
        Figure(
            "counters",
            "What each lane carried",
            "Bytes by node and lane during all jobs, by the kernel's counters.",
            counters,
        ),
    )
}
"""By the name on the command line."""
