# SPDX-License-Identifier: BSD-3-Clause
"""Whether times are still what they were: those of one day, or library, against those of another.

Runs of different campaigns are no pairs, so the statistic is that of `unpaired`. It is made
one-sided against a margin in both directions, as for guidelines. *Slower by more* is FAIL, *slower
by less* is PASS (non-inferiority, not the mere absence of evidence).
"""

from __future__ import annotations

import enum
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import NormalDist
from typing import Any

from laneway.guideline.judge import Terms
from laneway.guideline.statistics import HOPELESS_RUNS, ONE_RUN, POWER, Shift
from laneway.rows import FACTS, CaseKey
from laneway.rows.gain import TimesByRun
from laneway.units import counted


class ChangeVerdict(enum.StrEnum):
    """The answers of times to whether they are as they were."""

    PASS = "PASS"  # noqa: S105 - no password
    FAIL = "FAIL"
    UNDECIDED = "UNDECIDED"


def runs_wanted(found: Shift, margin: float, alpha: float) -> int | None:
    """How many runs of each side will decide, if they are like those so far; None: none will."""
    from laneway.guideline.unpaired import least_runs

    distance = abs(math.log(found.ratio) - math.log1p(margin))
    least = least_runs(alpha)
    if found.spread == 0:
        return least
    if distance == 0:
        return None
    quantile = NormalDist().inv_cdf
    effort = (quantile(1 - alpha) + quantile(POWER)) * found.spread / distance
    wanted = max(least, math.ceil(2 * math.pi / 3 * effort**2))
    return wanted if wanted <= HOPELESS_RUNS else None


@dataclass(frozen=True)
class CaseChange:
    """One case, before and now."""

    key: CaseKey
    """The case as it is now."""
    verdict: ChangeVerdict
    before_us: float
    now_us: float
    """Medians of the runs' medians."""
    runs_before: int
    runs_now: int
    shift: Shift | None
    q_slower: float | None
    q_kept: float | None
    """The p-values of both decisions, corrected for all cases."""
    runs: int | None
    """So many runs of each side will decide; None where that is no question."""
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The change as one JSON object."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        key, found = own.pop("key"), own.pop("shift")
        facts = {name: getattr(key, name) for name in FACTS} | dict(key.axes)
        figures = asdict(found) if found else dict.fromkeys(each.name for each in fields(Shift))
        return {"kind": "change", **facts, **own, **figures}


def changes(
    pairs: Sequence[tuple[CaseKey, TimesByRun, TimesByRun]],
    terms: Terms,
    wrong: Mapping[CaseKey, str],
) -> list[CaseChange]:
    """Judges all cases together: times before and now, by run.

    `wrong`: what was wrong now, by case: a fast but wrong result is not as it was.
    """
    from laneway.guideline.unpaired import shifts

    valid = [pair for pair in pairs if pair[0] not in wrong and _has_times(pair)]
    sides = [([*before.values()], [*now.values()]) for _, before, now in valid]
    own_shifts, *corrected = shifts(sides, terms)
    keys = [key for key, *_ in valid]
    found = dict(zip(keys, own_shifts, strict=True))
    slower, kept = (dict(zip(keys, own, strict=True)) for own in corrected)
    significant = [sum(q <= terms.alpha for q in side.values()) for side in (slower, kept)]

    def judged(key: CaseKey, before: TimesByRun, now: TimesByRun) -> CaseChange:
        own, runs, verdict = found.get(key), None, ChangeVerdict.UNDECIDED
        if key in wrong:
            verdict, reason = ChangeVerdict.FAIL, wrong[key]
        elif own is None:
            reason = "a time is zero: the clock is too coarse for this"
        elif slower[key] <= terms.alpha:
            verdict, reason = ChangeVerdict.FAIL, f"slower by more than {terms.margin:.0%}"
        elif kept[key] <= terms.alpha:
            verdict, reason = ChangeVerdict.PASS, f"not slower by {terms.margin:.0%}"
        elif len(before) == len(now) == 1:
            reason = ONE_RUN
        else:
            side = 0 if own.ratio > 1 + terms.margin else 1
            threshold = terms.alpha * min(significant[side] + 1, len(found)) / len(found)
            runs = runs_wanted(own, terms.margin, threshold)
            reason = _undecided(runs, terms)
        return CaseChange(
            key,
            verdict,
            before_us=statistics.median(before.values()),
            now_us=statistics.median(now.values()),
            runs_before=len(before),
            runs_now=len(now),
            shift=own,
            q_slower=slower.get(key),
            q_kept=kept.get(key),
            runs=runs,
            reason=reason,
        )

    return [judged(*pair) for pair in pairs]


def _has_times(pair: tuple[CaseKey, TimesByRun, TimesByRun]) -> bool:
    return all(value > 0 for side in pair[1:] for value in side.values())


def _undecided(runs: int | None, terms: Terms) -> str:
    if runs is None:
        return f"the ratio is so close to the margin of {terms.margin:.0%} that runs don't tell"
    return f"about {counted(runs, 'run')} of each side will decide, if they are like these"
