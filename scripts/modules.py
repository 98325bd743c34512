#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks which modules of the C++ part include which: no circles, and rooms point one way.

Also checks that files stay short, and that each type has a name of its own. Differences between
MPI libraries must be known in one place.

Usage: modules.py [FOLDER]      (default: src beside this folder)

A module is a header with its source: src/messages/comm.hpp and src/messages/comm.cpp are
`messages/comm`. A room is a folder with what lies under it, as far as that is no room of its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOMS = {
    "text": (),
    "containers": (),
    "layout": (),
    # How long the blocks of a vector collective are, as one asks for it.
    "blocks": ("text",),
    # Facts about the MPI library, and its functions.
    "library": (),
    # Buffers, types, what is packed; the memory that the processes of a node share; messages.
    "data": ("containers", "library"),
    "node": ("data", "library"),
    "messages": ("containers", "data", "library", "node"),
    # Recorded schedules, and what carries them out.
    "schedule": ("data", "layout", "library", "messages"),
    "carriers": ("data", "layout", "library", "messages", "node", "schedule", "text"),
    # Trees, rings, cubes, circulant graphs, and how messages walk them.
    "patterns": ("containers",),
    # Which of several ways of serving a call is fastest, told by the times of calls.
    "learn": ("text",),
    "walks": ("containers", "data", "layout", "library", "messages", "patterns"),
    # Collectives and algorithms as such, before any is chosen or served.
    "collectives": ("data", "layout", "library", "messages", "text"),
    # Who serves where no algorithm does.
    "providers": ("collectives", "data", "layout", "library", "messages", "patterns", "walks"),
    "decomposition": (
        *("carriers", "collectives", "data", "layout", "library", "messages", "node", "patterns"),
        *("providers", "schedule"),
    ),
    # Texts that know buffers and messages, but no function of MPI; what a family of them shares.
    "algorithms/families": (
        *("collectives", "data", "decomposition", "layout", "messages", "patterns", "schedule"),
        *("walks",),
    ),
    "algorithms": (
        *("algorithms/families", "collectives", "decomposition", "layout", "patterns", "walks"),
        *("data", "messages/exchange", "messages/messages"),
    ),
    # Facts about the machine; which algorithm for which call, above all that serves.
    "machine": ("library", "text"),
    "choose": ("collectives", "layout", "library", "machine", "text"),
    "report": ("choose", "machine", "text"),
    "call/front": ("collectives", "data", "library", "messages"),
    "call/sound": ("call/front", "library", "messages"),
    "call/agree": ("choose", "library", "machine", "text"),
    # Which algorithms a job learns to be fastest, by its own calls.
    "call/learn": (
        *("choose", "collectives", "layout", "learn", "library", "machine", "report", "text"),
    ),
    "call/communicator": (
        *("call/agree", "call/front", "call/learn", "call/sound", "carriers", "choose"),
        *("collectives", "data", "decomposition", "layout", "learn", "library", "machine"),
        *("messages", "node", "report", "text"),
    ),
    "call": (
        *("call/agree", "call/communicator", "call/front", "call/learn", "call/sound"),
        *("carriers", "choose", "collectives", "data", "decomposition", "layout", "library"),
        *("machine", "messages", "node", "providers", "report", "text", "walks/digits"),
    ),
    # The latest calls of a process, for whoever watches it.
    "flight": ("collectives", "containers", "data", "library", "machine", "report", "text"),
    "api": (
        *("flight", "call", "call/agree", "call/communicator", "call/front", "call/sound"),
        *("choose", "collectives", "data", "decomposition", "library", "machine", "messages"),
        *("report", "text"),
    ),
    "profile": ("choose", "collectives", "machine", "text"),
    "simulate": (
        *("blocks", "carriers", "choose", "collectives", "data", "decomposition", "layout"),
        *("command_line", "library", "messages", "patterns", "providers", "schedule", "text"),
        *("walks/digits",),
    ),
    # Options of programs, and their help.
    "command_line": ("text",),
    "switch": ("command_line", "text"),
    # The benchmark reaches algorithms by include/laneway.h alone, as applications do.
    "bench/text": ("text",),
    "bench/job": ("bench/text", "library"),
    "bench/timing": ("bench/job", "bench/text", "library", "text"),
    "bench/operations": ("bench/text", "blocks"),
    "bench/probes": ("bench/job", "bench/text", "library", "messages", "patterns"),
    "bench/native": ("bench/options", "bench/text", "library"),
    "bench/options": (
        *("bench/operations", "bench/probes", "bench/text", "bench/timing", "blocks"),
        *("command_line", "text"),
    ),
    "bench/tasks": (
        *("bench/job", "bench/native", "bench/operations", "bench/options", "bench/probes"),
        *("bench/text", "bench/timing", "blocks", "library"),
    ),
    "bench": (
        *("bench/job", "bench/native", "bench/operations", "bench/options", "bench/tasks"),
        *("bench/text", "library"),
    ),
}
"""The rooms, or single modules of them, that each room may include beside itself."""

MOST_LINES = 300
"""Lines of a file, at most."""
TABLES: frozenset[str] = frozenset()
"""Files that may be longer, as they are rows of one kind."""
MOST_LINES_OF_ALGORITHMS = 40
"""Lines of an algorithm's file, on average: a longer one lacks an abstraction."""
ASKS_FOR_LIBRARY = frozenset(("library/quirks",))
"""Modules that may ask the preprocessor which MPI library it is; others ask `quirks()`."""

MAY_CALL_BACK = ("library/real", "simulate/stub/", "api/linked", "bench/")
"""Modules, or rooms, that may name functions which the preload takes the place of. From elsewhere
these would lead back to Laneway; `real::` has the library's own."""
_NOT_REAL = frozenset(("MAKERS", "MESSAGES"))
"""Lists of functions that are taken for the flight recorder alone, which leaves inner calls out."""

