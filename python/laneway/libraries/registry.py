# SPDX-License-Identifier: BSD-3-Clause
"""The registry of algorithms, as the native library tells it."""

from __future__ import annotations

import functools
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, TypeVar

from laneway.collectives import NEIGHBORS, NONBLOCKING, WITH_VECTORS
from laneway.errors import Problem
from laneway.libraries.native import NativeBuild, building

FIRST_BYTES = (16 << 10, 128 << 10)
"""First values of a tunable in bytes that 0 switches off."""


@dataclass(frozen=True)
class Tunable:
    """A number that an algorithm can be tuned by; `unit` is ``bytes``, or what is counted."""

    name: str
    unit: str
    preset: int
    least: int
    most: int
    about: str

    def __str__(self) -> str:
        return (
            f"`{self.name}` ({self.least} to {f'{self.most} {self.unit}'.rstrip()}, {self.preset} "
            f"unless set): "
            f"{self.about}"
        )

    def steps(self, own: int) -> list[int]:
        """The values to try next to one, within its range: twice as much, and half."""
        others = [*FIRST_BYTES] if self.is_off(own) else [own * 2, own // 2]
        return [
            other for other in others
            if other not in (0, own) and self.least <= other <= self.most
        ]  # fmt: skip

    def is_off(self, own: int) -> bool:
        """Whether a value switches off what the tunable is for: no bytes."""
        return own == 0 and self.unit == "bytes"


Entry = TypeVar("Entry")

AlgorithmKey = tuple[str, str]
"""Collective and algorithm."""

TEXTS = ("collective", "algorithm", "idea", "rounds", "volume", "memory", "requires", "source")


@dataclass(frozen=True)
class Algorithm:
    """One algorithm of one collective; the texts use the symbols of the literature."""

    collective: str
    algorithm: str
    idea: str
    rounds: str
    volume: str
    memory: str
    requires: str
    source: str
    flat: bool
    """Whether it looks at the communicator as a whole, not at nodes and lanes."""
    tunables: tuple[Tunable, ...]

    @property
    def key(self) -> AlgorithmKey:
        """The collective and the name by which it is known."""
        return self.collective, self.algorithm

    def label(self, values: Mapping[str, int]) -> str:
        """Its name with those of the tunables' values that are no presets: ``chain(ahead=2)``."""
        presets = {tunable.name: tunable.preset for tunable in self.tunables}
        own = {name: value for name, value in values.items() if presets.get(name) != value}
        said = ",".join(f"{name}={value}" for name, value in own.items())
        return f"{self.algorithm}({said})" if said else self.algorithm

    def row(self) -> dict[str, Any]:
        """The algorithm as one JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class Own:
    """One of the MPI library's own algorithms that it can be told to use."""

    collective: str
    algorithm: str
    """``native:binomial``"""
    number: int | None
    """The library's own number for it; None for a component of Open MPI."""
    presets: dict[str, int]
    """The presets of the numbers that it can be tuned by."""

    def row(self) -> dict[str, Any]:
        """The algorithm as one JSON object."""
        return asdict(self)


def load(build: NativeBuild) -> list[Algorithm]:
    """All algorithms of a native build, by collective and name."""
    return _listed(build, "--list", entries)


@functools.cache
def by_key(build: NativeBuild) -> Mapping[AlgorithmKey, Algorithm]:
    """All algorithms by collective, in each of its forms, and name; asked for once."""
    found = {entry.key: entry for entry in load(build)}
    # An alltoallw is served by the algorithms of an alltoallv, among neighbours, too.
    found |= {
        (f"{own.removesuffix('v')}w", name): entry
        for (own, name), entry in found.items()
        if own.endswith("alltoallv")
    }
    forms = {name: form for form, name in NONBLOCKING.items()}
    return found | {
        (forms[own], name): entry for (own, name), entry in found.items() if own in forms
    }


def algorithms(build: NativeBuild, collective: str) -> list[str]:
    """The names of a collective's algorithms, whichever form it is named in."""
    return [name for own, name in by_key(build) if own == collective]


def load_own(build: NativeBuild) -> list[Own]:
    """The MPI library's own algorithms, by collective; none where it cannot be told to use one."""
    return _listed(build, "--list-native", _own_entries)


def _own_entries(listed: str) -> list[Own]:
    rows = map(json.loads, listed.splitlines())
    return [
        Own(
            row["collective"],
            row["algorithm"],
            row["number"],
            {name: int(value) for name, value in row["tunables"].items()},
        )
        for row in rows
    ]


def _listed(build: NativeBuild, option: str, entries: Callable[[str], list[Entry]]) -> list[Entry]:
    try:
        return entries(
            subprocess.run(
                [build.bench, option], capture_output=True, text=True, check=True, timeout=60
            ).stdout
        )
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        raise Problem(
            f"{build.bench} does not list its algorithms ({error}): {building(build.family)}"
        ) from error


def entries(listed: str) -> list[Algorithm]:
    """The algorithms of a registry in JSON, by collective and name."""
    found = [
        Algorithm(
            **{key: str(entry[key]) for key in TEXTS},
            flat=bool(entry["flat"]),
            tunables=tuple(Tunable(**tunable) for tunable in entry["tunables"]),
        )
        for entry in json.loads(listed)
    ]
    return sorted(found, key=lambda entry: (entry.collective, entry.algorithm))


def collectives(build: NativeBuild) -> list[str]:
    """The collectives of a native build that benchmarks time."""
    known = dict.fromkeys(entry.collective for entry in load(build))
    return [name for name in known if name in WITH_VECTORS]


def usual_collectives(build: NativeBuild) -> list[str]:
    """Those that are meant where none is named: not those of neighbours, which want a layout."""
    return [name for name in collectives(build) if name not in NEIGHBORS]


def facts(entry: Algorithm) -> Iterator[tuple[str, str]]:
    """The documented facts of an algorithm, each with its label."""
    yield "rounds", entry.rounds
    yield "bytes", entry.volume
    yield "memory", entry.memory
    yield "requires", entry.requires or "nothing"
    for tunable in entry.tunables:
        yield "tunable", str(tunable)
    yield "source", entry.source


def markdown(
    algorithms: Sequence[Algorithm],
    counted: Mapping[AlgorithmKey, str],
    drawings: Iterable[tuple[str, str]] = (),
) -> str:
    """The page docs/algorithms.md.

    `counted` are costs on sample shapes, in words; `drawings` titles of patterns and their files.
    """
    lines = [
        "# Algorithms",
        "",
        "<!-- Generated from the registry by `laneway algorithms --markdown` (`make docs`). Do not",
        "     edit: the texts stand beside each algorithm in src/algorithms. -->",
        "",
        "Here are *p* processes on *N* nodes, *n* processes a node, *k* lanes and *m* bytes. *m*",
        "is the size of the message, of one block for allgather. There are *S* segments of *s*",
        "bytes, *a* of them under way at once, a radix *r*, and *l* leaders a node. *log* is to",
        "base 2, *log_b* to base *b*, rounded up.",
        "",
        "A message is one **round** after the latest that its sender has waited for before. So",
        "all that a process sends at once, to however many others, is one round. The rounds of",
        "an algorithm are the longest chain of messages that wait for each other. Bytes are those",
        "that a process, or a node over its lanes, sends or receives, whichever is more: lanes",
        "do both at once. Memory is what an algorithm needs besides the caller's buffers and",
        "its components' memory.",
        "",
        "Where an algorithm is made of other collectives, rounds are those with components of",
        "Laneway's own that need few of them. There a process sends to three others at once. So an",
        "exchange among n processes takes log_4 n, a tree log_4(3n+1) - 1. Gather, scatter and",
        "alltoall go straight to their places, in one round. With an MPI library's components,",
        "mostly binary, there are more. Bytes and memory are with the best components that are",
        "known. Formulas are for nodes of equal size if they don't say more. Where nodes differ",
        "in size, *n* are the processes of the largest. A process serves up to *q* lanes there,",
        "one after the other: *k* divided by the processes of the smallest node, rounded up.",
        "",
        "*Counted* are rounds, and the most that some process, and the lanes of some node, send or",
        "receive. The most temporary memory of a process is, too. They are",
        "[counted](simulation.md#what-an-algorithm-does) from what all processes do. Tests hold",
        "the formulas to that on many shapes.",
        "",
        "Algorithms that require *an operator that may be called with parts of the message* divide",
        "messages of reductions. All others keep them whole for operators of the program's:",
        "[why](interposition.md#what-mpi-leaves-undefined). With MPI's own operators they cut",
        "segments.",
        "",
        "Within a node, a byte that one process delivers to another is copied twice. In messages",
        "of 128 KiB or more it is copied once, where the kernel permits:",
        "[messages within a node](node-messages.md).",
        "",
        *_contents(algorithms),
        *_patterns([*drawings]),
    ]
    previous = None
    for entry in algorithms:
        if entry.collective != previous:
            lines += ["", f"## {entry.collective}"]
            previous = entry.collective
        lines += [
            "",
            f"### {entry.collective}: {entry.algorithm}",
            "",
            entry.idea,
            "",
            "| | |",
            "|---|---|",
        ]
        own = [*facts(entry)]
        if entry.key in counted:
            own.insert(3, ("counted", counted[entry.key]))
        lines += [f"| {label} | {text.replace('|', chr(92) + '|')} |" for label, text in own]
    return "\n".join(lines) + "\n"


def _contents(algorithms: Sequence[Algorithm]) -> Iterator[str]:
    """A line a collective, with links to its algorithms."""
    yield "| collective | algorithms |"
    yield "|---|---|"
    for collective, entries in groupby(algorithms, key=lambda entry: entry.collective):
        links = ", ".join(
            f"[{entry.algorithm}](#{collective}-{entry.algorithm})" for entry in entries
        )
        yield f"| [{collective}](#{collective}) | {links} |"


def _patterns(drawings: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A drawing of each family."""
    if not drawings:
        return
    yield ""
    yield "## Patterns"
    yield ""
    yield "Who sends to whom in which round: a row a process, a column a round, an arrow a message;"
    yield "`laneway explain schedule --svg` draws any other."
    for title, path in drawings:
        yield from ("", f"### Pattern: {title}", "", f"![{title}]({path})")
