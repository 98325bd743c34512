# SPDX-License-Identifier: BSD-3-Clause
"""The race: which contestants go on, with which tunables, and at which sizes to look closer.

A race by successive halving (K. Jamieson, A. Talwalkar: Non-stochastic Best Arm Identification and
Hyperparameter Optimization, AISTATS 2016): at each stage fewer contestants are measured longer.
Whatever it decides is confirmed by tests over fresh runs before it becomes a rule.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import geometric_mean

from laneway.collectives import OF_UNKNOWN_BYTES
from laneway.libraries.registry import Algorithm
from laneway.plans.points import registered
from laneway.rows import NATIVE, TUNED, CaseSummary
from laneway.tuning.stage import TuningPoint

Field = dict[str, float]
"""Times of the contestants of a point by label, in microseconds, native among them."""

WORTH = 1.03
"""How many times as fast as native an algorithm must look to stay in the race."""

NEAR = 1.05
"""Time over the fastest's up to which a contestant is as good: so one serves many sizes."""

FINE = 4
"""Factor between neighbouring sizes, at the finest."""


def fields(summaries: Iterable[CaseSummary]) -> dict[TuningPoint, Field]:
    """The median times of all contestants by point.

    Where a point is measured with several layouts of blocks, they are geometric means, of the
    contestants that took part in all of them.
    """
    found: dict[TuningPoint, Field] = {}
    for point, layouts in _by_layout(summaries).items():
        first, *others = layouts.values()
        found[point] = {
            name: geometric_mean([own[name] for own in layouts.values()]) if others else time
            for name, time in first.items()
            if all(name in own for own in others)
        }
    return found


def as_rules_see(found: Mapping[TuningPoint, Field]) -> dict[TuningPoint, Field]:
    """The times by which contestants race, where points of one rule cannot differ.

    A rule of OF_UNKNOWN_BYTES holds at all sizes. So a contestant has the same ratio to native at
    each of them: the geometric mean over all sizes. Those that were not measured at all sizes are
    left out.
    """
    seen = dict(found)
    for collective in {point.collective for point in found} & OF_UNKNOWN_BYTES:
        own = {point: field for point, field in found.items() if point.collective == collective}
        if not all(NATIVE in field for field in own.values()):
            continue
        common = set.intersection(*({*field} for field in own.values()))
        ratios = {
            name: geometric_mean(field[name] / field[NATIVE] for field in own.values())
            for name in common
        }
        seen |= {
            point: {name: field[NATIVE] * ratios[name] for name in field if name in common}
            for point, field in own.items()
        }
    return seen


def least_ratios(summaries: Iterable[CaseSummary]) -> dict[TuningPoint, float]:
    """How many times as fast as native the tuned choice is at each point, with its worst layout."""
    found = {
        point: [own[NATIVE] / own[TUNED] for own in layouts.values() if {NATIVE, TUNED} <= {*own}]
        for point, layouts in _by_layout(summaries).items()
    }
    return {point: min(ratios) for point, ratios in found.items() if ratios}


def _by_layout(summaries: Iterable[CaseSummary]) -> dict[TuningPoint, dict[str, Field]]:
    """The median times by point and layout."""
    found: dict[TuningPoint, dict[str, Field]] = defaultdict(lambda: defaultdict(dict))
    for summary in summaries:
        key = summary.key
        own = found[TuningPoint(key.collective, key.bytes)][key.layout]
        own[key.algorithm] = min(summary.median_us, own.get(key.algorithm, math.inf))
    return found


def ranked(field: Field) -> list[str]:
    """The contestants of a point that look faster than native, the fastest first."""
    native = field.get(NATIVE, math.inf)
    ours = [name for name in field if name != NATIVE and field[name] * WORTH <= native]
    return sorted(ours, key=lambda name: field[name])


def serving(found: Mapping[TuningPoint, Field]) -> dict[TuningPoint, list[str]]:
    """Contestants of each point that look faster than native, first the one to confirm.

    That one is among the fastest, and the same at as many neighbouring sizes as possible. An
    algorithm that is confirmed at two neighbouring sizes serves all sizes between them.
    """
    chosen = {point: ranked(own) for point, own in found.items()}
    for collective in dict.fromkeys(point.collective for point in found):
        sizes = sorted(point for point in found if point.collective == collective)
        while sizes:
            first, rest = sizes[0], sizes[1:]
            run, common = [first], _near(found[first])
            while rest and common & _near(found[rest[0]]):
                common &= _near(found[rest[0]])
                run.append(rest.pop(0))
            sizes = rest
            if not common:
                continue
            name = min(sorted(common), key=lambda name: sum(_slower(found[at], name) for at in run))
            for point in run:
                others = [other for other in chosen[point] if other != name]
                chosen[point] = [name, *others]
    return chosen


