# SPDX-License-Identifier: BSD-3-Clause
"""A trace of the ranks and lanes of a simulated machine, for others' viewers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from laneway.errors import Misuse
from laneway.rows import Row
from laneway.simulation import program
from laneway.simulation.machine import Machine
from laneway.simulation.native import Native
from laneway.simulation.program import Call


@dataclass(frozen=True)
class Trace:
    """A call on the simulated clock, in microseconds."""

    call: Call
    machine: Machine
    library: Native | None
    """The library that serves `native` and components; None: there is none."""
    time_us: float
    steps: Sequence[Row]
    """The ranks' steps by rank and strand, each with `began_us` and `ended_us`."""
    passages: Sequence[Row]
    """Messages on lanes: `comes` says whether on the lane of their receiver."""


def _check(call: Call, result: Row, most: int | None) -> None:
    """Raises Misuse where a call cannot be shown."""
    if not call.is_served(result):
        raise Misuse(f"{call.algorithm} does not serve this call: it needs {result['needs']}")
    if most is not None and result["messages"] > most:
        raise Misuse(
            f"{result['messages']} messages are too many for a drawing, which shows {most}: take "
            "fewer processes or a shorter message, or --chrome-trace, which has a viewer"
        )


def trace(
    call: Call, machine: Machine, library: Native | None = None, most: int | None = None
) -> Trace:
    """The trace of a call by simulation. `library` serves `native` and components.

    Raises Misuse where the algorithm does not serve the call, or sends more than `most` messages.
    """
    options = {**call.options, **machine.options, **(library.options if library else {})}
    found: dict[str, list[Row]] = {"result": [], "step": [], "passage": []}
    with closing(program.lines("time", {**options, "trace": "yes"})) as lines:
        for row in lines:
            if row["kind"] == "result":  # comes first
                _check(call, row, most)
            found[row["kind"]].append(row)
    (result,) = found["result"]
    return Trace(call, machine, library, result["time_us"], found["step"], found["passage"])


def chrome(found: Trace) -> str:
    """The trace in Chrome's Trace Event Format, which Perfetto and chrome://tracing read.

    Nodes are the format's processes and ranks its threads; segments of a rank under way at once,
    and lanes, are threads of their own.
    """
    events: list[Row] = []
    threads: dict[tuple[int, str], int] = {}

    def thread(node: int, name: str, order: int) -> int:
        if (node, name) not in threads:
            threads[node, name] = number = len(threads) + 1
            for kind, told in (
                ("thread_name", {"name": name}),
                ("thread_sort_index", {"sort_index": order}),
            ):
                events.append({"ph": "M", "pid": node, "tid": number, "name": kind, "args": told})
        return threads[node, name]

    for node in range(len(found.call.nodes)):
        named = {"name": f"node {node}"}
        events.append({"ph": "M", "pid": node, "name": "process_name", "args": named})
    strands = 1 + max((step["strand"] for step in found.steps), default=0)
    for step in found.steps:
        rank, strand = step["rank"], step["strand"]
        name = f"rank {rank}" + (f", segment {strand - 1}" if strand else "")
        number = thread(step["node"], name, rank * strands + strand)
        to = f" to {step['peer']}" if "peer" in step else ""
        args = {"bytes": step["bytes"]} if "bytes" in step else {}
        events.append(_event(step, number, step["step"] + to, args))
    last = sum(found.call.nodes) * strands
    for each in found.passages:
        way = "in" if each["comes"] else "out"
        place = last + 2 * each["lane"] + each["comes"]
        number = thread(each["node"], f"lane {each['lane']} {way}", place)
        name = f"{each['from']} to {each['to']}"
        events.append(_event(each, number, name, {"bytes": each["bytes"]}))
    facts = {
        "machine": found.machine.name,
        "simulated": True,
        **found.call.options,
        **({"native": found.library.name} if found.library else {}),
    }
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": facts})


def _event(row: Row, thread: int, name: str, args: Row) -> Row:
    """A complete event: its times are in microseconds."""
    return {
        "ph": "X",
        "pid": row["node"],
        "tid": thread,
        "name": name,
        "ts": row["began_us"],
        "dur": round(row["ended_us"] - row["began_us"], 6),
        "args": args,
    }
