# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms that the first run has dropped as hopeless are left out of the other runs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from laneway.campaign.task import Block
from laneway.rows import LEFT_OUT, Row

NOTED = ("block", "collective", "algorithm", "layout", "count", "datatype", "bytes")
"""The keys of a case that a note repeats."""


class FirstRun:
    """How the first run ended for each algorithm of each block, as its rows come."""

    def __init__(self) -> None:
        self._coming: dict[tuple[int, str], dict[str, Row]] = defaultdict(dict)
        self._known: dict[tuple[str, str], dict[str, Row]] = {}

    def see(self, row: Row) -> None:
        """Takes a row in; the rows of a block count once its last one has come."""
        if row.get("run") != 1 or "block" not in row:
            return
        if row["kind"] == "averages":
            self._coming[row["launch"], row["block"]][row["algorithm"]] = row
        elif "algorithm" in row:  # one that was wrong, say, is tried again
            self._coming[row["launch"], row["block"]].setdefault(row["algorithm"], row)
        elif row["kind"] == "block":
            own = self._coming.pop((row["launch"], row["block"]), {})
            self._known[row["task"], row["block"]] = own

    def rest(self, task: str, block: Block) -> tuple[Block, list[Row]]:
        """The part of a task's block left for later runs, and a note on each algorithm left out."""
        last = self._known.get((task, block.id), {})
        dropped = [name for name, row in last.items() if row.get("stopped_by") == "dropped"]
        if not dropped:
            return block, []
        left = [name for name in last if name not in dropped]
        notes = [
            {
                "kind": "note",
                **{key: last[name][key] for key in NOTED if key in last[name]},
                "message": LEFT_OUT,
            }
            for name in dropped
        ]
        return replace(block, options={**block.options, "algorithm": ",".join(left)}), notes
