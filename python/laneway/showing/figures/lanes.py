# SPDX-License-Identifier: BSD-3-Clause
"""Figures of lanes: the gain by more of them, and the bytes that they carried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from laneway.modelling.floor import collective_bytes
from laneway.probe import summary as probes
from laneway.results.measurements import Measured
from laneway.rows import Row
from laneway.rows.lane_traffic import carried as carried_of
from laneway.showing.figures.cases import points
from laneway.showing.figures.names import FigureTable, KeyNames, place_name
from laneway.units import counted


def lanes(measured: Measured) -> FigureTable:
    """Speed-up over the fewest lanes, beside the ideal; and over one virtual lane, by probes."""
    return [*_lanes_of_cases(points(measured)), *_lanes_of_probes(measured.rows)]


def _lanes_of_cases(table: FigureTable) -> FigureTable:
    """The speed-up of cases by their better binding at each number of lanes."""
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
    found: FigureTable = []
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


def _lanes_of_probes(rows: Iterable[Row]) -> FigureTable:
    """The speed-up of k processes a node that send at once, over one."""
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
    return "unknown lanes" if number is None else counted(number, "lane")


def carried(measured: Measured) -> FigureTable:
    """Bytes that each lane carried in one call of each case, and the busiest lane's least bytes.

    `sent_bytes` are those of all nodes, `share` the lane's part of them; `busiest_bytes` is the
    most that some node sent or received over that lane. `busy` is the part of the median in which
    the lane that carried most had to send, by its rate; None where that is unknown.
    """
    names = KeyNames([summary.key for summary in measured.summaries])
    by_case = carried_of(measured.rows)
    found: FigureTable = []
    for summary in measured.summaries:
        key = summary.key
        if (own := by_case.get(key)) is None:
            continue
        least = collective_bytes(
            key.collective,
            key.bytes,
            processes=key.processes,
            lanes=key.lanes or len(own.lanes),
            binding=key.binding,
        )
        for lane, name in enumerate(own.lanes):
            busiest = own.busiest(lane)
            wire = summary.wire.of_lane(lane) if summary.wire else None
            needed = wire.busy_us(round(busiest)) if wire else None
            found.append(
                {
                    **names.case(key),
                    "lane": name,
                    "sent_bytes": round(own.sent_by(lane)),
                    "share": own.sent_by(lane) / own.total,
                    "busiest_bytes": round(busiest),
                    "least_bytes": least,
                    "busy": needed and summary.median_us and needed / summary.median_us,
                }
            )
    return found


def counters(measured: Measured) -> FigureTable:
    """Bytes that each lane of each node carried in all jobs of a library, number and binding."""
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
    """Bytes sent and received and packets dropped, by node and lane."""
    return {
        (node, lane): values
        for node, nodes in enumerate(
            zip(row["tx_bytes"], row["rx_bytes"], row["drops"], strict=True)
        )
        for lane, values in enumerate(zip(*nodes, strict=True))
    }
