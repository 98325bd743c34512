# SPDX-License-Identifier: BSD-3-Clause
"""The sources of a machine file's numbers, and values that are hard to believe.

A number's source is the comment on its line. Else it is the comment lines above it and others, up
to an empty line, as `laneway calibrate` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from laneway.simulation.machine import Machine

_HEADING = re.compile(r"\s*\[+\s*(?P<table>[\w.-]+)")
_LINE = re.compile(
    r"\s*[\"']?(?P<key>\w+)[\"']?\s*="
    r"\s*(?P<value>\"[^\"]*\"|'[^']*'|\[[^#]*\]|[^#\s]*)\s*(?:#\s*(?P<source>.*\S)\s*)?$"
)


@dataclass(frozen=True)
class MachineEntry:
    """A line of a machine file that holds a value."""

    line: int
    table: str
    """The table that the line is in; empty above all tables."""
    key: str
    value: str
    """The value as it stands there, without quotes; an array of several lines on one."""
    source: str
    """The source of the value; empty where none is told."""

    @property
    def is_number(self) -> bool:
        """Whether a source can be asked for: words are choices."""
        is_fit = self.table.partition(".")[0] == "fit"  # it tells how other numbers were found
        return any(digit.isdigit() for digit in self.value) and bool(self.table) and not is_fit

    @property
    def name(self) -> str:
        """The entry's name in messages."""
        return f"[{self.table}] {self.key}"


def entries(text: str) -> list[MachineEntry]:
    """The values of a machine file, in its order."""
    found = []
    table = ""
    above: list[str] = []
    told = False  # whether the comment above belongs to a value already
    for number, line in _statements(text):
        if heading := _HEADING.match(line):
            table, above, told = heading["table"], [] if told else above, False
        elif line.lstrip().startswith("#"):
            above, told = [*([] if told else above), line.lstrip("# ").rstrip()], False
        elif value := _LINE.match(line):
            source, told = value["source"] or " ".join(above), True
            found.append(
                MachineEntry(number, table, value["key"], value["value"].strip("\"'"), source)
            )
        elif not line.strip():
            above = []
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; an array's lines as one, with the number of the first.

    Comments within an array are about its elements, and left out.
    """
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        bare, _, comment = line.partition("#")
        if "=" not in bare or bare.count("[") <= bare.count("]"):
            yield number, line
            continue
        while bare.count("[") > bare.count("]") and (following := next(lines, None)):
            more, _, comment = following[1].partition("#")
            bare = f"{bare.rstrip()} {more.strip()}"
        bare = bare.replace("[ [", "[[").replace(", ]", "]")
        yield number, f"{bare} # {comment}" if comment else bare


def without_source(text: str) -> list[MachineEntry]:
    """The numbers without a source."""
    return [entry for entry in entries(text) if entry.is_number and not entry.source]


def residual(found: Mapping[str, MachineEntry], table: str, key: str) -> float | None:
    """How far times are from the fit of a number, relative; None: it is not told.

    `found` are the entries by their names. Files without a table [fit] have it in the source.
    """
    if entry := found.get(f"[fit.{table}] {key}"):
        return float(entry.value)
    entry = found.get(f"[{table}] {key}")
    told = re.search(r"residual (\S+)%", entry.source) if entry else None
    return float(told[1]) / 100 if told else None


def calibrated_shape(text: str) -> tuple[int, int] | None:
    """Nodes and processes a node with which a machine was calibrated, as its file says.

    Files without a table [fit] have them in a comment.
    """
    found = {entry.name: entry.value for entry in entries(text)}
    if "[fit] nodes" in found and "[fit] processes" in found:
        return int(found["[fit] nodes"]), int(found["[fit] processes"])
    told = re.search(r"^# .*; (\d+) nodes? x (\d+) ranks?,$", text, re.MULTILINE)
    return (int(told[1]), int(told[2])) if told else None


@dataclass(frozen=True)
class Doubt:
    """Something that is hard to believe of a machine."""

    table: str
    key: str
    """The key of the number in doubt, in `table`."""
    reason: str


def doubts(machine: Machine) -> list[Doubt]:
    """Values that no known machine has: most often a unit was mistaken."""
    values = {name: float(value) for name, value in machine.values.items() if _is_float(value)}
    if "link-bandwidth" in values:  # one interface may serve several links at once
        values["lane-bandwidth"] = min(values["link-bandwidth"], values.get("lane-bandwidth", 1e30))
    return [*_absolute(values), *_relative(values)]


_RATES = {
    "lane-bandwidth": ("lanes", "bandwidth"),
    "node-bandwidth": ("node", "bandwidth"),
    "link-bandwidth": ("network", "bandwidth"),
    "reduce": ("process", "reduce"),
    "copy": ("process", "copy"),
    "pack": ("process", "pack"),
}
_TIMES = {
    "lane-latency": ("lanes", "latency"),
    "lane-message": ("lanes", "message"),
    "node-latency": ("node", "latency"),
    "socket-latency": ("node", "socket_latency"),
    "hop-latency": ("network", "latency"),
    "send": ("process", "send"),
    "receive": ("process", "receive"),
}
"""Table and key, by the option of laneway-simulate."""

LEAST_RATE, MOST_RATE = 1e5, 1e13
"""Bytes a second: 0.8 Mbit/s, and ten times the memory of the fastest nodes."""
LONGEST = 0.1
"""Seconds that messages take to the other side of the earth."""


def _absolute(values: Mapping[str, float]) -> Iterator[Doubt]:
    for option, (table, key) in _RATES.items():
        rate = values.get(option)
        if rate is not None and not LEAST_RATE <= rate <= MOST_RATE:
            yield Doubt(table, key, f"{rate:.3g} B/s: is the unit right?")
    for option, (table, key) in _TIMES.items():
        time = values.get(option)
        if time is not None and time > LONGEST:
            yield Doubt(table, key, f"{time:.3g} s: is the unit right?")
    if "lane-bandwidth" not in values:
        yield Doubt("lanes", "bandwidth", "not given: lanes are as fast as anything")


def _relative(values: Mapping[str, float]) -> Iterator[Doubt]:
    for less, more, reason in (
        ("lane-bandwidth", "node-bandwidth", "a lane is faster than the node's memory"),
        ("copy", "node-bandwidth", "a process copies faster than the node's memory carries"),
        ("pack", "copy", "strided data are packed faster than data in a row are copied"),
    ):
        if values.get(less, 0) > values.get(more, float("inf")):
            yield Doubt(*_RATES[less], reason)
    for less, more, reason in (
        ("node-latency", "lane-latency", "longer within a node than between nodes"),
        ("hop-latency", "lane-latency", "a hop takes longer than all of the way"),
    ):
        if values.get(less, 0) > values.get(more, float("inf")):
            yield Doubt(*_TIMES[less], reason)


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
