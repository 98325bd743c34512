# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on the figures of a probe, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from laneway.cluster.spec import BINDINGS_IN_WORDS
from laneway.probe import lane_rates
from laneway.probe.lane_rates import LaneRates
from laneway.probe.summary import ProbeKey, ProbeSummary
from laneway.rows import Row
from laneway.units import counted, size

CLOSE = 0.85
"""k virtual lanes have found k real ones where they are at least this share of k times as fast."""

INDICATIVE_US = 2000
"""Below this time two runs may differ by a quarter or more."""

VIRTUAL = (
    "virtual nodes: no lanes to see. All ranks ran on one machine and talked through its memory: "
    "the figures show what the calls cost there. `laneway cluster up` makes nodes with lanes."
)


@dataclass(frozen=True)
class LaneEstimate:
    """How many lanes there are, by the largest count: smaller ones feel latency, too."""

    lanes: int
    """The largest k close to k times as fast as k = 1."""
    speedup: float
    """The speed-up of that k, at the largest count."""
    from_count: int
    """The count from which on that k is close to k times as fast, at all larger ones, too."""
    from_bytes: int
    more: Mapping[int, float]
    """The speed-ups of larger k there, which gained less."""


def count_lanes(
    speedups: Mapping[int, Mapping[int, float]], element: int = 4
) -> LaneEstimate | None:
    """The verdict on speed-ups by count and k, `element` bytes each; None where there is none."""
    measured = {count: by_k for count, by_k in sorted(speedups.items()) if by_k}
    if not measured:
        return None
    largest = max(measured)
    at_largest = measured[largest]
    lanes = max((k for k, speedup in at_largest.items() if speedup >= CLOSE * k), default=1)
    start = largest
    for count in sorted(measured, reverse=True):
        if measured[count].get(lanes, 1.0) < CLOSE * lanes:
            break
        start = count
    return LaneEstimate(
        lanes=lanes,
        speedup=at_largest.get(lanes, 1.0),
        from_count=start,
        from_bytes=start * element,
        more={k: speedup for k, speedup in sorted(at_largest.items()) if k > lanes},
    )


@dataclass(frozen=True)
class ProbeVerdict:
    """A sentence or two about one table, and the facts behind it."""

    series: ProbeKey
    lanes: LaneEstimate | None
    text: str
    rates: LaneRates | None = None
    """The rate of each lane of each node, where that was asked."""

    def row(self) -> Row:
        """The row that `--json` prints."""
        key = self.series
        found: dict[str, Any] = {"lanes_found": None, "from_count": None, "from_bytes": None}
        if self.lanes:
            found = {
                "lanes_found": self.lanes.lanes,
                "from_count": self.lanes.from_count,
                "from_bytes": self.lanes.from_bytes,
            }
        if self.rates:
            found["weights"] = str(self.rates.weights)
            found["slow"] = [
                {
                    "node": node,
                    "lane": lane,
                    "bytes_per_second": round(self.rates.rates[node, lane]),
                }
                for node, lane in self.rates.slow
            ]
        return {
            "kind": "verdict",
            "probe": key.probe,
            "collective": key.collective,
            "nodes": key.nodes,
            "ppn": key.ppn,
            "lanes": key.lanes,
            "library": key.library,
            "binding": key.binding,
            **found,
            "text": self.text,
        }


def verdicts(
    summaries: Sequence[ProbeSummary], *, virtual: bool, names: Sequence[str] = ()
) -> list[ProbeVerdict]:
    """A verdict on every series. `virtual`: the nodes were virtual; `names`: the nodes' names."""
    found = []
    for series, group in groupby(summaries, key=lambda summary: summary.key.series):
        cases = list(group)
        if series.probe == "node-vs-lane":
            lanes, text = None, _node_vs_lane(cases)
        elif series.probe == lane_rates.PROBE:
            rates = None if virtual else LaneRates.of(cases, names)
            text = VIRTUAL if virtual else str(rates or "no verdict: that takes data to send")
            found.append(ProbeVerdict(series, None, text, rates))
            continue
        else:
            lanes = None if virtual else count_lanes(_speedups(cases))
            text = VIRTUAL if virtual else _lanes(series, lanes)
        if virtual and series.probe == "node-vs-lane":
            text = VIRTUAL
        found.append(ProbeVerdict(series, lanes, text))
    return found


def _speedups(cases: Sequence[ProbeSummary]) -> dict[int, dict[int, float]]:
    table: dict[int, dict[int, float]] = {}
    for case in cases:
        if case.key.virtual_lanes is not None and case.speedup is not None:
            table.setdefault(case.key.count, {})[case.key.virtual_lanes] = case.speedup
    return table


def _lanes(series: ProbeKey, found: LaneEstimate | None) -> str:
    if found is None:
        return "no verdict: that takes k = 1 and a larger k, with data to send"
    how = BINDINGS_IN_WORDS.get(series.binding, series.binding)
    number = counted(found.lanes, "lane")
    text = f"this machine has {number} for {series.library} ({how})"
    if found.lanes > 1:
        text += (
            f": {found.lanes} processes of a node at once are {found.speedup:.2f} times as fast as "
            f"one, from a count of {found.from_count} ({size(found.from_bytes)}) on"
        )
    if found.more:
        gains = ", ".join(f"{k}: {speedup:.2f}" for k, speedup in found.more.items())
        text += f"; more processes gain no more in proportion ({gains})"
    if series.binding == "all":
        text += (
            ". A library that spreads one process's data over several lanes hides them from this "
            "probe: see which lanes carried what"
        )
    return text + "."


def _node_vs_lane(cases: Sequence[ProbeSummary]) -> str:
    parts = [
        f"{case.key.count}: {_pace(case.speedup)}"
        for case in cases
        if case.key.communicator == "lane" and case.speedup is not None
    ]
    if not parts:
        return "no verdict: nothing was moved"
    return (
        f"{cases[0].key.collective} among {cases[0].processes} processes of different nodes, "
        f"against as many on one node, by count: {', '.join(parts)}."
    )


def _pace(speedup: float) -> str:
    if abs(speedup - 1) < 0.05:
        return "as fast"
    return f"{speedup:.2g} times as fast" if speedup > 1 else f"{1 / speedup:.2g} times slower"


def caveats(summaries: Sequence[ProbeSummary]) -> list[str]:
    """Warnings that a reader of these figures needs besides."""
    told = []
    if any(summary.median_us < INDICATIVE_US for summary in summaries):
        told.append(
            "Times below 2 ms are indicative: two runs may differ by a quarter, more where ranks "
            "share cores."
        )
    if any(summary.runs < 3 for summary in summaries):
        told.append("Fewer than three runs of mpirun: take more (`--runs`) for a decision.")
    return told


def errors(summaries: Sequence[ProbeSummary]) -> list[str]:
    """Times that cannot be."""
    return [
        f"error: {summary.key.probe} {summary.key.count}, "
        f"{summary.key.communicator} k = {summary.key.virtual_lanes}: {summary.span_us:.0f} us "
        f"lies below the floor of {summary.floor_us:.0f} us"
        for summary in summaries
        if summary.below_floor
    ]
