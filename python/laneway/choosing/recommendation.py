# SPDX-License-Identifier: BSD-3-Clause
"""Recommendations from measurements: which algorithm where, and by how much.

An algorithm is recommended only where paired tests over runs confirm it. It must be faster than the
MPI library's own at the better of its bindings. Nothing is said of sizes that were not measured,
but for those between two neighbouring ones at which the same algorithm is confirmed.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import geometric_mean

from laneway.choosing.next_commands import Environments, is_virtual
from laneway.collectives import OF_UNKNOWN_BYTES, WITHOUT_DATA
from laneway.guideline import GuidelineFinding, GuidelineVerdict, Terms, winner
from laneway.results.measurements import Measured
from laneway.rows import FORCED, NATIVE, SLOWEST_RANK, TUNED, CaseKey, CaseSummary, Row
from laneway.units import counted, exact_range, ratio, size

_CHOICE = re.compile(r"\w+(\([\w=,]*\))?")
"""Names that a profile can choose: no label such as native#b, no name of another benchmark's."""

AS_FAST = 1 / (1 + Terms.margin)
"""Native's time over an algorithm's from which on that is as fast: less does not matter."""

_OWN = re.compile(rf"{FORCED}[\w-]+(\([\w=,]*\))?")
"""Names that the MPI library can choose by its own settings: its own algorithms."""


@dataclass(frozen=True)
class Where:
    """The library and the shape that measurements hold for: a rule holds on no other shape."""

    library: str
    nodes: int
    ppn: int
    lanes: int | None
    """Network lanes of a node; None: unknown."""
    unequal: tuple[int, ...] = ()
    """Processes of each node, where they differ; `ppn` is the most then."""
    virtual: bool = field(default=False, compare=False)
    """Whether the nodes were virtual ones."""
    binding: str | None = None
    """The binding of the jobs that it holds for; None: whatever it is."""

    def __str__(self) -> str:
        lanes = "" if self.lanes is None else f", {counted(self.lanes, 'lane')}"
        virtual = " virtual" if self.virtual else ""
        ranks = f"of {','.join(map(str, self.unequal))}" if self.unequal else f"x {self.ppn}"
        binding = f", binding {self.binding}" if self.binding else ""
        return f"{self.library}, {self.nodes}{virtual} nodes {ranks} ranks{lanes}{binding}"

    @classmethod
    def of(cls, key: CaseKey, *, virtual: bool = False, binding: str | None = None) -> Where:
        """The library and the shape of a measured case."""
        processes = tuple(key.processes)
        unequal = processes if len({*processes}) > 1 else ()
        return cls(key.library, key.nodes, key.ppn, key.lanes, unequal, virtual, binding)

    @property
    def conditions(self) -> list[str]:
        """The conditions by which a profile knows such a communicator, but for its lanes."""
        if not self.unequal:
            return [f"nodes={self.nodes}", f"ppn={self.ppn}"]
        ranks, least = sum(self.unequal), min(self.unequal)
        return [f"ranks={ranks}", f"nodes={self.nodes}", f"ppn={least}..{self.ppn}"]


@dataclass(frozen=True)
class Gain:
    """How much faster than native an algorithm is at one size: the least of what was measured."""

    bytes: int
    ratio: float
    """Native's time over this algorithm's; `low` and `high` are its interval."""
    low: float
    high: float
    runs: int
    key: CaseKey
    """The case that was measured."""
    median_us: float
    """The median of the runs' medians; for several cases of a size their geometric mean."""
    over_floor: float | None
    """The median over the least time that the lanes allow; None where there is no knowing."""
    runner_up: tuple[str, float] = (NATIVE, 0.0)
    """The next best that was confirmed, or native, and how many times as long it takes."""
    confirmed: bool = True
    """Whether it is faster than native, and not only as fast."""

    @property
    def least(self) -> float:
        """The ratio to native that a later measurement must show, else nothing was gained here."""
        return 1.0 if self.confirmed else AS_FAST

    @property
    def above_floor(self) -> str:
        """The ratio `over_floor` in words; empty where there is no knowing."""
        if self.over_floor is None:
            return ""
        return f"{ratio(self.over_floor)} times the least time that the lanes allow"

    def sentence(self) -> str:
        """The gain in words."""
        return (
            f"{self.key.algorithm} is {ratio(self.ratio)} times as fast as {self.key.library}'s "
            f"own {self.key.collective} at {size(self.bytes)} ({self.interval()})"
        )

    def interval(self, where: str = "") -> str:
        """Bounds of the gain by tests, and the distance from the floor, in words."""
        floor = f"; {self.above_floor}" if self.above_floor else ""
        return f"{ratio(self.low)} to {ratio(self.high)}{where}{floor}"


