# SPDX-License-Identifier: BSD-3-Clause
"""The costs of contestants: seconds of a run, by the times of calls that are known so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from laneway.campaign.estimate import BEGIN, CALLS
from laneway.rows import NATIVE, TUNED
from laneway.tuning.race import Field
from laneway.tuning.stage import TuningPoint

LEAST = 0.01
"""Seconds for a contestant at a point in a run, at least."""


@dataclass(frozen=True)
class Costs:
    """The costs of contestants, and of native under each binding under which it takes part."""

    known: Mapping[TuningPoint, Field]
    """The times so far."""
    others: Sequence[str]
    """Further bindings under which native is measured."""
    beaten: Mapping[str, Collection[TuningPoint]]
    """The points at which native is not measured, by further binding."""

    def of(self, chosen: Mapping[TuningPoint, Sequence[str]], pace: float = LEAST) -> float:
        """Seconds of a run with `pace` seconds for each contestant at each point."""
        return sum(
            BEGIN + max(pace, call) + CALLS * call
            for point, names in chosen.items()
            if names
            for call in self._calls(point, names)
        )

    def of_tuned(self, points: Collection[TuningPoint]) -> float:
        """Seconds of a run where a finished profile meets native, under all bindings."""
        return self.unbeaten().of(dict.fromkeys(points, (TUNED,)))

    def unbeaten(self) -> Costs:
        """The costs where native takes part under all bindings."""
        return replace(self, beaten={})

    def promise(self, point: TuningPoint) -> float | None:
        """How many times as fast as native the fastest looks, at the point or at a size nearby."""
        field = self._field(point)
        return field[NATIVE] / min(field.values()) if NATIVE in field else None

    def alive(self, points: Collection[TuningPoint]) -> list[str]:
        """The further bindings under which native takes part at any of these points."""
        return [name for name in self.others if {*points} - {*self.beaten.get(name, ())}]

    def _calls(self, point: TuningPoint, names: Sequence[str]) -> list[float]:
        """Seconds that a call of each takes: as long as native's, where it is not known.

        TUNED is measured under each binding, too.
        """
        field = self._field(point)
        bindings = 1 + len(self.alive([point]))
        native = field.get(NATIVE, 0.0)
        ours = [field.get(name, native) for name in names if name != TUNED]
        tuned = [min(field.values(), default=0.0)] * (bindings * (TUNED in names))
        return [time / 1e6 for time in (*ours, *tuned, *[native] * bindings)]

    def _field(self, point: TuningPoint) -> Field:
        """Times at a point; where they are not known, those of a larger size.

        Where there is no larger one, those of a smaller size, as if they grew with it.
        """
        if point in self.known:
            return self.known[point]
        sizes = sorted(each.bytes for each in self.known if each.collective == point.collective)
        larger = [size for size in sizes if size > point.bytes]
        if larger:
            return self.known[TuningPoint(point.collective, larger[0])]
        if not sizes:
            return {}
        factor = point.bytes / max(sizes[-1], 1)
        last = self.known[point._replace(bytes=sizes[-1])]
        return {name: time * factor for name, time in last.items()}
