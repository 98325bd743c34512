# SPDX-License-Identifier: BSD-3-Clause
"""The cases that have one latency model: all numbers of processes and sizes of an algorithm."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from laneway.calibration.latency import GROWTHS, Model, Observation, fit
from laneway.calibration.regression import MOST
from laneway.errors import Problem
from laneway.rows import CaseKey, Row, Samples

OF_A_CASE = frozenset(("count", "bytes", "nodes", "ppn", "ranks", "unequal"))
"""Facts that differ among the times of one model; times that have all others in common share it."""

ALWAYS = ("collective", "algorithm", "placement")
"""Facts that tell models apart in every table; the others are shown where they differ."""


@dataclass(frozen=True)
class Fitted:
    """A model, and the facts of its times."""

    facts: Mapping[str, Any]
    """All that its times have in common."""
    model: Model

    def row(self) -> Row:
        """The model and its facts as JSON."""
        return {**self.facts, **self.model.row()}


def observations(samples: Mapping[CaseKey, Samples]) -> dict[tuple[tuple[str, Any], ...], Any]:
    """The times of each group, by its facts: one a run, the median of its repetitions."""
    groups: dict[tuple[tuple[str, Any], ...], list[Observation]] = {}
    for key, own in samples.items():
        facts = {
            **{name: getattr(key, name) for name in ("collective", "algorithm")},
            "placement": "node",  # unless the row says otherwise
            **{name: getattr(key, name) for name in ("datatype", "lanes", "library", "binding")},
            **dict(key.axes),
        }
        group = tuple((name, value) for name, value in facts.items() if name not in OF_A_CASE)
        groups.setdefault(group, []).extend(
            Observation(sum(key.processes), key.bytes, statistics.median(run))
            for run in own.times_us.values()
        )
    return groups


def fitted(
    samples: Mapping[CaseKey, Samples],
    growths: Sequence[str] = tuple(GROWTHS),
    breakpoints: int = MOST,
) -> tuple[list[Fitted], list[str]]:
    """A model of each group, and a sentence for each that has too few times for one."""
    found, short = [], []
    for group, own in observations(samples).items():
        facts = dict(group)
        try:
            found.append(Fitted(facts, fit(own, growths, breakpoints)))
        except Problem as problem:
            short.append(f"{facts['collective']}, {facts['algorithm']}: {problem}")
    return found, [*dict.fromkeys(short)]


def distinguishing(found: Iterable[Fitted]) -> list[str]:
    """The names of facts that tell models apart."""
    all_facts = [each.facts for each in found]
    names = dict.fromkeys(name for facts in all_facts for name in facts)
    return [
        name
        for name in names
        if name in ALWAYS or len({str(facts.get(name)) for facts in all_facts}) > 1
    ]
