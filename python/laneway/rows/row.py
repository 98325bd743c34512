# SPDX-License-Identifier: BSD-3-Clause
"""One row: a JSON object on a line of laneway-bench's output; and summaries of a file of rows."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from laneway.collectives import of_layout
from laneway.rows.kinds import CountersRow, NoteRow, of_kind
from laneway.units import counted

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
"""One object; its key `kind` names its kind: environment, sample, note, error, counters, ..."""

NESTED = (list, dict)
"""Values that have no place in a table."""

NOT_AXES = frozenset(
    (
        "kind", "run", "launch", "block", "task", "repetition", "repetitions", "served_by", "delay",
        "time_us", "min_us", "max_us", "mean_us", "fastest_us", "skew_us", "last_us", "late",
        "planned_skew_us", "source", "point", "inferred",
        "stand_in", "longest",
    )
)  # fmt: skip
"""Keys of a sample that were measured or tell its place in the campaign. Every other key was set,
and tells apart cases that may not be compared."""


def parse(line: str) -> Row | None:
    """The row on a line; None where the line holds none, as the last one of a killed job."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and isinstance(row.get("kind"), str) else None


def share_done(progress: Row) -> float:
    """The share of its work that a job has done, by a row about its progress: 1 in the last one."""
    return float(progress["done"] / progress["total"]) if progress["total"] else 1.0


def read(lines: Iterable[str]) -> Iterator[Row]:
    """The rows among lines."""
    return (row for row in map(parse, lines) if row is not None)


def complete(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows that count: those of complete blocks, and those that belong to no block."""
    done = {(row["launch"], row["block"]) for row in rows if row["kind"] == "block"}
    return (row for row in rows if "block" not in row or (row["launch"], row["block"]) in done)


def frame(samples: Iterable[Row]) -> pl.DataFrame:
    """One line a sample, one column a key of the rows; nested values are left out."""
    import polars as pl

    table = pl.DataFrame([*samples], infer_schema_length=None)
    return table.drop([name for name, kind in table.schema.items() if kind.is_nested()])


def describe(row: Mapping[str, Any]) -> str:
    """A row of kind note or error in prose."""
    return f"{_case(row)}: {row['message']}"


def _case(row: Mapping[str, Any]) -> str:
    laid_out = of_layout(row.get("layout"))
    return f"{row['collective']} {row['count']}{laid_out}, {row['algorithm']}"


LEFT_OUT = "left out: dropped in run 1"
"""The note in other runs about an algorithm that the first run has dropped."""


def notes(rows: Iterable[Row]) -> list[str]:
    """The notes, each one once, with the number of runs that have it.

    An algorithm that the first run has dropped has one note, with the number of runs without it.
    """
    found = [*of_kind(rows, NoteRow)]
    seen = Counter(describe(row) for row in found if row["message"] != LEFT_OUT)
    without: dict[str, set[int]] = defaultdict(set)  # a run that was started anew says it again
    for row in found:
        if row["message"] == LEFT_OUT:
            without[_case(row)].add(row["run"])
    told = {describe(row): len(without[_case(row)]) for row in found if _is_drop(row)}
    return [
        f"{note} ({counted(runs, 'run')}"
        f"{f', left out of the other {told[note]}' if told.get(note) else ''})"
        for note, runs in seen.items()
    ]


def _is_drop(row: NoteRow) -> bool:
    return row["message"].startswith("dropped:")


def lane_use(rows: Iterable[Row]) -> list[str]:
    """The lanes' traffic by the kernel's counters: a line for each number of lanes and binding."""
    sent: dict[tuple[int | None, str], list[int]] = {}
    drops: Counter[tuple[int | None, str]] = Counter()
    for row in of_kind(rows, CountersRow):
        key = row["lanes"], row["binding"]
        by_lane = [sum(lane) for lane in zip(*row["tx_bytes"], strict=True)]
        before = sent.get(key, [0] * len(by_lane))
        sent[key] = [*map(sum, zip(before, by_lane, strict=True))]
        drops[key] += sum(map(sum, row["drops"]))
    told = []
    for (lanes, binding), carried in sent.items():
        total = max(1, sum(carried))
        shares = ", ".join(f"lane{i} {100 * own / total:.0f}%" for i, own in enumerate(carried))
        told.append(
            f"lanes {lanes}, binding {binding}: {shares} of {total / 1e6:.0f} MB sent, "
            f"{drops[lanes, binding]} packets dropped"
        )
    return told
