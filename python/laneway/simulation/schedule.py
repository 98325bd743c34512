# SPDX-License-Identifier: BSD-3-Clause
"""The costs of an algorithm: rounds, messages, bytes on lanes, by its recorded schedule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from laneway.collectives import EQUAL
from laneway.errors import Misuse
from laneway.modelling.crossing import Crossing
from laneway.modelling.floor import collective_bytes
from laneway.modelling.lane_weights import LaneWeights
from laneway.rows import Row
from laneway.simulation import program
from laneway.simulation.program import Call, unequal


@dataclass(frozen=True)
class Schedule:
    """The schedule of a call, as laneway-simulate explains it."""

    call: Call
    lanes: int
    costs: Row
    rounds: list[Row] = field(default_factory=list)
    messages: list[Row] = field(default_factory=list)
    steps: list[Row] = field(default_factory=list)
    weights: LaneWeights | None = None
    """How much each lane carries in the time of the others; None: they are alike."""

    @cached_property
    def least_lane_bytes(self) -> int | None:
        """Bytes that the busiest lane must carry, whatever is done; None where no formula says.

        Where lanes are not alike, it is the one that carries most, of what all carry together.
        """
        if self.weights and self.weights.of_nodes:
            return None
        if self.weights:
            alone = replace(self, lanes=1, weights=None).least_lane_bytes
            return alone and -(-alone * self.weights.most // sum(self.weights.usual))
        if self.call.layout != EQUAL:
            crossing = Crossing.of_row(self.costs)
            return -(-crossing.bytes // self.lanes) if crossing else None
        return collective_bytes(
            self.call.collective,
            self.costs["bytes"],
            processes=self.call.nodes,
            lanes=self.lanes,
            binding="lane",
        )

    @property
    def least_rounds(self) -> int | None:
        """Rounds at least, if a process sends one message at a time; None where nothing is sent.

        The processes that have heard of one, as the root of a broadcast, at most double in each
        round. Those that one has heard of do, too: log p, rounded up.
        """
        if self.call.layout != EQUAL:
            return None  # processes without data need not hear of anything
        ranks = sum(self.call.nodes)
        moves = self.costs["bytes"] or self.call.collective == "barrier"
        return (ranks - 1).bit_length() if moves and ranks > 1 else None

    def row(self) -> Row:
        """Everything but rounds, messages and steps, for `--json`."""
        costs = {name: value for name, value in self.costs.items() if name != "needs"}
        return {
            **costs,
            "collective": self.call.collective,
            "algorithm": self.call.algorithm,
            "count": self.call.count,
            **({"layout": self.call.layout_name} if self.call.layout_name else {}),
            "datatype": self.call.datatype,
            "nodes": len(self.call.nodes),
            "ppn": max(self.call.nodes),
            "unequal": unequal(self.call.nodes),
            "lanes": self.lanes,
            "root": self.call.root,
            "components": self.call.components,
            "socket_size": self.call.socket_size,
            "least_lane_bytes": self.least_lane_bytes,
            "least_rounds": self.least_rounds,
        }


def explain(
    call: Call,
    lanes: int,
    *,
    rank: int | None = None,
    messages: bool = False,
    weights: str | None = None,
) -> Schedule:
    """The schedule of a call, with the steps of a rank and all messages where they are asked for.

    Raises Misuse where the algorithm doesn't serve that call.
    """
    options: Mapping[str, Any] = {
        **call.options,
        "lanes": str(lanes),
        **({"lane-weights": weights} if weights else {}),
        "rounds": "yes",
        **({"messages": "yes"} if messages else {}),
        **({"rank": str(rank)} if rank is not None else {}),
    }
    found: dict[str, list[Row]] = {"costs": [], "round": [], "message": [], "step": []}
    for row in program.lines("explain", options):
        found[row["kind"]].append(row)
    (costs,) = found["costs"]
    if not call.is_served(costs):
        raise Misuse(f"{call.algorithm} does not serve this call: it needs {costs['needs']}")
    of_each = LaneWeights.parse(weights) if weights else None
    return Schedule(call, lanes, costs, found["round"], found["message"], found["step"], of_each)
