# SPDX-License-Identifier: BSD-3-Clause
"""The bounds on the time of a simulated call: its critical path, and its busiest lane and link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from laneway.rows import Row
from laneway.simulation import program
from laneway.simulation.machine import Machine
from laneway.simulation.native import Native
from laneway.simulation.program import Call

PARTS = {
    "lane": "lanes",
    "link": "links between them",
    "latency": "latency",
    "node": "memory of the nodes",
    "handshake": "handshakes of long messages",
    "overhead": "work for messages",
    "reduce": "reductions",
    "copy": "copies",
    "pack": "packing",
}
"""Parts of a critical path in words."""

LOADS = ("collective", "algorithm", "count", "bytes", "kind", "name", "messages", "busy")
"""The columns of a table of loads."""


def in_words(found: Mapping[str, Any]) -> str:
    """The parts of a row's time, the largest first; then the busiest lane and link."""
    parts = sorted(found["bound_by"].items(), key=lambda part: -part[1])
    whole = sum(time for _, time in parts)
    told = [f"{PARTS[name]} {100 * time / whole:.0f}%" for name, time in parts if whole]
    return "; ".join(
        [
            f"bound by {', '.join(told)}" if told else "takes no time",
            *(
                f"busiest {kind}: {busiest['name']}, {100 * busiest['busy']:.0f}% of the time"
                for kind in ("lane", "link")
                if (busiest := found.get(f"busiest_{kind}")) and busiest["messages"]
            ),
        ]
    )


def loads(call: Call, machine: Machine, library: Native | None = None) -> Iterator[Row]:
    """The load of each lane and each link in a call, with the columns of LOADS.

    `library` serves `native` and components, if there is one.
    """
    of_library = library.options if library else {}
    asked = {**call.options, **machine.options, **of_library, "loads": "yes"}
    for row in program.lines("time", asked):
        if row["kind"] in ("lane", "link"):
            of = {name: getattr(call, name) for name in ("collective", "algorithm", "count")}
            yield {name: {**of, **row}[name] for name in LOADS}
