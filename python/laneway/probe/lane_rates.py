# SPDX-License-Identifier: BSD-3-Clause
"""Which lane of which node is slower than the others, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from laneway import files
from laneway.cluster.spec import format_rate
from laneway.modelling.floor import BITS
from laneway.probe.summary import ProbeSummary
from laneway.units import counted

PROBE = "lane-rates"
"""The probe of laneway-bench; what it measures is in docs/calibration.md."""

SLOW = 0.85
"""The share of the fastest lane's rate below which a lane is slower than it."""

_STEPS = 20
"""The weight of the fastest lane: weights are as exact as measured rates are, to 5%."""


@dataclass(frozen=True)
class LaneRates:
    """The rates of lanes, in bytes a second, by node and lane."""

    rates: Mapping[tuple[int, int], float]

    @classmethod
    def of(cls, cases: Sequence[ProbeSummary]) -> LaneRates | None:
        """The rates that pairs of nodes show; None where nothing was sent.

        A pair is as fast as the slower end of its lane. Each node is in two pairs, unless there are
        two nodes: what the faster of its pairs shows is its own. The largest count tells, by its
        shortest repetition: what disturbs a message is no rate of a lane.
        """
        largest = max((case.key.count for case in cases), default=0)
        rates: dict[tuple[int, int], float] = {}
        for case in cases:
            key, rate = case.key, case.bytes_per_second
            if rate is None or key.node is None or key.process is None or key.count != largest:
                continue
            rate *= case.median_us / case.min_us
            lane = key.process % (key.lanes or key.ppn)
            for node in (key.node, (key.node + 1) % key.nodes):
                rates[node, lane] = max(rate, rates.get((node, lane), 0))
        return cls(rates) if rates else None

    @property
    def fastest(self) -> float:
        """The rate of the fastest lane of all."""
        return max(self.rates.values())

    @property
    def slow(self) -> list[tuple[int, int]]:
        """Nodes and lanes that are slower than the fastest."""
        return sorted(at for at, rate in self.rates.items() if rate < SLOW * self.fastest)

    @property
    def by_lane(self) -> list[float]:
        """The rate of each lane, on the node where it is slowest."""
        lanes = {lane for _, lane in self.rates}
        return [
            min(rate for (_, own), rate in self.rates.items() if own == lane)
            for lane in sorted(lanes)
        ]

    @property
    def weights(self) -> str:
        """The weights by which shares follow the rates: 2:1."""
        steps = [round(_STEPS * rate / max(self.by_lane)) for rate in self.by_lane]
        return ":".join(str(each // math.gcd(*steps)) for each in steps)

    def profile(self, place: str, machine: str) -> str:
        """A profile by which shares follow the rates; `place`: the kind of the nodes."""
        lines = [
            "laneway profile 1",
            f"# Written by `laneway probe {PROBE} --install`: {machine}.",
            *([] if place == "real" else [f"place {place}"]),
            f"lanes {len(self.by_lane)} weights {self.weights}",
        ]
        return files.sealed("\n".join(lines) + "\n")

    @property
    def cost(self) -> tuple[float, float]:
        """How many times longer it takes than on lanes that are all as fast as the fastest.

        The first number is that of shares that are alike, the second that of shares by weight.
        """
        alike = self.fastest / min(self.by_lane)
        return alike, len(self.by_lane) * self.fastest / sum(self.by_lane)

    def __str__(self) -> str:
        nodes = len({node for node, _ in self.rates})
        if not self.slow:
            return (
                f"all lanes of {counted(nodes, 'node')} are alike: "
                f"{format_rate(BITS * min(self.rates.values()))} at least, "
                f"{format_rate(BITS * self.fastest)} at most."
            )
        fastest = format_rate(BITS * self.fastest)
        told = ", ".join(
            f"lane {lane} of node {node}: {format_rate(BITS * self.rates[node, lane])}"
            for node, lane in self.slow
        )
        alike, weighed = self.cost
        ends = " (with two nodes there is no telling which of them it is)" if nodes == 2 else ""
        return (
            f"slower than others, which have {fastest}: {told}{ends}. Shares that are alike take "
            f"{alike:.2f} times as long as if no lane was slow, shares by weight {weighed:.2f} "
            f"times. Say so: laneway exec --lane-weights {self.weights}, or "
            f"`lanes {len(self.by_lane)} weights {self.weights}` in a profile, as --install does."
        )
