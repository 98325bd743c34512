# SPDX-License-Identifier: BSD-3-Clause
"""The command that runs a program by a profile, in the place where the profile was measured."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from laneway.cluster.spec import MADE_FOR_IT, ClusterSpec, format_rate
from laneway.rows import Key, Row

_Place = tuple[str, int, int, int | None, str | None]
"""Library, nodes, processes a node, lanes and binding; None: any."""


class Environments:
    """Which jobs measured what, as their rows of kind `environment` tell."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._of: dict[_Place, Row] = {}
        for row in rows:
            if {"nodes", "ppn"} <= row.keys():
                shape = (row["library"], row["nodes"], row["ppn"])
                binding = (row.get("launched") or {}).get("binding")
                self._of.setdefault((*shape, _lanes(row), binding), row)
                self._of.setdefault((*shape, None, None), row)

    def of(self, key: Key) -> Row:
        """The job that measured a case, or another one of that shape; empty where none did."""
        shape = (key.library, key.nodes, key.ppn)
        exact = self._of.get((*shape, key.lanes, key.binding))
        return exact or self._of.get((*shape, None, None), {})


def _lanes(row: Row) -> int | None:
    told = str(row["settings"].get("LANEWAY_LANES", ""))
    return int(told) if told.isdecimal() else None


def is_virtual(environment: Row) -> bool:
    """Whether the nodes of a job were virtual ones."""
    return "LANEWAY_NODE_SIZE" in environment.get("settings", ())


def command(environment: Row, nodes: int, ppn: int, profile: str) -> str:
    """How to run a program by a profile where a job of such an `environment` ran.

    Where little is known of it, as of rows of other benchmarks, by mpirun.
    """
    cluster = environment.get("cluster")
    known = ["laneway", "cluster", "run", "--ppn", str(ppn), "--"] if cluster else None
    start = environment.get("started") or known or ["mpirun", "-np", str(nodes * ppn)]
    virtual = ["--node-size", str(ppn)] if is_virtual(environment) else []
    run = ["laneway", "exec", *virtual, "--profile", profile, "--", *start, "./app"]
    commands = [run]
    if cluster and str(cluster.get("name", "")).startswith(MADE_FOR_IT):  # and taken down since
        commands.insert(0, ["laneway", "cluster", "up", *_asked(cluster)])
    return " && ".join(map(shlex.join, commands))


def _asked(cluster: Mapping[str, Any]) -> Iterator[str]:
    """The options by which `laneway cluster up` makes such a cluster, by the usual name."""
    usual = ClusterSpec()
    if cluster["nodes"] != usual.nodes:
        yield from ("--nodes", str(cluster["nodes"]))
    if cluster["lanes"] != usual.lanes:
        yield from ("--lanes", str(cluster["lanes"]))
    if cluster["rate"] != usual.rate:
        yield from ("--rate", format_rate(cluster["rate"]))
