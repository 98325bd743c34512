# SPDX-License-Identifier: BSD-3-Clause
"""The lane pattern between other nodes than the next, which the paper mentions and does not print.

The paper's pattern is a ring: each node sends to the next one. Here two nodes exchange, or each
node exchanges with both neighbours, or with all others in turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from laneway.rows import NATIVE
from laneway.simulation.machine import Machine
from laneway.units import INT
from laneway_studies.papers.multilane.tables import SYSTEMS, full_size
from laneway_studies.simulated import LaneExchange, of_lanes
from laneway_studies.study import Section, SimulatedPoint, StudyPart

RING = "lane-pattern"


@dataclass(frozen=True)
class NodesJoined:
    """A probe, and which nodes exchange."""

    between: str
    """The pattern of laneway-simulate."""
    words: str
    steps: int
    """Repetitions that are simulated: a step is alike in all of them."""


PROBES = {
    RING: NodesJoined("next", "to the next node", 10),
    "lane-pairs": NodesJoined("pairs", "two nodes exchange", 10),
    "lane-both": NodesJoined("both", "with both neighbours at once", 10),
    "lane-all": NodesJoined("all", "to all nodes in turn", 1),
}
"""The probes that are compared; the paper has the first one alone."""

MULTIPLES = (1, 10, 1000)
"""The numbers of processes, times which a count is simulated."""

_SAID = (
    "The paper has experimented with other patterns than its ring to the next node, and prints "
    "none. Here are some, as bytes a second that a node sends by k processes. Over the ring's, "
    "that is less than 1 where lanes or the network suffer from the pattern."
)


def points(machine: Machine) -> Iterator[SimulatedPoint]:
    """Each pattern with k = 1, 2, 4 ... processes of a node, for three lengths."""
    nodes, ppn = full_size(SYSTEMS[machine.name])
    for probe, joined in PROBES.items():
        for multiple in MULTIPLES:
            count = nodes * ppn * multiple
            for lanes in (2**power for power in range(ppn.bit_length())):
                exchange = LaneExchange(joined.between, lanes, joined.steps)
                messages = {"both": 2, "all": nodes - 1}.get(joined.between, 1) * joined.steps
                yield of_lanes(exchange, count, (ppn,) * nodes, machine, **_facts(
                    probe, count, lanes, messages))  # fmt: skip


def _facts(probe: str, count: int, lanes: int, messages: int) -> Mapping[str, Any]:
    """The keys of a measured row of the probe."""
    return {
        "kind": "probe",
        "probe": probe,
        "collective": "sendrecv",
        "algorithm": NATIVE,
        "bytes": INT * count,
        "communicator": "world",
        "virtual_lanes": lanes,
        "inner_repetitions": 1,
        "repetition": 0,
        "processes": 0,
        "network_bytes": [messages * INT * count // lanes] * lanes,
    }


_Where = tuple[int, int, int, int, int]
"""Nodes, processes a node, lanes, count, k."""


def sections(part: StudyPart) -> Iterator[Section]:
    """Bytes a second by pattern, count and k, each over those of the ring."""
    rates: dict[_Where, dict[str, float]] = defaultdict(dict)
    for probe in PROBES:
        for one in part.show(part.probes(probe)):
            key = one.key
            if one.bytes_per_second is not None:
                at = key.nodes, key.ppn, key.lanes or 0, key.count, key.virtual_lanes or 0
                rates[at][probe] = one.bytes_per_second
    compared = {at: own for at, own in rates.items() if {*own} - {RING}}
    if not compared:
        return
    yield Section(
        "The lane pattern between other nodes",
        [_SAID],
        table=[
            {
                "nodes": nodes,
                "ppn": ppn,
                "lanes": lanes,
                "count": count,
                "k": k,
                **{f"{joined.words}, GB/s": own[probe] / 1e9
                   for probe, joined in PROBES.items() if probe in own},
                **{f"{joined.words} / ring": own[probe] / own[RING]
                   for probe, joined in PROBES.items()
                   if probe != RING and probe in own and RING in own},
            }
            for (nodes, ppn, lanes, count, k), own in sorted(compared.items())
        ],
    )  # fmt: skip