@dataclass(frozen=True)
class Recommendation:
    """An algorithm that is confirmed to be faster than native in a range of sizes."""

    where: Where
    collective: str
    algorithm: str
    datatypes: tuple[str, ...]
    least: int
    """The least bytes, as profiles mean them, for which the algorithm is to be used."""
    most: float
    """The most bytes, included like the least; infinite where no rule can ask for bytes."""
    gains: tuple[Gain, ...]
    """The gains by size, at least one; where it serves `between` sizes, those next to its range."""
    environment: Row = field(default_factory=dict, compare=False, repr=False)
    """The row that tells how the job was started that measured the best of the gains."""

    @property
    def library(self) -> str:
        """The MPI library that the recommendation is about."""
        return self.where.library

    @property
    def best(self) -> Gain:
        """The largest gain that can be relied upon."""
        return _best(self.gains)

    @property
    def between(self) -> bool:
        """Whether it serves between two sizes alone, at which others gain more."""
        return self.gains[0].bytes < self.least

    @property
    def runs(self) -> int:
        """Runs of mpirun, at each size at least."""
        return min(gain.runs for gain in self.gains)

    def sentence(self) -> str:
        """The best gain in words."""
        best = self.best
        if len(self.gains) == 1:
            return best.sentence()
        first, last = self.gains[0].bytes, self.gains[-1].bytes
        return (
            f"{self.algorithm} is up to {ratio(best.ratio)} times as fast as {self.library}'s own "
            f"{self.collective} from {size(first)} to {size(last)} "
            f"({best.interval(f' at {size(best.bytes)}')})"
        )

    def rule(self, *, with_lanes: bool = False) -> str:
        """The recommendation as a line of a profile."""
        conditions = self.where.conditions
        if with_lanes and self.where.lanes is not None:
            conditions.append(f"lanes={self.where.lanes}")
        if self.where.binding:
            conditions.append(f"binding={self.where.binding}")
        if sizes := exact_range(self.least, self.most):
            conditions.append(f"bytes={sizes}")
        return f"{self.collective:<10} {' '.join(conditions)}  use {self.algorithm}"


def recommendations(
    measured: Measured,
    choice: re.Pattern[str] = _CHOICE,
    without: Collection[tuple[str, int]] = (),
    apart: float = math.inf,
    binding: str | None = None,
) -> list[Recommendation]:
    """The confirmed algorithms by library, shape and collective, from the smallest size up.

    `choice` is what names must match to be chosen from: by default those that a profile can choose.
    Nothing is recommended for the collectives and bytes in `without`, nor between sizes that are
    more than a factor of `apart` from each other. They are for jobs with that `binding`, with which
    all was measured; None: with any.
    """

    def has_no_sizes(collective: str) -> bool:
        """Whether a rule of Laneway's cannot ask for bytes; the library's own may."""
        return choice is _CHOICE and collective in OF_UNKNOWN_BYTES

    fields: dict[tuple[Where, str], _Field] = defaultdict(_Field)
    environments = Environments(measured.of_kind("environment"))
    natives = {key.case for key in measured.samples if key.algorithm == NATIVE}
    summaries = {summary.key: summary for summary in measured.summaries}
    for key in measured.samples:
        if key.case in natives and _can_be_chosen(key, choice):
            virtual = is_virtual(environments.of(key))
            where = Where.of(key, virtual=virtual, binding=binding)
            finding = measured.verdicts.get(key)
            if (key.collective, key.bytes) in without:
                finding = None
            fields[where, key.collective].add(key, summaries[key], finding)
    return [
        Recommendation(where, collective, *found, environments.of(_best(gains).key))
        for (where, collective), own in fields.items()
        for found in (own.whole() if has_no_sizes(collective) else own.ranges(apart))
        for gains in (found[-1],)
    ]


