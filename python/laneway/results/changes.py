# SPDX-License-Identifier: BSD-3-Clause
"""Changes between two measurements: of two versions of a library, or on two days."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from laneway.errors import Misuse
from laneway.guideline import Terms
from laneway.results.measurements import Measured
from laneway.rows import FACTS, CaseKey, Row

if TYPE_CHECKING:
    from laneway.guideline.unpaired import Difference


@dataclass(frozen=True)
class Changed:
    """One case of both sides."""

    key: CaseKey
    """The key as on the new side."""
    old_us: float
    new_us: float
    """Medians of the runs' medians."""
    old_runs: int
    new_runs: int
    difference: Difference

    def row(self) -> Row:
        """The change as one JSON object."""
        facts = {name: getattr(self.key, name) for name in FACTS if name != "library"}
        unknown = {name: facts[name] or None for name in ("nodes", "ppn")}
        own = asdict(self.difference)
        return {
            "kind": "difference",
            **facts,
            **unknown,
            "old_us": round(self.old_us, 3),
            "new_us": round(self.new_us, 3),
            "old_runs": self.old_runs,
            "new_runs": self.new_runs,
            "verdict": str(own.pop("change")),
            **own,
            **dict(self.key.axes),
        }


@dataclass(frozen=True)
class Changes:
    """All cases of both sides, and how many only one of them has."""

    cases: list[Changed]
    only_old: int
    only_new: int
    without_time: int
    """Cases in which a time is zero: no ratio can be told."""
    wrong: Mapping[CaseKey, str]
    """Cases whose results are wrong on the new side: their times say nothing."""


def changes(old: Measured, new: Measured, terms: Terms) -> Changes:
    """Judges the cases that both sides have in common; libraries may differ. Raises Misuse."""
    from laneway.guideline.unpaired import differences

    apart = {*old.libraries} == {*new.libraries}
    if not apart and (len(old.libraries) > 1 or len(new.libraries) > 1):
        raise Misuse("several libraries on one side, and others on the other: name one of each")
    before, after = _sides(old, apart=apart), _sides(new, apart=apart)
    wrong = new.wrong(after[case][0] for case in after if case in before)
    both = [case for case in after if case in before and after[case][0] not in wrong]
    timed = [each for each in both if min(*before[each][1], *after[each][1]) > 0]
    judged = differences([(before[each][1], after[each][1]) for each in timed], terms)
    cases = [
        Changed(
            after[case][0],
            statistics.median(before[case][1]),
            statistics.median(after[case][1]),
            len(before[case][1]),
            len(after[case][1]),
            found,
        )
        for case, found in zip(timed, judged, strict=True)
    ]
    common = len(both) + len(wrong)
    return Changes(cases, len(before) - common, len(after) - common, len(both) - len(timed), wrong)


def _sides(measured: Measured, *, apart: bool) -> dict[CaseKey, tuple[CaseKey, list[float]]]:
    """The medians of the runs of each case; of libraries that differ by case, or all as one."""
    keys = [summary.key for summary in measured.summaries]
    return {
        key if apart else replace(key, library=""): (
            key,
            [*measured.samples[key].medians().values()],
        )
        for key in keys
    }
