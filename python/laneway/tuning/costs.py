# SPDX-License-Identifier: BSD-3-Clause
"""The costs of contestants: seconds of a run, by the times of calls that are known so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from laneway.campaign.estimate import BEGIN, CALLS
from laneway.collectives import REGULAR, blocking
from laneway.launching.place import Setting
from laneway.modelling.floor import Wire, collective_us
from laneway.rows import NATIVE, TUNED
from laneway.tuning.race import Field
from laneway.tuning.stage import TuningPoint

LEAST = 0.01
"""Seconds for a contestant at a point in a run, at least."""


OVER_FLOOR = 3.0
"""Time of a call over the least that lanes allow, about, before anything was measured."""


def expected(points: Iterable[TuningPoint], setting: Setting) -> dict[TuningPoint, Field]:
    """Native's times by the least that the lanes of an emulated cluster allow.

    Empty where lanes are not known.
    """
    place, found = setting.place, {}
    wire = Wire.of(place.cluster.state.described()) if place.cluster else None
    if wire is None:
        return {}
    for point in points:
        least = collective_us(
            wire,
            REGULAR.get(blocking(point.collective), point.collective),
            point.bytes,
            processes=place.processes,
            lanes=setting.lanes or 1,
            binding=setting.binding,
        )
        if least is not None:
            found[point] = {NATIVE: OVER_FLOOR * least}
    return found


@dataclass(frozen=True)
class Costs:
    """The costs of contestants, native among them."""

    known: Mapping[TuningPoint, Field]
    """The times so far."""
    cases: Callable[[str], int] = lambda _collective: 1
    """How many cases a point of a collective is measured in."""

    def of(self, chosen: Mapping[TuningPoint, Sequence[str]], pace: float = LEAST) -> float:
        """Seconds of a run with `pace` seconds for each contestant at each point."""
        return sum(
            self.cases(point.collective) * (BEGIN + max(pace, call) + CALLS * call)
            for point, names in chosen.items()
            if names
            for call in self._calls(point, names)
        )

    def of_tuned(self, points: Collection[TuningPoint]) -> float:
        """Seconds of a run where a finished profile meets native."""
        return self.of(dict.fromkeys(points, (TUNED,)))

    def promise(self, point: TuningPoint) -> float | None:
        """How many times as fast as native the fastest looks, at the point or at a size nearby."""
        field = self._field(point)
        fastest = min(field.values(), default=0.0)
        # A message that a burst lets pass is expected to take no time at all.
        return field[NATIVE] / fastest if NATIVE in field and fastest > 0 else None

    def _calls(self, point: TuningPoint, names: Sequence[str]) -> list[float]:
        """Seconds that a call of each takes: as long as native's, where it is not known."""
        field = self._field(point)
        native = field.get(NATIVE, 0.0)
        fastest = min(field.values(), default=0.0)
        ours = [fastest if name == TUNED else field.get(name, native) for name in names]
        return [time / 1e6 for time in (*ours, native)]

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