def serve(
    recommended: Iterable[Recommendation], collective: str, least: int, most: int
) -> list[Recommendation]:
    """The recommendations for a collective from `least` to `most` bytes, if they leave no gap."""
    own = [each for each in recommended if each.collective == collective]
    own = [each for each in own if each.least <= most and least <= each.most]
    served: float = least - 1
    for each in sorted(own, key=lambda each: each.least):
        if each.least <= served + 1:
            served = max(served, each.most)
    return own if served >= most else []


def largest(recommended: Iterable[Recommendation]) -> Recommendation:
    """The recommendation that is told first, with its command: never that of the control."""
    return max(at_sizes(recommended), key=lambda each: (each.where.lanes or 0, each.best.low))


def at_sizes(recommended: Iterable[Recommendation]) -> list[Recommendation]:
    """The recommendations at measured sizes, without those that serve between two alone."""
    return [each for each in recommended if not each.between]


def _best(gains: Sequence[Gain]) -> Gain:
    return max(gains, key=lambda gain: gain.low)


def own_recommendations(measured: Measured) -> list[Recommendation]:
    """The recommended ones of the MPI library's algorithms, which only its settings can choose."""
    return recommendations(measured, _OWN)


def _can_be_chosen(key: CaseKey, choice: re.Pattern[str] = _CHOICE) -> bool:
    """Whether this is among `choice`; a case of 0 bytes is no choice, unless it is a barrier."""
    named = choice.fullmatch(key.algorithm) is not None
    other = named and key.algorithm not in (NATIVE, TUNED)
    sized = key.bytes > 0 or key.collective in WITHOUT_DATA
    return other and sized and key.statistic == SLOWEST_RANK


def candidates(measured: Measured) -> list[GuidelineFinding]:
    """The verdicts on all that could be recommended: whether native is as fast."""
    return [finding for key, finding in measured.verdicts.items() if _can_be_chosen(key)]


ConfirmedRange = tuple[str, tuple[str, ...], int, float, tuple[Gain, ...]]
"""Algorithm, datatypes, least and most bytes, gains."""


def _is_as_fast(finding: GuidelineFinding) -> bool:
    """Whether a test shows that an algorithm is as fast as native, or faster."""
    return finding.low is not None and finding.low >= AS_FAST


class _Field:
    """One collective in one place: the algorithms as fast as native in all cases of each size.

    A profile's rules do not know datatype, operator, root and whatever else tells cases of a size
    apart. So an algorithm must win in each of them.
    """

    def __init__(self) -> None:
        self._cases: dict[int, set[CaseKey]] = defaultdict(set)
        self._gains: dict[int, dict[str, dict[CaseKey, Gain]]] = defaultdict(
            lambda: defaultdict(dict)
        )

    def add(self, key: CaseKey, summary: CaseSummary, finding: GuidelineFinding | None) -> None:
        """Takes an algorithm at a size into account; of several bindings, the best counts."""
        self._cases[key.bytes].add(key.case)
        if finding is None:
            return
        confirmed = finding.verdict is GuidelineVerdict.VIOLATED
        if not confirmed and not _is_as_fast(finding):
            return
        gain = replace(gain_of(summary, finding), confirmed=confirmed)
        own = self._gains[key.bytes][key.algorithm]
        before = own.get(key.case, gain)
        own[key.case] = min(before, gain, key=lambda each: (not each.confirmed, each.median_us))

    def ranges(self, apart: float) -> Iterator[ConfirmedRange]:
        """The ranges of sizes with the algorithm that wins in them."""
        confirmed = {number: self._confirmed(number) for number in sorted(self._cases)}
        for first, last, algorithm, sizes in _ranges(confirmed, apart):
            cases = {case for number in sizes for case in self._cases[number]}
            datatypes = tuple(sorted({case.datatype for case in cases}))
            gains = tuple(_with_runner_up(confirmed[number], algorithm) for number in sizes)
            yield algorithm, datatypes, first, last, gains

    def whole(self) -> Iterator[ConfirmedRange]:
        """All sizes, with an algorithm that is confirmed at one and as fast at all; if any.

        A rule for all sizes cannot leave any to native. So an algorithm may gain nothing at some.
        """
        fast = [self._as_fast(number) for number in sorted(self._cases)]
        common = {
            name
            for name in set.intersection(*({*gains} for gains in fast))
            if any(gains[name].confirmed for gains in fast)
        }
        if not common:
            return
        medians = {name: geometric_mean(gains[name].median_us for gains in fast) for name in common}
        algorithm = winner(medians, medians)
        cases = {case for own in self._cases.values() for case in own}
        datatypes = tuple(sorted({case.datatype for case in cases}))
        gains = tuple(_with_runner_up(own, algorithm) for own in fast)
        yield algorithm, datatypes, 0, math.inf, gains

    def _confirmed(self, number: int) -> dict[str, Gain]:
        """The least gain of each algorithm that wins in all cases of a size."""
        return {name: gain for name, gain in self._as_fast(number).items() if gain.confirmed}

    def _as_fast(self, number: int) -> dict[str, Gain]:
        """The least gain of each algorithm that is as fast as native in all cases of a size."""
        return {
            algorithm: replace(
                min(by_case.values(), key=lambda gain: gain.ratio),
                median_us=geometric_mean(gain.median_us for gain in by_case.values()),
                confirmed=all(gain.confirmed for gain in by_case.values()),
            )
            for algorithm, by_case in self._gains[number].items()
            if by_case.keys() == self._cases[number]
        }


