# SPDX-License-Identifier: BSD-3-Clause
"""Summaries of the rows of a probe: one for each pattern of each count."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from laneway.modelling.floor import Bounded, Wire, probe_us
from laneway.rows import Row, span_us
from laneway.units import rounded

NEGLIGIBLE = 0.005
"""Share of the traffic below which a device carries none: barriers, the launcher's daemons."""

OWN = 0.5
"""Share of the traffic that must be a pattern's own for the devices' shares to be about it."""


@dataclass(frozen=True)
class ProbeKey:
    """Facts that samples must have in common to be summarised together."""

    probe: str
    collective: str
    count: int
    datatype: str
    bytes: int
    communicator: str
    """The communicator that the calls ran on: world, lane or node."""
    virtual_lanes: int | None
    """k, processes of a node that communicate at once; None where that is not what is varied."""
    inner_repetitions: int
    """Exchanges in one repetition: the time is that of all."""
    nodes: int
    ppn: int
    lanes: int | None
    library: str
    binding: str
    node: int | None = None
    """The node that, together with the next one, is measured alone; None: all are at once."""
    process: int | None = None
    """The process of these nodes that is."""

    @classmethod
    def of(cls, row: Row) -> ProbeKey:
        """The key of a row of kind probe or traffic."""
        known: dict[str, Any] = {field.name: row.get(field.name) for field in fields(cls)}
        return cls(**known)

    @property
    def reference(self) -> ProbeKey:
        """The pattern that this one's speed-up is over."""
        if self.virtual_lanes is None:
            return replace(self, communicator="node")
        return replace(self, virtual_lanes=1)

    @property
    def series(self) -> ProbeKey:
        """The key without what differs within one table."""
        alike = replace(self, count=0, bytes=0, communicator="", virtual_lanes=None)
        return replace(alike, node=None, process=None)


@dataclass(frozen=True)
class ProbeSummary(Bounded):
    """The slowest rank's time in the repetitions of one pattern, in microseconds.

    It has the median of the runs' medians, mean of the runs' means, minimum of all repetitions.
    """

    key: ProbeKey
    processes: int
    """The processes in one communicator."""
    runs: int
    repetitions: int
    min_us: float
    span_us: float
    """The shortest time from the first rank's start to the last one's end."""
    median_us: float
    mean_us: float
    speedup: float | None
    """Bytes a second over those of k = 1 (of the node, in node-vs-lane): the median of the runs'
    ratios. None for no data, or where there is nothing to compare with."""
    bytes_per_second: float | None
    """Bytes through the network, out of or into a node, at the median; None if nothing leaves."""
    floor_us: float | None
    """None where the rate of the lanes is not known."""
    wire: Wire | None
    """The lanes; None where there are none, or their rate is not known."""
    traffic: Mapping[str, float]
    """The share of each network device in what all nodes sent; empty on virtual nodes, and where
    little of it was the pattern's own."""

    def row(self) -> Row:
        """The row that `--json` prints."""
        return {
            "kind": "summary",
            **asdict(self.key),
            "algorithm": "native",
            "processes": self.processes,
            "runs": self.runs,
            "repetitions": self.repetitions,
            "min_us": round(self.min_us, 3),
            "median_us": round(self.median_us, 3),
            "mean_us": round(self.mean_us, 3),
            "speedup": rounded(self.speedup, 4),
            "bytes_per_second": rounded(self.bytes_per_second, 0),
            "floor_us": rounded(self.floor_us, 3),
            "over_floor": rounded(self.over_floor, 4),
            "traffic": {device: round(share, 4) for device, share in self.traffic.items()},
            **(self.wire.axes if self.wire else {}),
        }


def summarise(rows: Iterable[Row]) -> list[ProbeSummary]:
    """A summary of every pattern among the rows of a campaign, by count and virtual lanes."""
    wire = None
    facts: dict[ProbeKey, Row] = {}
    times: dict[ProbeKey, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    spans: dict[ProbeKey, float] = defaultdict(lambda: math.inf)
    traffic: dict[ProbeKey, Counter[str]] = defaultdict(Counter)
    own: Counter[ProbeKey] = Counter()
    for row in rows:
        if row["kind"] == "campaign":
            wire = Wire.of(row["cluster"])
        if row["kind"] in ("probe", "traffic"):
            key = ProbeKey.of(row)
            facts[key] = row
            if row["kind"] == "probe":
                times[key][row["run"]].append(row["time_us"])
                spans[key] = min(spans[key], span_us(row))
            else:
                traffic[key].update(dict(zip(row["devices"], row["tx_bytes"], strict=True)))
                own[key] += sum(row["network_bytes"]) * row["repetitions"] * row["nodes"]

    medians = {
        key: {run: statistics.median(samples) for run, samples in runs.items()}
        for key, runs in times.items()
    }
    return [
        ProbeSummary(
            key=key,
            processes=facts[key]["processes"],
            runs=len(times[key]),
            repetitions=sum(map(len, times[key].values())),
            min_us=min(map(min, times[key].values())),
            span_us=spans[key],
            median_us=statistics.median(medians[key].values()),
            mean_us=statistics.fmean(map(statistics.fmean, times[key].values())),
            speedup=_speedup(key, medians, facts),
            bytes_per_second=_bytes_per_second(
                facts[key]["network_bytes"], statistics.median(medians[key].values())
            ),
            floor_us=_floor(facts[key], wire),
            wire=wire,
            traffic=_shares(traffic[key], own[key]),
        )
        for key in sorted(times, key=_order)
    ]


def _speedup(
    key: ProbeKey, medians: Mapping[ProbeKey, Mapping[int, float]], facts: Mapping[ProbeKey, Row]
) -> float | None:
    """The speed-up over the reference, by run: runs differ by more than patterns within one."""
    reference = medians.get(key.reference, {})
    ratios = [
        reference[run] / median
        for run, median in medians[key].items()
        if run in reference and median > 0
    ]
    if not ratios or key.bytes == 0 or key.node is not None:
        return None
    work = 1.0
    if key.virtual_lanes is not None:
        work = sum(facts[key]["network_bytes"]) / sum(facts[key.reference]["network_bytes"])
    return work * statistics.median(ratios)


def _bytes_per_second(network_bytes: list[int], time_us: float) -> float | None:
    return sum(network_bytes) / time_us * 1e6 if sum(network_bytes) and time_us > 0 else None


def _floor(row: Row, wire: Wire | None) -> float | None:
    if wire is None or row["lanes"] is None or not row["network_bytes"]:
        return None
    if wire.rates and "process" in row:
        return None  # it is the rate that is asked for
    return probe_us(
        wire,
        row["collective"],
        row["network_bytes"],
        nodes=row["processes"] if row["communicator"] == "lane" else row["nodes"],
        lanes=row["lanes"],
        binding=row["binding"],
        exchanges=row["inner_repetitions"],
    )


def _shares(sent: Mapping[str, int], own: int) -> dict[str, float]:
    """The share of each device in the bytes sent; none where few were the pattern's `own`."""
    total = sum(sent.values())
    if own < OWN * total:
        return {}
    return {
        device: count / total for device, count in sent.items() if count > NEGLIGIBLE * total > 0
    }


def _order(key: ProbeKey) -> tuple[object, ...]:
    return (
        key.library,
        key.nodes,
        key.ppn,
        -(key.lanes or 0),  # the control comes last
        key.binding,
        key.collective,
        key.count,
        key.virtual_lanes or 0,
        key.node or 0,
        key.process or 0,
        key.communicator == "lane",
    )
