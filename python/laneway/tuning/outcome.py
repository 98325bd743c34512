# SPDX-License-Identifier: BSD-3-Clause
"""What a tuning ends with: rules that fresh runs have confirmed, held against native once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from laneway.choosing.profile import Tuned, profile_text
from laneway.choosing.recommendation import Recommendation, at_sizes, recommendations
from laneway.results.measurements import Measured
from laneway.rows import NATIVE, TUNED, Row
from laneway.tuning import race
from laneway.tuning.sizes import COARSE
from laneway.tuning.stage import Point


@dataclass(frozen=True)
class Outcome:
    """The rules, and how they did end to end."""

    rules: Sequence[Recommendation]
    profile: str | None
    """Its text; None where nothing is decided."""
    checked: Mapping[Point, float]
    """At each size of a rule how many times as fast as native the finished profile was."""
    failed: Sequence[Point]
    """Sizes that were taken back: the profile was slower there than native."""
    open: Sequence[Point]
    """Where something looks faster than native, and runs have not confirmed or not checked it."""

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
                    "algorithm": rule.algorithm,
                    "ratio_to_native": round(gain.ratio, 4),
                    "low": round(gain.low, 4),
                    "high": round(gain.high, 4),
                    "runs": gain.runs,
                    "checked_ratio": _rounded(self.checked.get(Point(rule.collective, gain.bytes))),
                }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def points_of(rules: Sequence[Recommendation]) -> list[Point]:
    """The measured sizes at which rules choose."""
    return [Point(rule.collective, gain.bytes) for rule in at_sizes(rules) for gain in rule.gains]


def conclude(
    confirmed: Measured,
    checked: Measured,
    found: Mapping[Point, race.Field],
    tuned: Tuned,
) -> Outcome:
    """The rules without those sizes at which the profile was slower than native end to end.

    `found` are the times of the race. Where nothing is confirmed, but something looks faster, or
    nothing was measured at all, there is no profile.
    """
    ratios = {
        point: own[NATIVE] / own[TUNED]
        for point, own in race.fields(checked.summaries).items()
        if NATIVE in own and TUNED in own
    }
    failed, unchecked = [], []
    for point in points_of(recommendations(confirmed)):
        if point not in ratios:
            unchecked.append(point)
        elif ratios[point] < 1:
            failed.append(point)
    rules = recommendations(confirmed, without=frozenset([*failed, *unchecked]), apart=COARSE)
    ruled = set(points_of(rules))
    fields = {**found, **race.fields(confirmed.summaries)}
    settled = ruled.union(failed)
    left = [point for point, own in fields.items() if race.ranked(own) and point not in settled]
    kept = {point: ratio for point, ratio in ratios.items() if point in ruled}
    decided = bool(rules) or bool(fields and not left)
    text = profile_text(rules, confirmed, tuned) if decided else None
    return Outcome(rules, text, kept, failed, left)