def gain_of(summary: CaseSummary, finding: GuidelineFinding) -> Gain:
    """The gain of a case of which a test says that native is slower."""
    assert finding.ratio is not None  # noqa: S101 - so that is what a verdict comes from
    assert finding.low is not None  # noqa: S101
    assert finding.high is not None  # noqa: S101
    return Gain(
        *(summary.key.bytes, finding.ratio, finding.low, finding.high, finding.runs),
        summary.key,
        summary.median_us,
        summary.over_floor,
    )


def _with_runner_up(gains: Mapping[str, Gain], algorithm: str) -> Gain:
    """The gain of an algorithm, which knows who comes next at that size."""
    own = gains[algorithm]
    others = {name: gain.median_us for name, gain in gains.items() if name != algorithm}
    if not others:
        return replace(own, runner_up=(NATIVE, own.ratio))
    name = winner(others, others)
    return replace(own, runner_up=(name, others[name] / own.median_us))


def _ranges(
    confirmed: Mapping[int, Mapping[str, Gain]], apart: float
) -> Iterator[tuple[int, int, str, list[int]]]:
    """Least and most bytes, algorithm, and the measured sizes at which it is the winner.

    Between two neighbouring sizes an algorithm is used that is confirmed at both, if need be one
    that wins at neither. Sizes more than a factor of `apart` from each other have none between.
    """
    best = {
        number: winner({name: gain.median_us for name, gain in gains.items()}, gains)
        if gains
        else None
        for number, gains in confirmed.items()
    }
    found: list[tuple[int, int, str, list[int]]] = []
    before: int | None = None
    for number, algorithm in best.items():
        near = before is not None and number <= apart * before
        last = best[before] if near and before is not None else None
        if algorithm is not None:
            least = number
            if last is not None and before is not None:
                first, _, _, sizes = found[-1]
                if last == algorithm:
                    found[-1] = (first, number, algorithm, [*sizes, number])
                elif last in confirmed[number]:
                    found[-1] = (first, number - 1, last, sizes)
                elif algorithm in confirmed[before]:
                    least = before + 1
                elif number > before + 1 and (
                    bridge := _at_both(confirmed[before], confirmed[number])
                ):
                    found.append((before + 1, number - 1, bridge, [before, number]))
            if last != algorithm:
                found.append((least, number, algorithm, [number]))
        before = number
    yield from found


def _at_both(one: Mapping[str, Gain], other: Mapping[str, Gain]) -> str | None:
    """The algorithm, of those at both sizes, whose lesser gain of the two is the largest."""
    return max(
        one.keys() & other.keys(),
        key=lambda name: (min(one[name].ratio, other[name].ratio), name),
        default=None,
    )
