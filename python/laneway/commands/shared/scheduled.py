# SPDX-License-Identifier: BSD-3-Clause
"""A schedule for the terminal, as `laneway explain schedule` prints it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from rich.table import Table

from laneway import collectives
from laneway.collectives import of_layout
from laneway.simulation.program import in_words
from laneway.simulation.schedule import Schedule
from laneway.units import counted, ratio, size

_STEP = 56
"""Columns of a step, so that its table has 80."""


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "step" else "right", no_wrap=True)
    return table


def title(schedule: Schedule) -> str:
    """The title: the call, its bytes and its shape."""
    call = schedule.call
    shape = f"{in_words(call.nodes)}, {counted(schedule.lanes, 'lane')}"
    what = f"{call.collective}{of_layout(call.layout_name)}"
    amount = size(schedule.costs["bytes"])
    return f"{what}, {call.algorithm}: {amount}, {shape}"


def table(schedule: Schedule, rank: int | None) -> Table:
    """The steps of a rank, or the rounds of all ranks where none is asked for."""
    return _rounds(schedule) if rank is None else _steps(schedule)


def _rounds(schedule: Schedule) -> Table:
    """A table with a line a round."""
    found = _table("round", "messages", "on lanes", "bytes on lanes", "bytes inside nodes")
    for row in schedule.rounds:
        found.add_row(
            *(str(row[name]) for name in ("round", "messages", "on_lanes")),
            *(size(row[name]) for name in ("lane_bytes", "inside_bytes")),
        )
    return found


def _steps(schedule: Schedule) -> Table:
    """A table with a line a step of one rank, with its segment where there are several."""
    segments = any(row["strand"] for row in schedule.steps)
    found = _table(*["segment"] * segments, "step", "bytes", "round")
    for row in schedule.steps:
        found.add_row(
            *[str(row["strand"] - 1) if row["strand"] else "-"] * segments,
            textwrap.fill(_words(row), _STEP, subsequent_indent="  "),
            size(row["bytes"]) if "bytes" in row else "",
            str(row.get("round", "")),
        )
    return found


def _words(row: dict[str, Any]) -> str:
    """A step in prose."""
    match row["step"]:
        case "send" | "receive" as step:
            way = "" if row["lane"] is None else f", lane {row['lane']}"
            return f"{step} {'to' if step == 'send' else 'from'} {row['peer']}{way}"
        case "wait":
            sides = {
                side: [*_together(peer for kind, peer in row["for"] if kind == kinds)]
                for kinds, side in (("receive", "from"), ("send", "to"))
            }
            return "wait: " + "; ".join(
                f"{side} {', '.join(peers)}" for side, peers in sides.items() if peers
            )
        case "fork" | "join" as step:
            return f"segment {row['other'] - 1} {'begins' if step == 'fork' else 'has ended'}"
    return str(row["step"])


def _together(peers: Iterable[int]) -> Iterator[str]:
    """Each rank once, with its number of occurrences; of a row of ranks, the first and the last."""
    rows: list[tuple[int, int, int]] = []
    for peer, times in sorted(Counter(peers).items()):
        if rows and (peer, times) == (rows[-1][1] + 1, rows[-1][2]):
            rows[-1] = rows[-1][0], peer, times
        else:
            rows.append((peer, peer, times))
    for first, last, times in rows:
        each = f" (x{times})" if times > 1 else ""
        if last - first < 2:
            yield from (f"{peer}{each}" for peer in range(first, last + 1))
        else:
            yield f"{first}-{last}{each}"


_HEARD = {
    collectives.TO_ALL: "those that have heard of the root",
    collectives.TO_ONE: "those that the root has heard of",
    collectives.IN_ORDER: "those that the last rank has heard of",
    collectives.AMONG_ALL: "those that a process has heard of",
}


def sums(schedule: Schedule) -> Iterator[str]:
    """Lines about the costs of a schedule, and the least that they could be."""
    costs = schedule.costs
    sent = f"{counted(costs['rounds'], 'round')}, {counted(costs['messages'], 'message')}"
    yield (
        f"{sent}; a process sends or receives at most {costs['process_messages']} with "
        f"{size(costs['process_bytes'])}, and takes "
        f"{size(costs['scratch_bytes'])} of temporary memory."
    )
    yield (
        f"At most {size(costs['lane_bytes'])} on a lane, {size(costs['node_bytes'])} on all lanes "
        f"of a node, {size(costs['inside_bytes'])} within a node."
    )
    steps = counted(costs["unit_steps"], "step")
    yield (
        f"In the k-lane model it takes {steps}. In a step, a lane carries one message out and one "
        "in, and processes of a node give each other one."
    )
    least = schedule.least_lane_bytes
    if least:
        yield (
            f"Whatever is done, a lane must carry {size(least)}: this carries "
            f"{ratio(costs['lane_bytes'] / least)} times as much on the busiest."
        )
    if least := schedule.least_rounds:
        name = schedule.call.collective
        regular = collectives.REGULAR.get(name, name)
        heard = next(words for kind, words in _HEARD.items() if regular in kind)
        fewer = " Here, several at once are one round." if costs["rounds"] < least else ""
        yield (
            f"If a process sends one message at a time, {counted(least, 'round')} at least: "
            f"{heard} at most double in each.{fewer}"
        )
