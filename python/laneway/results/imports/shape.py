# SPDX-License-Identifier: BSD-3-Clause
"""Where the processes of a table ran: the Intel MPI Benchmarks time a job's first 2, 4, 8 ones.

Launchers fill one node after the other unless they are told otherwise, and so it is taken here. A
table of 6 processes in a job of 4 a node ran on 4 and 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from laneway.results.imports.table import TableEntry
from laneway.units import counted


@dataclass(frozen=True)
class ImportedShape:
    """Nodes, and processes on each; None where they are not known."""

    ranks: int | None
    nodes: int | None = None
    ppn: int | None = None
    """Processes of the fullest node."""
    unequal: str | None = None
    """Processes of each node, where they differ: 4,2."""
    why_unknown: str = ""
    """Why the nodes are not known, though the job's are."""

    @classmethod
    def of(
        cls, entry: TableEntry, entries: Iterable[TableEntry], about: Mapping[str, Any]
    ) -> ImportedShape:
        """Where an entry, one of the `entries` of a job, was timed.

        `about` has `nodes` and `ppn` of the job; the largest table tells one that is missing.
        """
        nodes, ppn = about["nodes"], about["ppn"]
        ranks = _ranks(entry)
        most = max((_ranks(each) or 0) * int(each.more.get("groups", 1)) for each in entries)
        if most and nodes and not ppn and most % nodes == 0:
            ppn = most // nodes
        elif most and ppn and not nodes and most % ppn == 0:
            nodes = most // ppn
        if not nodes or not ppn:
            return cls(ranks, *((None, None) if ranks else (nodes, ppn)))
        if ranks in (None, nodes * ppn):
            return cls(nodes * ppn, nodes, ppn)
        return cls._part(entry, ranks, nodes, ppn)

    @classmethod
    def _part(cls, entry: TableEntry, ranks: int, nodes: int, ppn: int) -> ImportedShape:
        """The shape of the first `ranks`, or groups of so many, of a job on `nodes` x `ppn`."""
        whole, rest = divmod(ranks, ppn)
        if ranks * int(entry.more.get("groups", 1)) > nodes * ppn:
            job = f"{counted(nodes, 'node')} x {ppn}"
            return cls(ranks, why_unknown=f"nodes unknown: {ranks} processes are more than {job}")
        if not entry.in_order:
            return cls(ranks, why_unknown="nodes unknown: -map has changed the order of processes")
        if "groups" in entry.more and rest and ppn % ranks:
            return cls(ranks, why_unknown=f"nodes unknown: groups of {ranks}, {ppn} a node")
        if not whole:
            return cls(ranks, 1, ranks)
        if not rest:
            return cls(ranks, whole, ppn)
        return cls(ranks, whole + 1, ppn, ",".join(map(str, [*[ppn] * whole, rest])))


def _ranks(entry: TableEntry) -> int | None:
    found = entry.more.get("ranks")
    return None if found is None else int(found)
