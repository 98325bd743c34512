# SPDX-License-Identifier: BSD-3-Clause
"""Which lane of which node is slower than the others, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from laneway import files
from laneway.cluster.spec import format_rate
from laneway.modelling.floor import BITS
from laneway.modelling.lane_weights import LaneWeights
from laneway.probe.summary import ProbeSummary
from laneway.rows import Row
from laneway.units import counted

PROBE = "lane-rates"
"""The probe of laneway-bench; what it measures is in docs/calibration.md."""

SLOW = 0.85
"""The share of the fastest lane's rate below which a lane is slower than it."""

_STEPS = 20
"""The weight of the fastest lane: weights are as exact as measured rates are, to 5%."""

_TWO_ENDS = 2
"""Nodes of which there is no telling which one is slow."""

_AS_FAST = 0.96
"""The share of the fastest lane's rate from which on a lane is as fast."""


@dataclass(frozen=True)
class LaneRates:
    """The rates of lanes, in bytes a second, by node and lane."""

    rates: Mapping[tuple[int, int], float]
    names: Sequence[str] = ()
    """The names of the nodes, by number; where there are none, their numbers are their names."""

    @classmethod
    def of(cls, cases: Sequence[ProbeSummary], names: Sequence[str] = ()) -> LaneRates | None:
        """The rates that pairs of nodes with these names show; None where nothing was sent.

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
        return cls(rates, names) if rates else None

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
    def weights(self) -> LaneWeights:
        """The weights by which shares follow the rates: 2:1, or 20:20,node2=20:2.

        Nodes that lose nothing by what each lane carries on the node where it is slowest have
        these weights. There is no telling which of two nodes is slow.
        """
        least = self._steps(self.by_lane)
        nodes = sorted({node for node, _ in self.rates})
        if len(nodes) == _TWO_ENDS:
            return LaneWeights(self.weights_of_lanes)
        return LaneWeights.of_rows({self._name(node): self._row(node, least) for node in nodes})

    @property
    def weights_of_lanes(self) -> tuple[int, ...]:
        """The weights of lanes where each has one on all nodes, as on the slowest."""
        steps = self._steps(self.by_lane)
        return LaneWeights.of_rows({"": steps if any(steps) else (1,) * len(steps)}).usual

    def _row(self, node: int, least: tuple[int, ...]) -> tuple[int, ...]:
        own = self._steps([self.rates[node, lane] for lane in range(len(least))])
        carried = [share / each for share, each in zip(least, own, strict=True) if each]
        is_enough = max(carried, default=0) * sum(own) * SLOW < sum(least)
        return least if is_enough else own if any(own) else (1,) * len(own)

    def _steps(self, rates: Sequence[float]) -> tuple[int, ...]:
        """Weights as exact as measured rates are; a lane that is hardly slower is as fast."""
        shares = (rate / self.fastest for rate in rates)
        return tuple(round(_STEPS * (1 if share > _AS_FAST else share)) for share in shares)

    def _name(self, node: int) -> str:
        return self.names[node] if node < len(self.names) else str(node)

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
            f"`lanes {len(self.by_lane)} weights {self.weights}` in a profile, as `laneway probe "
            f"{PROBE} --install` does."
        )


def names_of_nodes(rows: Iterable[Row]) -> list[str]:
    """The hosts of a job, in the order of their first ranks: so nodes are numbered."""
    environments = (row for row in rows if row["kind"] == "environment")
    return [*dict.fromkeys(next(environments, {"hosts": ()})["hosts"])]
