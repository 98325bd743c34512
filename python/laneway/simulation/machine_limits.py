# SPDX-License-Identifier: BSD-3-Clause
"""Limits of a simulated machine: laneway-simulate counts no further."""

from __future__ import annotations

from laneway.modelling.lane_weights import LaneWeights

MOST_LANES = 1024
MOST_NODES = 2**24
MOST_LINKS = 2**26
"""Links between lanes, both directions of each."""

LONGEST = 3600.0
"""Seconds that anything may take."""

LEAST_RATE, MOST_RATE = 1e3, 1e15
"""Rates in bytes a second."""


def weights_of_lanes(text: str) -> str:
    """The weights of lanes in a text such as 2:1, or 10:10,1=10:1. Raises ValueError for another.

    Nodes are named by their numbers.
    """
    weights = LaneWeights.parse(text)
    if weights.lanes > MOST_LANES:
        raise ValueError(f"at most {MOST_LANES} lanes")
    for node in weights.of_nodes:
        if not (node.isdecimal() and node == str(int(node)) and int(node) < MOST_NODES):
            raise ValueError(f"{node!r} is no number of a node")
    return str(weights)