def _slower(field: Field, name: str) -> float:
    """A contestant's time over that of the fastest, which looks faster than native."""
    return field[name] / field[ranked(field)[0]]


def _near(field: Field) -> set[str]:
    """The contestants of a point that are as good as the fastest."""
    return {name for name in ranked(field) if _slower(field, name) <= NEAR}


def survivors(field: Field, factor: float, most: int) -> list[str]:
    """The `ranked` within a factor of the fastest, `most` at most, one label of an algorithm."""
    order = ranked(field)
    kept: list[str] = []
    for name in order:
        near = field[name] <= factor * field[order[0]]
        if near and registered(name) not in map(registered, kept):
            kept.append(name)
    return kept[:most]


def neighbours(label: str, algorithm: Algorithm, ppn: int, network_lanes: int) -> Iterator[str]:
    """Labels of the algorithm with one of its tunables moved by a step, within its range."""
    values = tunables(label, algorithm)
    for tunable in algorithm.tunables:
        own = values[tunable.name]
        if tunable.name == "leaders":
            others = _leaders(own, ppn, network_lanes)
        else:
            others = tunable.steps(own)
        for other in others:
            if other != own and tunable.least <= other <= tunable.most:
                yield algorithm.label({**values, tunable.name: other})


def _leaders(own: int, ppn: int, network_lanes: int) -> list[int]:
    """Next numbers of leaders: after all of a node (0), one a lane; else twice as many and half.

    Twice as many becomes all of the node again where it would not be fewer.
    """
    if own == 0:
        return [network_lanes] if 0 < network_lanes < ppn else []
    return [own * 2 if own * 2 < ppn else 0, *([own // 2] if own > 1 else [])]


def tunables(label: str, algorithm: Algorithm) -> dict[str, int]:
    """The values of all tunables: presets where a label says nothing."""
    values = {tunable.name: tunable.preset for tunable in algorithm.tunables}
    inside = label.partition("(")[2].removesuffix(")")
    for part in filter(None, inside.split(",")):
        name, _, value = part.partition("=")
        values[name] = int(value)
    return values


def between(found: Mapping[TuningPoint, Field]) -> dict[TuningPoint, tuple[str, ...]]:
    """Points between neighbouring sizes with different winners; both sizes' best are contestants.

    Where native wins at both sizes, or the same algorithm does, there is nothing to look for.
    """
    added: dict[TuningPoint, tuple[str, ...]] = {}
    for collective in dict.fromkeys(point.collective for point in found):
        sizes = sorted(point.bytes for point in found if point.collective == collective)
        for low, high in pairwise(sizes):
            sides = [
                survivors(found[TuningPoint(collective, size)], 1.3, 3) for size in (low, high)
            ]
            names = tuple(dict.fromkeys(name for side in sides for name in side))
            if not names or high <= FINE * low or all(side[:1] == [names[0]] for side in sides):
                continue
            added[TuningPoint(collective, middle(low, high))] = names
    return added


def middle(low: int, high: int) -> int:
    """The power of two nearest to the geometric mean of two sizes; of two, the lower one."""
    return 1 << math.floor(math.log2(low * high) / 2)


def with_standing(names: Sequence[str], standing: str, field: Field) -> tuple[str, ...]:
    """The names plus, after the first, the untuned choice, if it looks faster than native.

    So a profile gains at least what its machine gains without one, or the reason is known.
    """
    if standing not in ranked(field):
        return (*names,)
    return (*dict.fromkeys([*names[:1], standing, *names[1:]]),)


def with_neighbouring_winners(
    chosen: Mapping[TuningPoint, Sequence[str]],
) -> dict[TuningPoint, tuple[str, ...]]:
    """Contestants of each point, plus the first of both neighbouring sizes before its own second.

    Between two sizes an algorithm is used that is confirmed at both.
    """
    found: dict[TuningPoint, tuple[str, ...]] = {}
    for point, own in chosen.items():
        sizes = sorted(other.bytes for other in chosen if other.collective == point.collective)
        place = sizes.index(point.bytes)
        near = [sizes[i] for i in (place - 1, place + 1) if 0 <= i < len(sizes)]
        firsts = [name for size in near for name in chosen[TuningPoint(point.collective, size)][:1]]
        found[point] = tuple(dict.fromkeys([*own[:1], *firsts, *own[1:]]))
    return found