_LIST = re.compile(r"#define LANEWAY_(\w+)\(FORM, F\)((?:.*\\\n)*.*)")
_TAKEN = re.compile(r"FORM\(F, (\w+),")
_CALLED = re.compile(r"\bPMPI_(\w+)\(")
_LIBRARY = re.compile(r"^\s*#\s*(?:el)?if.*\b(?:MPICH|OPEN_MPI|OMPI_|MVAPICH|I_MPI)", re.MULTILINE)
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_NAMESPACE = re.compile(r"namespace\s+(?:([\w:]+)\s*)?\{$")
_ENTITY = re.compile(r"(?:class|struct|union|enum(?: class)?) +(?:\[\[.*?\]\] *)?(\w+)(?![\w:<;])")
_SUFFIXES = frozenset((".c", ".cpp", ".h", ".hpp"))

Graph = dict[str, set[str]]


def files(folder: Path) -> dict[str, str]:
    """The text of each source, by its name in `folder`."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


def _module(name: str) -> str:
    return Path(name).with_suffix("").as_posix()


def read(texts: dict[str, str]) -> Graph:
    """The modules that each module includes."""
    graph: Graph = {}
    for name, text in texts.items():
        included = {_module(other) for other in _INCLUDE.findall(text)}
        graph.setdefault(_module(name), set()).update(included - {_module(name)})
    return graph


def circle(graph: Graph) -> list[str]:
    """The modules of a circle, the first one at the end again; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))  # by whom each is included: ours goes the other way
    return []


def room(module: str) -> str | None:
    """The room that a module lies in."""
    parts = module.split("/")[:-1]
    names = ("/".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((name for name in names if name in ROOMS), None)


def _allowed(module: str, included: str) -> bool:
    own = room(module)
    may = () if own is None else (own, *ROOMS[own])
    return room(included) in may or included in may


def complaints(graph: Graph) -> Iterator[str]:
    """The faults, a line each."""
    for module, includes in sorted(graph.items()):
        if room(module) is None:
            yield f"{module} lies in no room: ROOMS has the others"
        for included in sorted(includes):
            if included not in graph:
                yield f"{module} includes {included}, which is not there"
            elif not _allowed(module, included):
                yield f"{module} includes {included}: {room(module)} must not know {room(included)}"
    if found := circle({name: {room(f"{to}/") or "" for to in may} for name, may in ROOMS.items()}):
        yield f"ROOMS has a circle: {' -> '.join(found)}"
    if found := circle(graph):
        yield f"a circle: {' -> '.join(found)}"


def too_long(texts: dict[str, str]) -> Iterator[str]:
    """Files that are too long, a line each; algorithms on average."""
    lines = {name: text.count("\n") for name, text in texts.items()}
    for name, count in lines.items():
        if count > MOST_LINES and name not in TABLES:
            yield f"{name} has {count} lines, more than {MOST_LINES}"
    algorithms = [count for name, count in lines.items() if room(_module(name)) == "algorithms"]
    average = sum(algorithms) / max(1, len(algorithms))
    if average > MOST_LINES_OF_ALGORITHMS:
        yield f"algorithms have {average:.1f} lines on average, over {MOST_LINES_OF_ALGORITHMS}"


def knows_library(texts: dict[str, str]) -> Iterator[str]:
    """Files that ask the preprocessor which MPI library it is and must not, a line each."""
    for name, text in texts.items():
        if _module(name) not in ASKS_FOR_LIBRARY and _LIBRARY.search(text):
            yield f"{name} asks which MPI library it is: what differs is in library/quirks.hpp"


def calls_back(texts: dict[str, str]) -> Iterator[str]:
    """Calls of functions that the preload takes the place of, a line each."""
    lists = _LIST.findall(texts.get("library/interposed.h", ""))
    taken = {
        name for which, rows in lists if which not in _NOT_REAL for name in _TAKEN.findall(rows)
    }
    taken |= {f"I{name.lower()}" for name in taken} | {f"{name}_init" for name in taken}
    for name, text in texts.items():
        if not name.startswith(MAY_CALL_BACK):
            for called in _CALLED.findall(text):
                if called.removesuffix("_c") in taken:
                    yield f"{name} calls PMPI_{called}, which may lead back: real::{called}"


def entities(text: str) -> Iterator[tuple[str, str]]:
    """The types that a source defines in a namespace, with the namespace; without unnamed ones.

    A specialisation of a template is no type of its own; nor is what stands within another type.
    """
    spaces: list[str] = []
    for line in text.splitlines():
        if found := _NAMESPACE.match(line):
            spaces.append(found[1] or "")
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif found := _ENTITY.match(line):
            yield "::".join(filter(None, spaces)), found[1]


def one_name(texts: dict[str, str]) -> Iterator[str]:
    """Names that several types of a namespace have, a line each: nothing includes both."""
    files: dict[tuple[str, str], set[str]] = {}
    for name, text in texts.items():
        for entity in entities(text):
            files.setdefault(entity, set()).add(name)
    for (space, entity), where in sorted(files.items()):
        if len(where) > 1:
            yield f"{space}::{entity} is {len(where)} things: {', '.join(sorted(where))}"


def main() -> int:
    """Returns the exit code."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src"
    texts = files(folder)
    for name, may in ROOMS.items():
        print(f"{name:18} -> {', '.join(may) or 'itself only'}")
    checks = (too_long, knows_library, calls_back, one_name)
    found = [*complaints(read(texts)), *(line for check in checks for line in check(texts))]
    for line in found:
        print(f"modules: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
