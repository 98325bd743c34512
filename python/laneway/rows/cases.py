# SPDX-License-Identifier: BSD-3-Clause
"""Cases: the samples of one algorithm in one setting, told apart by everything that was set."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import itemgetter
from typing import Any

from laneway.collectives import EQUAL
from laneway.modelling.crossing import Crossing
from laneway.modelling.floor import Wire
from laneway.rows.row import NESTED, NOT_AXES, Row

NATIVE = "native"
"""The algorithm that is the MPI library's own: all others are compared with it."""

TUNED = "tuned"
"""The name under which the settings' choice is measured, as applications get it."""

FORCED = "native:"
"""The beginning of the names of the MPI library's own algorithms: native:binomial."""

SIMULATED = "simulated"
"""The MPI library's name in rows of a simulated machine, where no library's choices are meant."""

WIDTHS = {"byte": 1, "char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}
"""Bytes of the datatypes that other benchmarks measure with."""

SLOWEST_RANK = "time of the slowest rank"
"""The meaning of a time unless a sample's `statistic` says otherwise."""


@dataclass(frozen=True)
class CaseKey:
    """The facts that samples must have in common to be summarised together."""

    collective: str
    algorithm: str
    count: int
    datatype: str
    bytes: int
    nodes: int
    ppn: int
    """Processes a node. Nodes and `ppn` are 0 where unknown, as in other benchmarks' tables."""
    lanes: int | None
    library: str
    binding: str
    axes: tuple[tuple[str, Any], ...] = ()
    """Whatever else was set, by name: operator, root, cold buffers, arrival, ..."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> CaseKey:
        """The case that a sample belongs to."""
        return cls(**{name: row[name] for name in FACTS}, axes=axes_of(row))

    @property
    def statistic(self) -> str:
        """The meaning of a time: other benchmarks print other figures."""
        return str(dict(self.axes).get("statistic", SLOWEST_RANK))

    @property
    def layout(self) -> str:
        """The layout of a vector collective's blocks; empty where there is none, or it is equal."""
        layout = dict(self.axes).get("layout") or EQUAL
        return "" if layout == EQUAL else str(layout)

    @property
    def simulated(self) -> str | None:
        """The machine on whose simulated clock it was timed; None for what was measured."""
        facts = dict(self.axes)
        return str(facts.get("machine")) if facts.get("simulated") else None

    @property
    def origin(self) -> str:
        """The origin of the times: the MPI library, or a simulated machine."""
        if self.simulated is None:
            return self.library
        by = "" if self.library == SIMULATED else f"{self.library} on the "
        return f"{by}simulated machine {self.simulated}"

    @property
    def processes(self) -> list[int]:
        """Processes of each node."""
        listed = dict(self.axes).get("unequal")
        return [int(own) for own in listed.split(",")] if listed else [self.ppn] * self.nodes

    @property
    def case(self) -> CaseKey:
        """The key without algorithm and binding: equal for all cases that are compared."""
        return replace(self, algorithm="", binding="")


def axes_of(facts: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The further axes of a sample, for its key: whatever else was set; null means not set."""
    return tuple(
        (name, value)
        for name in _further(tuple(facts))
        if (value := facts[name]) is not None and not isinstance(value, NESTED)
    )


@functools.cache
def _further(names: tuple[str, ...]) -> list[str]:
    """The keys of a sample that are further axes; cached, as many samples have few sets of keys."""
    return sorted({*names} - _NO_FURTHER_AXES)


FACTS = tuple(field.name for field in fields(CaseKey) if field.name != "axes")
"""The keys that every sample has."""

_NO_FURTHER_AXES = NOT_AXES | {*FACTS, "axes"}


@dataclass
class Samples:
    """The times of one case, run by run, as they were measured."""

    times_us: dict[int, list[float]] = field(default_factory=dict)
    machine: str | None = None
    wire: Wire | None = None
    span_us: float = math.inf
    """The shortest time from the first rank's start to the last one's end."""
    crossing: Crossing | None = None
    """The data of a vector collective that must go from node to node."""
    served_by: set[str] = field(default_factory=set)
    """The algorithms that served the calls, where the rows say so."""

    def medians(self) -> dict[int, float]:
        """The median of the repetitions of each run, in the order of runs."""
        return {run: statistics.median(self.times_us[run]) for run in sorted(self.times_us)}


def collect(rows: Iterable[Row]) -> dict[CaseKey, Samples]:
    """The samples of every case, in the order in which they were taken.

    An environment row says on which machine the samples after it were taken.
    """
    facts = itemgetter(*FACTS)
    found: dict[tuple[Any, ...], Samples] = {}
    machine, wire = None, None
    for row in rows:
        if row["kind"] == "environment":
            machine, wire = row.get("place"), Wire.of(row.get("cluster"))
        if row["kind"] == "sample":
            own = found.setdefault((*facts(row), axes_of(row)), Samples())
            own.times_us.setdefault(row["run"], []).append(row["time_us"])
            own.machine, own.wire = machine, wire
            own.span_us = min(own.span_us, span_us(row))
            if crossing := Crossing.of_row(row):
                own.crossing = own.crossing.least(crossing) if own.crossing else crossing
            if "served_by" in row:
                own.served_by.add(row["served_by"])
    return {_key(own): samples for own, samples in found.items()}


def _key(values: Iterable[Any]) -> CaseKey:
    """The key of the values of FACTS and the further axes."""
    facts = dict(zip((*FACTS, "axes"), values, strict=True))
    return CaseKey(**{**facts, **{name: facts[name] or 0 for name in ("nodes", "ppn")}})


def span_us(row: Row) -> float:
    """The time from the first rank's start to the last one's end; no skew means equal starts."""
    return row["time_us"] + row.get("skew_us", 0.0)  # type: ignore[no-any-return]
