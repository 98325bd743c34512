# SPDX-License-Identifier: BSD-3-Clause
"""The command lines of mpirun and mpiexec: their parts, and in each the options and the program."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

VALUES = {
    "openmpi": {
        1: "n np c N npernode npersocket ppr H host hostfile machinefile default-hostfile "
        "add-host add-hostfile x wdir wd path prefix rf rankfile map-by rank-by bind-to cpu-set "
        "cpu-list slot-list cpus-per-proc cpus-per-rank cf cartofile output-filename "
        "output-directory output stdin xml-file xterm timeout spawn-timeout tune am app "
        "personality preload-files launch-agent max-restarts max-vm-size ompi-server "
        "server-wait-time report-uri report-pid report-events debugger hnp dvm-uri display "
        "runtime-options rtos forward-signals keepalive pset initial-errhandler with-ft "
        "stream-buffering memory-alloc-kinds gpu-support default-exec-agent",
        2: "mca gmca omca gomca prtemca gprtemca pmixmca gpmixmca",
    },
    "mpich": {
        1: "n np f hosts host hostlist hostfile machine machines machinelist machinefile rankmap "
        "wdir configfile envlist genvlist launcher bootstrap launcher-exec bootstrap-exec rmk ppn "
        "perhost iface bind-to map-by membind topolib prepend-pattern outfile outfile-pattern "
        "errfile errfile-pattern nameserver demux localhost usize gpus-per-proc "
        "gpu-subdevs-per-proc order-nodes pmi-version memory-alloc-kinds",
        2: "env genv",
    },
}
"""Options of the launchers of each family by the number of words that follow them."""

_FOLLOWING = {
    family: {option: count for count, names in table.items() for option in names.split()}
    for family, table in VALUES.items()
}
_LISTS_OF_PARTS = {"app", "configfile"}
"""Options that name a file with a part of the command line on each line."""
_COMMENT = {"openmpi": "#|//", "mpich": "#"}
"""Marks that begin a comment in such a file, also within a word."""


@dataclass
class Option:
    """An option of a launcher, as it was given: its word and those that follow it."""

    words: list[str]

    @property
    def name(self) -> str:
        """The option's name without its dashes."""
        return self.words[0].partition("=")[0].lstrip("-")

    @property
    def values(self) -> list[str]:
        """The values that it is given."""
        return [*self.words[0].split("=", 1)[1:], *self.words[1:]]

    def assignment(self) -> tuple[str, str | None] | None:
        """Name and value of the variable that it gives to ranks; None as value: its value here."""
        if self.name not in {"x", "env", "genv"} or not self.values:
            return None
        name, _, value = self.values[0].partition("=")
        if len(self.values) == 2:
            return name, self.values[1]
        return name, value if "=" in self.values[0] else None


@dataclass
class AppContext:
    """One of the parts of a command line that colons separate."""

    given: list[str] = field(default_factory=list)
    """Words of our own, before its options."""
    options: list[Option] = field(default_factory=list)
    program: list[str] = field(default_factory=list)
    found: bool = False
    """Whether there is no doubt where the program begins: it is there."""

    def value(self, *names: str) -> str | None:
        """The value of the last option that has one of these names."""
        given = [option.values for option in self.options if option.name in names]
        return given[-1][0] if given and given[-1] else None

    def words(self, before: Sequence[str] = ()) -> list[str]:
        """Its words, with those of `before` between options and program."""
        options = itertools.chain.from_iterable(option.words for option in self.options)
        return [*self.given, *options, *before, *self.program]


def parse(words: Sequence[str], family: str) -> list[AppContext]:
    """The parts of the command line of a family's launcher, as in `-n 1 ./a : -n 2 ./b`.

    The lines of an appfile (Open MPI) or a configfile (MPICH) stand in its place.
    """
    rest = list(words)
    parts: list[AppContext] = []
    while rest:
        part = AppContext()
        while rest and rest[0].startswith("-"):
            option = _take_option(rest, family)
            if option.name in _LISTS_OF_PARTS and (lines := _lines(option, family)):
                rest = lines
            else:
                part.options.append(option)
        end = rest.index(":") if ":" in rest else len(rest)
        part.program, rest = rest[:end], rest[end + 1 :]
        if part.program and (program := _find(part, family)):
            part.program[0], part.found = program, True
        parts.append(part)
    return parts


def _take_option(rest: list[str], family: str) -> Option:
    name, equals, _ = rest[0].lstrip("-").partition("=")
    count = 0 if equals else _FOLLOWING[family].get(name, 0)
    if count == 2 and family == "mpich" and "=" in "".join(rest[1:2]):
        count = 1  # -genv NAME=VALUE
    option = Option(rest[: 1 + count])
    del rest[: 1 + count]
    return option


def _lines(option: Option, family: str) -> list[str]:
    """The lines of a file as parts of a command line; empty where it cannot be read.

    They are read as launchers do, to which quotes are characters like others.
    """
    try:
        lines = Path(option.values[0]).read_text().splitlines()
    except (OSError, IndexError, UnicodeDecodeError):
        return []
    words = [re.split(_COMMENT[family], line, maxsplit=1)[0].split() for line in lines]
    split = [[*line, ":"] for line in words if line]
    return list(itertools.chain.from_iterable(split))[:-1]


def _find(part: AppContext, family: str) -> str | None:
    """The program as a shell on a rank finds it; None where it is not there.

    Relative paths start where the ranks do. Open MPI looks a bare name up there as well.
    """
    name = part.program[0]
    here = Path(part.value("wdir", "wd") or ".", name).absolute()
    if "/" in name:
        return name if shutil.which(here) else None
    path = part.value("path")
    if path is not None and (found := shutil.which(name, path=path)):
        return str(Path(found).absolute())
    if shutil.which(name):
        return name
    return f"./{name}" if family == "openmpi" and shutil.which(here) else None
