# SPDX-License-Identifier: BSD-3-Clause
"""Names that tell cases apart in a figure: places, operations, curves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from laneway.rows import NATIVE, CaseKey
from laneway.units import counted, shape_in_words

FigureTable = list[dict[str, Any]]
"""Lines with the same columns; times in microseconds, sizes in bytes."""

PLACE = ("library", "nodes", "ppn", "lanes")
SWEPT = (*PLACE, "collective", "algorithm", "binding", "count", "bytes")
"""Facts for which figures have an axis, a curve or a selector. Other facts of a key tell operations
apart where they differ."""

LAYOUT = "layout"
"""The lengths of blocks: told where they are not equal, as times then mean something else."""

_OF_PLACE = ("simulated", "machine", "ranks", "unequal")
"""Facts that are in the name of the place."""

CASE = ("place", "operation", "curve", *SWEPT)
"""The columns that name a line's case."""


def native_first(names: Iterable[str]) -> list[str]:
    """Algorithms in the order of their colours: each has the same in all pictures of a set."""
    return sorted(set(names), key=lambda name: (name != NATIVE, name))


def place_name(library: str, nodes: int, ppn: int, lanes: int | None = None) -> str:
    """A library on a shape, in words."""
    return _placed(library, shape_in_words(nodes, ppn), lanes)


def _placed(library: str, shape: str, lanes: int | None) -> str:
    of_lanes = f", {counted(lanes, 'lane')}" if lanes else ""
    return f"{library}, {shape}{of_lanes}"


def shape_name(key: CaseKey) -> str:
    """The shape on which a case was timed, as far as it is known."""
    facts = dict(key.axes)
    if listed := facts.get("unequal"):
        return f"{counted(key.nodes, 'node')} of {listed} ranks"
    if key.nodes and key.ppn:
        return shape_in_words(key.nodes, key.ppn)
    ranks = f"{counted(facts['ranks'], 'rank')} on " if facts.get("ranks") else ""
    return f"{ranks}{counted(key.nodes, 'node') if key.nodes else 'unknown nodes'}"


class KeyNames:
    """Names that tell the keys of a set apart, no longer than that takes."""

    def __init__(self, keys: Sequence[CaseKey]) -> None:
        self._values: dict[str, dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
        self._bindings: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for key in keys:
            for name, value in _told_apart_by(key).items():
                self._values[key.collective][name].add(value)
        for key in keys:
            self._bindings[self._line(key)].add(key.binding)

    def place(self, key: CaseKey) -> str:
        """The place, a picture for each: a library on a shape."""
        return _placed(key.origin, shape_name(key), key.lanes)

    def case(self, key: CaseKey) -> dict[str, Any]:
        """The columns of CASE."""
        return {
            "place": self.place(key),
            "operation": self.operation(key),
            "curve": self.curve(key),
            **{name: getattr(key, name) for name in SWEPT},
            "nodes": key.nodes or None,
            "ppn": key.ppn or None,
            "library": key.origin,
        }

    def operation(self, key: CaseKey) -> str:
        """The operation: a collective, and whatever else was set differently."""
        own = _told_apart_by(key)
        differing = [
            _word(name, own.get(name))
            for name, values in self._values[key.collective].items()
            if len(values) > 1 or (name == LAYOUT and key.layout)
        ]
        told = ", ".join(filter(None, differing))
        return f"{key.collective} ({told})" if told else key.collective

    def curve(self, key: CaseKey) -> str:
        """The curve: an algorithm, and its binding where there are several."""
        several = len(self._bindings[self._line(key)]) > 1
        return f"{key.algorithm} ({key.binding})" if several else key.algorithm

    def _line(self, key: CaseKey) -> tuple[str, ...]:
        return self.place(key), self.operation(key), key.algorithm


def _told_apart_by(key: CaseKey) -> dict[str, Any]:
    own = {"datatype": key.datatype, **dict(key.axes)}
    if digest := own.pop("layout_digest", None):
        own[LAYOUT] = f"{own.get(LAYOUT)} {digest[:8]}"  # files of one name differ
    return {name: value for name, value in own.items() if name not in _OF_PLACE}


def _word(name: str, value: object) -> str:
    """A fact of a key in a name: text by itself, anything else with the fact's name."""
    return value if isinstance(value, str) else "" if value is None else f"{name}={value}"
