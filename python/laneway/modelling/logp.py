# SPDX-License-Identifier: BSD-3-Clause
"""The least time that messages between nodes take, however few bytes they carry.

The LogP model of nodes with several lanes. A message needs `latency` from its start on a lane to
its end on another node. A lane starts one, and receives one, every `gap` at most. On a node,
everybody knows everything at once. Messages may be of any size, carry whatever their sender knows
and be passed on: so no algorithm is faster.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from laneway.collectives import AMONG_ALL, IN_ORDER, TO_ALL, TO_ONE


def spread_ns(lanes: Sequence[int], root: int, latency: int, gap: int) -> int:
    """The least time after which all nodes can know what node `root` knows at first.

    `lanes` are those that each node can use. After the same time at the earliest, `root` can know
    what each of the others knows at first: a schedule run backwards is one.

    A node that knows early can tell more. So at best everyone who knows starts a message on each of
    its lanes every `gap`. It goes to somebody who does not know, those with many lanes first. That
    is the optimal broadcast tree (Karp, Sahay, Santos and Schauser 1993), with several lanes.
    """
    others = sorted((own for node, own in enumerate(lanes) if node != root), reverse=True)
    arrivals = [(latency, lanes[root])]  # when the next messages of somebody arrive, and how many
    time = told = 0
    while told < len(others):
        time, at_once = heapq.heappop(arrivals)
        for own in others[told : told + at_once]:
            heapq.heappush(arrivals, (time + latency, own))
        told += at_once
        heapq.heappush(arrivals, (time + gap, at_once))
    return time


def collective_ns(collective: str, lanes: Sequence[int], latency: int, gap: int) -> int | None:
    """The least time of a collective among nodes with so many lanes, whatever its root is.

    None for a collective that is not known. The call has data: of nothing nobody need hear.
    """
    # Roots of as many lanes take the same time.
    times = [spread_ns(lanes, lanes.index(own), latency, gap) for own in {*lanes}]
    if collective in AMONG_ALL:
        return max(times)
    # The time holds whichever the nodes of the root, of the first rank and of the last are.
    return min(times) if collective in (*TO_ALL, *TO_ONE, *IN_ORDER) else None
