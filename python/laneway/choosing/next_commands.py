# SPDX-License-Identifier: BSD-3-Clause
"""The next commands after a measurement, for the place where it was made: use it, compare."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from laneway.cluster import pace
from laneway.cluster.spec import MADE_FOR_IT, ClusterSpec
from laneway.files import slug
from laneway.launching.allocation import CLUSTER_LANES
from laneway.launching.place import Place
from laneway.rows import CaseKey, Row

_Place = tuple[str, int, int, int | None, str | None]
"""Library, nodes, processes a node, lanes and binding; None: any."""


class Environments:
    """The jobs that measured each case, as their rows of kind `environment` tell."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._of: dict[_Place, Row] = {}
        for row in rows:
            if {"nodes", "ppn"} <= row.keys():
                ranks = row.get("ranks", row["nodes"] * row["ppn"])
                shape = (row["library"], row["nodes"], ranks)
                binding = (row.get("launched") or {}).get("binding")
                self._of.setdefault((*shape, _lanes(row), binding), row)
                self._of.setdefault((*shape, None, None), row)

    def of(self, key: CaseKey) -> Row:
        """The job that measured a case, or another one of that shape; empty where none did."""
        shape = (key.library, key.nodes, sum(key.processes))
        exact = self._of.get((*shape, key.lanes, key.binding))
        return exact or self._of.get((*shape, None, None), {})


def _lanes(row: Row) -> int | None:
    told = str(row["settings"].get("LANEWAY_LANES", ""))
    return int(told) if told.isdecimal() else None


def is_virtual(environment: Row) -> bool:
    """Whether the nodes of a job were virtual ones."""
    return "LANEWAY_NODE_SIZE" in environment.get("settings", ())


def command(environment: Row, nodes: int, ppn: int, *profiles: str) -> str:
    """How to run a program by profiles where a job of such an `environment` ran.

    Where little is known of the environment, as of rows of other benchmarks, by mpirun.
    """
    cluster = environment.get("cluster")
    known = ["laneway", "cluster", "run", "--ppn", str(ppn), "--"] if cluster else None
    start = environment.get("started") or known or ["mpirun", "-np", str(nodes * ppn)]
    virtual = ["--node-size", str(ppn)] if is_virtual(environment) else []
    named = [word for profile in profiles for word in ("--profile", profile)]
    run = ["laneway", "exec", *virtual, *named, "--", *start, "./app"]
    commands = [run]
    if cluster and str(cluster.get("name", "")).startswith(MADE_FOR_IT):  # and taken down since
        commands.insert(0, ["laneway", "cluster", "up", *_asked(cluster)])
    return " && ".join(map(shlex.join, commands))


def _asked(cluster: Mapping[str, Any]) -> Iterator[str]:
    """The options by which `laneway cluster up` makes such a cluster, under the usual name."""
    usual = ClusterSpec()
    if cluster["nodes"] != usual.nodes:
        yield from ("--nodes", str(cluster["nodes"]))
    if cluster["lanes"] != usual.lanes:
        yield from ("--lanes", str(cluster["lanes"]))
    if cluster.get("slots"):
        yield from ("--unequal", ",".join(map(str, cluster["slots"])))
    yield from pace.options(cluster)


def writing(sources: Sequence[Path], library: str | None, target: str) -> str:
    """The command that writes a profile of what is in `sources`, for one library of several."""
    chosen = () if library is None else ("--mpi", slug(library))
    words = ("laneway", "profile", "write", *map(str, sources), *chosen, "--output", target)
    return shlex.join(words)


def exporting(sources: Sequence[Path], library: str) -> str:
    """The command that writes a library's choice among its own algorithms, in its format."""
    form = ["ompi-dynamic-rules"]
    if not library.startswith("Open MPI"):
        form = ["mpich-csel", "--output", "collectives.json"]
    return shlex.join(["laneway", "export", *map(str, sources), "--format", *form])


def comparison(what: Sequence[str], place: Place, mpi: str) -> str:
    """The command that compares algorithms in a place; `what` are collectives and sizes."""
    ranks = ("--ppn", str(place.ppn))
    if place.unequal:
        ranks = ("--unequal", ",".join(map(str, place.processes)))
    shape = ("--nodes", str(place.nodes), *ranks, "--mpi", mpi)
    return shlex.join(["laneway", "compare", *what, *shape, *_there(place)])


def trying(collectives: Sequence[str], machine: str, place: Place, mpi: str) -> str:
    """The command that compares predictions for a machine with measurements in a place."""
    return comparison([*collectives, "--predict", machine], place, mpi)


def judging(sources: Sequence[Path]) -> str:
    """The command that says what the times in these folders confirm."""
    return shlex.join(["laneway", "verify", *map(str, sources)])


def importing(manifest: Mapping[str, Any]) -> str:
    """The command that repeats an import, together with the outputs of more jobs (FILE...)."""
    about = manifest.get("about", {})
    options = {
        "algorithm": "--label", "library": "--library", "nodes": "--nodes", "ppn": "--ppn",
    }  # fmt: skip
    usual = {"algorithm": "native", "library": "unknown"}
    given = [
        word
        for name, option in options.items()
        if about.get(name) not in (None, usual.get(name))
        for word in (option, str(about[name]))
    ]
    # The word to fill in stands unquoted: shells would take quotes as part of a name.
    return f"{shlex.join(['laneway', 'campaign', 'import', *given, *manifest['files']])} FILE..."


def _there(place: Place) -> Iterator[str]:
    """The options by which a command measures in a place of that size."""
    if place.cluster is not None:
        spec = place.cluster.spec
        if not spec.name.startswith(MADE_FOR_IT):
            yield from ("--cluster", spec.name)
        else:
            if spec.lanes != CLUSTER_LANES:
                yield from ("--lanes", str(spec.lanes))
            yield from pace.options(spec.to_json())
    elif not place.real:
        yield from ("--cluster", "none")
    elif place.launcher != "local":
        yield from ("--launcher", place.launcher)
    if place.options:
        yield from ("--launcher-options", shlex.join(place.options))
    if place.placement != "node":
        yield from ("--placement", place.placement)
    if place.realtime:
        yield "--realtime"
