# SPDX-License-Identifier: BSD-3-Clause
"""The outcome of a tuning: rules confirmed by fresh runs, compared with native once more."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from laneway.choosing.profile import Tuned, besides, profile_text
from laneway.choosing.recommendation import Recommendation, Where, at_sizes, recommendations
from laneway.results.measurements import Measured
from laneway.rows import NATIVE, TUNED, Row
from laneway.tuning import race
from laneway.tuning.sizes import COARSE, SMALLEST
from laneway.tuning.stage import TuningPoint


@dataclass(frozen=True)
class Outcome:
    """The rules, and how they fared end to end."""

    rules: Sequence[Recommendation]
    profile: str | None
    """The profile's text; None where nothing is decided."""
    checked: Mapping[TuningPoint, float]
    """How many times as fast as native the finished profile was, at each size of a rule."""
    failed: Sequence[TuningPoint]
    """Sizes that were taken back: the profile was slower there than native."""
    open: Sequence[TuningPoint]
    """Points where something looks faster than native, and is not confirmed."""
    left: Mapping[str, Sequence[tuple[int, float]]]
    """Bytes that the profile does not decide, by collective: see undecided(). Empty where there is
    no profile, or it is about some sizes alone."""
    times: Mapping[TuningPoint, float] = field(default_factory=dict)
    """Microseconds that a call takes with the profile, by its check or by the race."""

    @property
    def unchecked(self) -> list[TuningPoint]:
        """The sizes of rules for whose check there was no time."""
        return [point for point in points_of(self.rules) if point not in self.checked]

    def rows(self) -> Iterator[Row]:
        """A row for each measured size of each rule."""
        for rule in at_sizes(self.rules):
            for gain in rule.gains:
                yield {
                    "library": rule.library,
                    "collective": rule.collective,
                    "bytes": gain.bytes,
                    "nodes": rule.where.nodes,
                    "ppn": rule.where.ppn,
                    "lanes": rule.where.lanes,
                    "binding": rule.where.binding,
                    "algorithm": rule.algorithm,
                    "ratio_to_native": round(gain.ratio, 4),
                    "low": round(gain.low, 4),
                    "high": round(gain.high, 4),
                    "runs": gain.runs,
                    "checked_ratio": _rounded(
                        self.checked.get(TuningPoint(rule.collective, gain.bytes))
                    ),
                }

    def undecided_rows(self, where: Where) -> Iterator[Row]:
        """A row for each range of bytes that the profile leaves to what serves without it."""
        for collective, ranges in self.left.items():
            for least, most in ranges:
                yield {
                    "library": where.library,
                    "collective": collective,
                    "bytes": least,
                    "most_bytes": None if math.isinf(most) else int(most),
                    "nodes": where.nodes,
                    "ppn": where.ppn,
                    "lanes": where.lanes,
                    "binding": where.binding,
                    "algorithm": None,
                }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def points_of(rules: Sequence[Recommendation]) -> list[TuningPoint]:
    """The measured sizes at which rules choose."""
    return [
        TuningPoint(rule.collective, gain.bytes) for rule in at_sizes(rules) for gain in rule.gains
    ]


def undecided(
    points: Iterable[TuningPoint],
    without: Container[TuningPoint],
    rules: Sequence[Recommendation] = (),
) -> dict[str, list[tuple[int, float]]]:
    """Ranges of bytes, by collective, of which nothing is known and that no rule serves.

    They are around the points in `without`, to the next other points, and between neighbouring
    points with rules. They are also above the largest point where that has a rule, and below the
    smallest one, unless that is of a few bytes.
    """
    ruled = {*points_of(rules)}
    found: dict[str, list[tuple[int, float]]] = {}
    for collective, sorted_ in groupby(sorted({*points}), key=lambda point: point.collective):
        listed = [*sorted_]
        sizes = [point.bytes for point in listed]
        ranges = [(0, sizes[0] - 1.0)] if sizes[0] > SMALLEST else []
        for point, before, after in zip(listed, [-1, *sizes], [*sizes[1:], math.inf], strict=False):
            if point in without:
                ranges.append((before + 1, after - 1))
            elif (
                point.bytes
                and point in ruled
                and (after == math.inf or TuningPoint(collective, int(after)) in ruled)
            ):
                ranges.append((point.bytes + 1, after - 1))
        own = [(rule.least, rule.most) for rule in rules if rule.collective == collective]
        if left := besides(_joined(ranges), own):
            found[collective] = left
    return found


def _joined(ranges: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """The ranges with those that touch as one, without empty ones."""
    found: list[tuple[int, float]] = []
    for least, most in ranges:
        if found and least <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(most, found[-1][1]))
        elif least <= most:
            found.append((least, most))
    return found


def conclude(
    confirmed: Measured,
    checked: Measured,
    found: Mapping[TuningPoint, race.Field],
    tuned: Tuned,
    *,
    points: Iterable[TuningPoint],
    standing: Callable[[TuningPoint], str],
    binding: str | None = None,
) -> Outcome:
    """The rules without those sizes at which the profile was slower than native end to end.

    `found` are the times of the race, `points` those to tune. `standing` names the algorithm that
    serves at a point where nobody has tuned: open points, and those that were not measured, are
    left to it. Rules are for jobs with that `binding`. An algorithm that is confirmed has a rule,
    though there was no time to check it. Where nothing is confirmed, but something looks faster, or
    nothing was measured at all, there is no profile.
    """
    last = race.fields(checked.summaries)
    ratios = race.least_ratios(checked.summaries)
    first = recommendations(confirmed, apart=COARSE, binding=binding)
    failed = [
        TuningPoint(rule.collective, gain.bytes)
        for rule in at_sizes(first)
        for gain in rule.gains
        if ratios.get(TuningPoint(rule.collective, gain.bytes), gain.least) < gain.least
    ]
    rules = recommendations(confirmed, without=frozenset(failed), apart=COARSE, binding=binding)
    ruled = set(points_of(rules))
    again = race.fields(confirmed.summaries)
    fields = {
        point: {**found.get(point, {}), **again.get(point, {})} for point in {**found, **again}
    }
    settled = ruled.union(failed)
    left = [point for point, own in fields.items() if race.ranked(own) and point not in settled]
    kept = {point: ratio for point, ratio in ratios.items() if point in ruled}
    decided = bool(rules) or bool(fields and not left)
    unmeasured = [point for point in points if point not in fields]
    ranges = undecided([*fields, *points], {*left, *unmeasured}, rules)
    text = profile_text(rules, confirmed, replace(tuned, left=ranges)) if decided else None
    times = {point: last[point][TUNED] for point in kept if TUNED in last[point]}
    times |= {TuningPoint(rule.collective, gain.bytes): gain.median_us
              for rule in at_sizes(rules) for gain in rule.gains
              if TuningPoint(rule.collective, gain.bytes) not in times}  # fmt: skip
    times |= {point: own[standing(point) if point in left and standing(point) in own else NATIVE]
              for point, own in fields.items() if point not in times and NATIVE in own}  # fmt: skip
    undecided_there = ranges if decided and tuned.whole else {}
    return Outcome(rules, text, kept, failed, left, undecided_there, times)
