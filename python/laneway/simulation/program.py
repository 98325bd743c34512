# SPDX-License-Identifier: BSD-3-Clause
"""The program laneway-simulate, which records algorithms and needs no MPI library."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laneway import files, helpers
from laneway.collectives import EQUAL, VECTORS
from laneway.errors import Misuse, Problem
from laneway.libraries import native
from laneway.libraries.registry import Algorithm, entries
from laneway.rows import NATIVE
from laneway.units import shape_in_words

NAME = "laneway-simulate"

_MISUSED = 2
"""The program's exit code where it was asked for something that does not exist."""


_LARGE_PAGES = (
    "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.trim_threshold=4294967296"
)
"""Settings that ask glibc for large pages, and to keep memory, which it would have to clear again.
They work from glibc 2.35 on; others ignore them. 100,000 ranks are half as fast again."""

_MOST_LISTED = 16
"""Nodes of unequal size that are named one by one."""


COMPONENTS = ("rounds", "bytes")
"""Kinds of components of algorithms: those of few rounds, those of few bytes. For a library that is
not described the faster kind is taken: the library has a suitable one for each call."""


@dataclass(frozen=True)
class Call:
    """A collective call, and the nodes on which it is made."""

    collective: str
    algorithm: str
    count: int
    nodes: Sequence[int]
    """Processes of each node."""
    datatype: str = "int"
    root: int = 0
    components: str = "rounds"
    """Whether the components of algorithms need few rounds or send few bytes (`bytes`)."""
    placement: str = "node"
    """Ranks fill node after node. Or they go round the nodes (`cyclic`), or round the sockets of
    one node after the other (`socket`)."""
    socket_size: int | None = None
    """Processes of each socket; None: unknown."""
    sockets: int | None = None
    """Sockets of a node, where ranks go round them."""
    layout: str = EQUAL
    """Lengths of a vector collective's blocks, by name or as file:PATH; their mean is the count."""

    @property
    def layout_name(self) -> str | None:
        """The layout as in rows: a file without its folder; None where there are no such blocks."""
        if self.collective not in VECTORS:
            return None
        prefix, of_file, path = self.layout.partition(":")
        return f"{prefix}:{Path(path).name}" if of_file else self.layout

    @property
    def options(self) -> dict[str, str]:
        """The options of laneway-simulate that describe the call."""
        sizes = [str(own) for own in self.nodes]
        regular = unequal(self.nodes) is None
        return {
            "collective": self.collective,
            "algorithm": self.algorithm,
            "count": str(self.count),
            "nodes": f"{sizes[0]}x{len(sizes)}" if regular else "+".join(sizes),
            "datatype": self.datatype,
            "root": str(self.root),
            "components": self.components,
            **({"placement": self.placement} if self.placement == "cyclic" else {}),
            **({"socket-size": str(self.socket_size)} if self.socket_size else {}),
            **({"sockets": str(self.sockets)} if self.sockets else {}),
            **({"layout": self.layout} if self.layout != EQUAL else {}),
        }

    def is_served(self, result: Mapping[str, Any]) -> bool:
        """Whether the algorithm itself has served, not another one because it is not eligible."""
        return self.algorithm == NATIVE or result["served_by"] == self.algorithm.partition("(")[0]


def placement_of(measured: str | None) -> str:
    """The simulated placement of a measured job: ranks round a node's sockets fill node by node."""
    return "cyclic" if measured == "cyclic" else "node"


def unequal(nodes: Sequence[int]) -> str | None:
    """Processes of each node for rows, such as `4,3,5`; None where nodes are equal."""
    return ",".join(map(str, nodes)) if len({*nodes}) > 1 else None


def in_words(nodes: Sequence[int]) -> str:
    """A shape for people."""
    listed = unequal(nodes)
    if listed is None:
        return shape_in_words(len(nodes), nodes[0])
    if len(nodes) > _MOST_LISTED:
        listed = f"{min(nodes)} to {max(nodes)}"
    return f"{len(nodes)} nodes of {listed} ranks"


def time_us(call: Call, *options: Mapping[str, str]) -> float | None:
    """Microseconds of a call, on a machine and with a library that the options describe.

    None where the call's algorithm does not serve it. Raises Misuse where a native profile does not
    say what serves `native`, Problem.
    """
    told = dict(call.options)
    for more in options:
        told |= more
    try:
        (row,) = lines("time", told)
    except Misuse:  # a call that the program rejects is not served
        if call.algorithm == NATIVE:
            raise
        return None
    return float(row["time_us"]) if call.is_served(row) else None


def find() -> Path:
    """The program of any native build: they are all alike. Raises Problem where there is none."""
    programs = (build.folder / "bin" / NAME for build in native.described())
    found = next((program for program in programs if program.exists()), None)
    if found is None:
        raise Problem(f"simulating needs {NAME} of Laneway's native part: {native.building()}")
    return found


def command(what: str, options: Mapping[str, str]) -> list[str]:
    """The program's command line."""
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [str(find()), what, *words]


def lines(
    what: str,
    options: Mapping[str, str],
    progress: Callable[[float], None] = lambda _: None,
) -> Generator[dict[str, Any], None, None]:
    """The program's rows, one a line, but for how far it is, which `progress` is told.

    Raises Misuse for names that the program does not know, Problem where it fails.
    """
    with subprocess.Popen(
        command(what, options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_large_pages(),
    ) as process:
        assert process.stdout  # noqa: S101 - for the type checker
        assert process.stderr  # noqa: S101
        try:
            for line in process.stdout:
                row = helpers.answer(NAME, line)
                if row["kind"] == "progress":
                    progress(row["done"])
                else:
                    yield row
            said = process.stderr.read()
        except BaseException:
            process.terminate()
            raise
    _check(process.returncode, said)


def _large_pages() -> dict[str, str]:
    """The environment, and large pages of memory in it: a large schedule uses all of them."""
    own = os.environ.get("GLIBC_TUNABLES")
    return {**os.environ, "GLIBC_TUNABLES": ":".join(filter(None, (own, _LARGE_PAGES)))}


def write(what: str, options: Mapping[str, str], path: Path) -> None:
    """Writes the program's output into a file. Raises the same errors as `lines`."""
    ran = subprocess.run(command(what, options), capture_output=True, text=True, check=False)
    _check(ran.returncode, ran.stderr)
    files.replace(path, ran.stdout)


def algorithms() -> list[Algorithm]:
    """All algorithms, by collective and name."""
    ran = subprocess.run(command("list", {}), capture_output=True, text=True, check=False)
    _check(ran.returncode, ran.stderr)
    return entries(ran.stdout)


def _check(code: int, said: str) -> None:
    if code == 0:
        return
    reason = said.strip().removeprefix(f"{NAME}: ") or f"{NAME} ended with {code}"
    raise (Misuse if code == _MISUSED else Problem)(reason)
