# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on what reports show: each algorithm against native, and the fastest against the rest.

They come from the same paired tests as those on guidelines. But here native counts under the
better of its bindings, as in the ratios beside the verdicts.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from laneway.guideline.comparison import (
    OF_THE_CALL,
    GuidelineComparison,
    MeasuredPoint,
    WrongResults,
)
from laneway.guideline.judge import GuidelineFinding, Terms, decide
from laneway.guideline.rules import mockup
from laneway.guideline.statistics import GuidelineVerdict
from laneway.rows import FACTS, NATIVE, CaseKey, Row, Samples, gain
from laneway.rows.gain import TimesByRun

Name = TypeVar("Name")


def winner(medians: Mapping[Name, float], confirmed: Container[Name]) -> Name:
    """The algorithm that is called the fastest, in every text, table and profile.

    It has the lowest median among those that tests confirm to be faster than native, and where they
    confirm none, among all.
    """
    return min(medians, key=lambda each: (each not in confirmed, medians[each]))


@dataclass(frozen=True)
class Standing:
    """Which algorithm is the winner at a point, and what runs say about that."""

    best: CaseKey
    runner_up: CaseKey
    """The case of the lowest median among the others."""
    margin: float | None
    """How many times as long the next one takes."""
    verdict: GuidelineVerdict
    """The verdict on "some other is as fast". VIOLATED means that all others are slower, beyond
    what runs differ by; HOLDS that one is as fast."""
    more_runs: int | None
    """So many more runs will settle what is UNDECIDED, if they are like these."""


class Contest:
    """The times of all cases by run, and the pairs that are tested."""

    def __init__(self, samples: Mapping[CaseKey, Samples], rows: Iterable[Row]) -> None:
        """`rows` may hold any; those of kind `error` tell which cases do not count."""
        self.times: dict[CaseKey, TimesByRun] = {key: own.medians() for key, own in samples.items()}
        self.medians = {key: statistics.median(own.values()) for key, own in self.times.items()}
        self.wrong = WrongResults(row for row in rows if row["kind"] == "error")
        self.cases: dict[CaseKey, list[CaseKey]] = defaultdict(list)
        for key in sorted(self.medians, key=lambda key: self.medians[key]):
            self.cases[key.case].append(key)

    @cached_property
    def against_native(self) -> dict[CaseKey, GuidelineFinding]:
        """Whether native is as fast as an algorithm, by the case of that algorithm."""
        pairs: dict[str, list[tuple[CaseKey, CaseKey]]] = defaultdict(list)
        for case in self.cases.values():
            native = next((key for key in case if key.algorithm == NATIVE), None)
            for key in case if native else ():
                if native and key.algorithm != NATIVE:
                    pairs[mockup(NATIVE, key.algorithm)].append((native, key))
        return {
            right: finding
            for guideline, own in pairs.items()
            for (_, right), finding in zip(own, self._judge(guideline, own), strict=True)
        }

    def standings(self) -> list[Standing]:
        """The standing of each case with several algorithms that are right."""
        confirmed = {
            key
            for key, finding in self.against_native.items()
            if finding.verdict is GuidelineVerdict.VIOLATED
        }
        fields = []
        for case in self.cases.values():
            right = {key: self.medians[key] for key in case if not self.wrong.has(_point(key))}
            if not right:
                continue
            best = winner(right, confirmed)
            others = [key for key in right if key.algorithm != best.algorithm]
            if others:
                fields.append((best, others))
        pairs = [(other, best) for best, others in fields for other in others]
        findings = iter(self._judge("fastest", pairs))
        return [
            _standing(best, others, self._margin(best, others[0]), [next(findings) for _ in others])
            for best, others in fields
        ]

    def _margin(self, best: CaseKey, runner_up: CaseKey) -> float | None:
        return gain.ratio(self.times[runner_up], self.times[best])

    def _judge(
        self, guideline: str, pairs: Sequence[tuple[CaseKey, CaseKey]]
    ) -> list[GuidelineFinding]:
        """The findings on "the left is as fast as the right", of all pairs together."""
        return [
            *decide(
                [
                    GuidelineComparison(
                        guideline,
                        _point(left),
                        str(_point(right)),
                        self.times[left],
                        self.times[right],
                        self.wrong.among([_point(left), _point(right)]),
                    )
                    for left, right in pairs
                ],
                Terms(),
            )
        ]


def _standing(
    best: CaseKey,
    others: Sequence[CaseKey],
    margin: float | None,
    findings: Sequence[GuidelineFinding],
) -> Standing:
    """The standing: one other that is as fast proves it; all must be slower to disprove it.

    Where one is undecided, runs may still prove it, so that comes before what cannot be judged.
    """
    verdicts = {finding.verdict for finding in findings}
    order = (
        GuidelineVerdict.HOLDS,
        GuidelineVerdict.UNDECIDED,
        GuidelineVerdict.INVALID,
        GuidelineVerdict.VIOLATED,
    )
    verdict = next(each for each in order if each in verdicts)
    more = [each.more_runs for each in findings if each.verdict is GuidelineVerdict.UNDECIDED]
    known = [each for each in more if each is not None]
    settled = verdict is GuidelineVerdict.UNDECIDED and len(known) == len(more)
    return Standing(best, others[0], margin, verdict, max(known) if settled else None)


def _point(key: CaseKey) -> MeasuredPoint:
    axes = dict(key.axes)
    call = {name: axes.pop(name, None) for name in OF_THE_CALL}
    facts = {name: getattr(key, name) for name in FACTS}
    call |= {name: facts.pop(name) for name in OF_THE_CALL if name in facts}
    return MeasuredPoint(**call, axes=tuple({**facts, **axes}.items()))
