# SPDX-License-Identifier: BSD-3-Clause
"""The cases: both collectives by all algorithms, ranks dealt out each way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from laneway.campaign import Plan
from laneway.launching.allocation import CLUSTER_PPN, Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.plans import comparison
from laneway.plans.comparison import Arm
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway_studies.simulated import of_call
from laneway_studies.study import Asked, Effort, SimulatedPoint

ALGORITHMS = {"linear": "linear", "pipeline": "chain", "binary": "binary"}
"""The study's names, and ours."""

BY_RANK = "(order=0)"
"""The study's algorithms know no nodes: trees and chains follow the ranks."""

COLLECTIVES = {"bcast": "Broadcast", "reduce": "Reduction"}

BY_SOCKET, BY_NODE, BY_CORE = "socket", "node", "core"

ALLOCATIONS = {BY_SOCKET: ("node", "socket"), BY_NODE: ("cyclic",)}
"""The study's allocations, and placements of ours: by socket, ranks fill a node before the next.
If there are ranks that go round the sockets of a node, those of placement `node` are by core. They
fill socket after socket, which the study does not have."""


@dataclass(frozen=True)
class Placed:
    """How ranks are dealt out to nodes and sockets."""

    placement: str
    size: int | None = None
    """Processes that fill a socket."""
    sockets: int | None = None
    """Sockets of a node that ranks go round."""


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """Both collectives by all algorithms, ranks dealt out each way."""
    most, cores, sockets = max(asked["process-counts"]), asked["cores"], asked["sockets"]
    all_nodes = -(-most // cores)
    for collective in COLLECTIVES:
        for algorithm in ALGORITHMS.values():
            for p in asked["process-counts"]:
                full, rest = divmod(p, cores)
                filled = (cores,) * full + ((rest,) if rest else ())
                dealt = tuple(len(range(node, p, all_nodes)) for node in range(min(p, all_nodes)))
                for nodes, where in (
                    (filled, Placed("node", size=-(-cores // sockets) if sockets > 1 else None)),
                    *([(filled, Placed("socket", sockets=sockets))] if sockets > 1 else ()),
                    (dealt, Placed("cyclic")),
                ):
                    for count in asked["sizes"]:
                        call = Call(
                            collective,
                            f"{algorithm}{BY_RANK}",
                            count,
                            nodes,
                            "byte",
                            placement=where.placement,
                            socket_size=where.size,
                            sockets=where.sockets,
                        )
                        yield of_call(call, machine)


def places(wanted: Wanted, _asked: Asked) -> list[Wanted]:
    """All numbers of processes a node up to that asked for, ranks dealt out both ways."""
    most = wanted.ppn or CLUSTER_PPN
    numbers = sorted({*(2**power for power in range(most.bit_length())), most})
    placements = ("node", "cyclic") if wanted.placement == "node" else (wanted.placement,)
    return [
        replace(wanted, ppn=ppn, placement=placement) for placement in placements for ppn in numbers
    ]


def plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, asked: Asked
) -> dict[str, Plan]:
    """One campaign; nothing is warmed up, so that what warming up does is in the samples."""
    algorithms = [f"{name}{BY_RANK}" for name in ALGORITHMS.values()]
    arms = [
        Arm(setting, algorithms)
        for setting in settings
        # Virtual nodes have consecutive ranks, whatever is asked for.
        if setting.place.cluster or setting.place.real or setting.place.placement == "node"
    ]
    plan = comparison.ComparisonPlan(
        build=build,
        arms=arms,
        collectives=tuple(COLLECTIVES),
        counts=(),
        sizes=asked["sizes"],
        datatype="byte",
        others={"warmup": ("0",)},
        **{**effort, "op": "bxor"},
    )
    return {"latency": plan}
