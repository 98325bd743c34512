# SPDX-License-Identifier: BSD-3-Clause
"""Advice on what would pay, from the times that `exec --advise` measures."""

from __future__ import annotations

import shlex
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise

from laneway.collectives import PERSISTENT, WITH_VECTORS, blocking
from laneway.decisions.counts import (
    CallCount,
    CountedCase,
    Crowd,
    DecisionReport,
    Elements,
    most_common,
)
from laneway.decisions.origin import JobOrigin
from laneway.units import duration, exact_size

LATE = 0.5
"""Where processes wait for others for this share of a collective's time, balance comes first."""

LITTLE = 0.01
"""A share of the job's time: less is not worth a word."""

WORTHWHILE = 0.02
"""A share of the job's time: no comparison is advised of what takes less."""

NO_ALGORITHM = "Laneway has no algorithm for it"
"""Why vector collectives were native, in reports of versions that did not serve them."""

OF_NEIGHBORS = "neighbourhood collective: left to the library"
"""Why most collectives of neighbours are native (src/api/counting.cpp)."""


_OF_C = (
    "byte", "char", "wchar", "signed_char", "unsigned_char", "short", "unsigned_short", "int",
    "unsigned", "long", "unsigned_long", "long_long", "unsigned_long_long", "int8_t", "int16_t",
    "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "aint", "offset", "count",
    "float", "double", "long_double", "c_bool", "c_float_complex", "c_double_complex",
    "c_long_double_complex", "short_int", "2int", "long_int", "float_int", "double_int",
    "long_double_int",
)  # fmt: skip

DATATYPES = {
    **{f"MPI_{name.upper()}": name for name in _OF_C},
    "MPI_LONG_LONG_INT": "long_long",
    "MPI_C_COMPLEX": "c_float_complex",
    "MPI_CHARACTER": "char",
    "MPI_INTEGER": "int",
    "MPI_INTEGER4": "int32_t",
    "MPI_INTEGER8": "int64_t",
    "MPI_REAL": "float",
    "MPI_REAL4": "float",
    "MPI_REAL8": "double",
    "MPI_DOUBLE_PRECISION": "double",
    "MPI_COMPLEX": "c_float_complex",
    "MPI_DOUBLE_COMPLEX": "c_double_complex",
    "MPI_2INTEGER": "2int",
}
"""The names that `compare` has for MPI's datatypes; those of Fortran by what they are in C."""

_UNEVEN = {"short_int": 6, "long_int": 12, "double_int": 12, "long_double_int": 20}
"""Bytes of the datatypes of which no power of two is a multiple."""

SHOWN = 3
"""Comparisons that are advised, at most."""


COVERED = 0.9
"""The share of a collective's time that the sizes of its comparison have at least."""


@dataclass
class AdvisedComparison:
    """One comparison to make: of a collective, on communicators of one shape."""

    collective: str
    nodes: int
    ppn: int
    cases: list[tuple[CountedCase, CallCount]] = field(default_factory=list)
    """The lines of the report that it is about."""

    @property
    def seconds(self) -> float:
        """The seconds that a process spends in the collective."""
        return sum(count.a_process(count.seconds) for _, count in self.cases)

    @property
    def costly(self) -> list[tuple[CountedCase, CallCount]]:
        """The lines that cost most, as many as it takes to cover most of the time."""
        ordered = sorted(self.cases, key=lambda each: -each[1].seconds)
        spent = [*accumulate(count.seconds for _, count in ordered)]
        return ordered[: 1 + bisect_left(spent, COVERED * spent[-1])]

    @property
    def _calls(self) -> dict[int, float]:
        """Seconds that a call takes, by size.

        A line has a class of sizes, from one power of two up to the next; ints of 4 bytes fit into
        both.
        """
        found: dict[int, float] = {}
        for case, count in self.costly:
            for size in (max(4, case.bytes_from or 0), max(4, (case.bytes_to or 0) + 1)):
                call = count.seconds / max(1, count.calls)
                found[size] = max(call, found.get(size, 0.0))
        return found

    @property
    def elements(self) -> Elements:
        """The datatype and the operator of the calls that take most time."""
        spent: Counter[Elements] = Counter()
        for _, count in self.costly:
            for each, calls in count.elements.items():
                spent[each] += round(1e9 * count.seconds * calls / max(1, count.calls))
        return most_common(spent)

    @property
    def measured(self) -> list[int]:
        """The sizes that it measures: the costly ones, as multiples of an element's bytes."""
        known = DATATYPES.get(self.elements[0] or "")
        return sorted(_whole({*self._calls}, _UNEVEN.get(known or "", 1)))

    @property
    def calls(self) -> list[float]:
        """Seconds that a call of each of these sizes takes, as the program makes it."""
        calls = self._calls
        return [calls.get(size, max(calls.values())) for size in self.measured]

    def command(self, where: Sequence[str]) -> str:
        """The command of the comparison; `where` are the options that say where the job ran."""
        shape = ("--nodes", str(self.nodes), "--ppn", str(self.ppn))
        return shlex.join(["laneway", "compare", self.collective, *self._options, *shape, *where])

    @property
    def _options(self) -> list[str]:
        """The options of sizes, datatype and operator."""
        datatype, op = self.elements
        known = DATATYPES.get(datatype or "")
        options = ["-m", _listed(self.measured)]
        if known and known != "int":
            options += ["--datatype", known]
        if known and op and op != "MPI_SUM":
            options += ["--op", op.removeprefix("MPI_").lower()]
        return options


@dataclass(frozen=True)
class Advice:
    """Advice on what would pay in the jobs of a report.

    Collectives that take little of the jobs' time are left out, as far as that time is known.
    """

    report: DecisionReport
    origin: JobOrigin

    def share(self, seconds: float) -> float | None:
        """The share of the job's time that a process spends; None where that time is not known."""
        took = self.origin.seconds
        return None if took is None else min(1.0, seconds / took)

    @property
    def little(self) -> bool:
        """Whether all collectives together take too little of the job's time for any advice."""
        return self.is_little(self.report.spent)

    def is_little(self, seconds: float) -> bool:
        """Whether a process spends less of the job's time than is worth a word, as far as known."""
        share = self.share(seconds)
        return share is not None and share < LITTLE

    @property
    def late(self) -> bool:
        """Whether waiting for late processes is most of the time, and not little of the job's."""
        total = self.report.total
        return late(self.report.cases) and not self.is_little(total.a_process(total.waited_s))

    @cached_property
    def crowds(self) -> dict[int, Crowd]:
        """The jobs whose processes share processors, by number."""
        return {job.number: job.crowd for job in self.report.jobs if job.crowd}

    def of(self, case: CountedCase, count: CallCount) -> str:
        """The advice on a collective that was measured, in words."""
        seconds = count.a_process(count.seconds)
        if words := self._instead(case, count):
            return words
        if self.is_little(seconds):
            return "little: less than 1% of the job's time"
        lateness = ", waiting for others included" if not waits_apart(case) else ""
        return f"at most {duration(seconds)}{lateness}"

    def _instead(self, case: CountedCase, count: CallCount) -> str:
        """Advice in place of another algorithm, or why none pays; empty where one may."""
        both = count.a_process(count.seconds + count.waited_s)
        behind = late({case: count}) and not self.is_little(both)
        crowd = self.crowds.get(case.place.job)
        unknown = case.place.nodes is None
        reasons = (
            (not count.seconds, "not measured: the processes need not meet in it"),
            (behind and crowd, f"a processor for each: {crowd}"),
            (behind, "balance the work first: processes come late"),
            (case.why in (NO_ALGORITHM, OF_NEIGHBORS), f"nothing yet: {NO_ALGORITHM}"),
            (unknown and not waits_apart(case), "not known: the nodes of its processes"),
            (unknown, "nothing: only the library serves it"),
            (blocking(case.collective) == "barrier" or not count.bytes, "little: no data"),
            (count.at_the_start, "nothing: at the start alone, as input is read"),
            (blocking(case.collective) not in WITH_VECTORS, "nothing yet: it is not measured"),
        )
        return next((words for holds, words in reasons if holds), "")

    @cached_property
    def comparisons(self) -> list[AdvisedComparison]:
        """Comparisons that tell how much there is to gain, the most expensive collectives first.

        Each has the sizes that cost most, so that the profile that comes of it has rules for them.
        Its datatype and operator are those of the calls that take most time.
        """
        found: dict[tuple[str, int, int], AdvisedComparison] = {}
        for case, count in self.report.cases.items():
            if not case.bytes_to or self._instead(case, count):
                continue
            key = (_measured(case.collective), case.place.nodes or 1, case.place.ppn_most or 1)
            found.setdefault(key, AdvisedComparison(*key)).cases.append((case, count))
        worth = [each for each in found.values() if self._is_worth_it(each)]
        return sorted(worth, key=lambda each: -each.seconds)

    @property
    def lanes_are_unknown(self) -> bool:
        """Whether some communicators are on several nodes, and nobody knows of several lanes."""
        places = [case.place for case in self.report.cases if (case.place.nodes or 1) > 1]
        return (
            bool(places)
            and all((place.lanes or 1) == 1 for place in places)
            and ("--lanes" not in self.origin.compare)
        )

    def served(self, served: Callable[[CountedCase], bool]) -> float:
        """Seconds that a process spends in calls that may gain, and that something has `served`."""
        return sum(
            count.a_process(count.seconds)
            for each in self.comparisons
            for case, count in each.costly
            if served(case)
        )

    def _is_worth_it(self, comparison: AdvisedComparison) -> bool:
        share = self.share(comparison.seconds)
        return not self.little and (share is None or share >= WORTHWHILE)

    def tuning(self, budget: str) -> str:
        """The command that finds out all of it at once."""
        nodes = max(each.nodes for each in self.comparisons)
        ppn = max(each.ppn for each in self.comparisons)
        shape = ("--nodes", str(nodes), "--ppn", str(ppn))
        what = ("--for", str(self.origin.folder), "--budget", budget)
        return shlex.join(["laneway", "tune", *what, *shape, *self.where(nodes)])

    def where(self, nodes: int) -> tuple[str, ...]:
        """The options by which so many nodes are measured where the job ran.

        One node that nothing is known of is this machine, and no emulated one.
        """
        known = self.origin.compare
        named = {"--cluster", "--launcher", "--launcher-options"}.intersection(known)
        return known if named or nodes > 1 else (*known, "--launcher", "mpirun")


def _measured(collective: str) -> str:
    """The form by which a collective is measured: a persistent one is carried on as nonblocking."""
    base = collective.removesuffix(PERSISTENT)
    return collective if base == collective else f"i{base}"


def _whole(sizes: set[int], element: int) -> set[int]:
    """Multiples of an element's bytes that span the sizes: no count has other sizes."""
    below = max(element, min(sizes) // element * element)
    return {below, *(-(-size // element) * element for size in sizes if size > min(sizes))}


def _listed(ordered: Sequence[int]) -> str:
    """Sizes as `-m` takes them: a range where they are consecutive powers of two."""
    doubled = all(more == 2 * less for less, more in pairwise(ordered))
    if doubled:
        return f"{exact_size(ordered[0])}:{exact_size(ordered[-1])}"
    return ",".join(map(exact_size, ordered))


def waits_apart(case: CountedCase) -> bool:
    """Whether waiting for the last process is told apart from the time of these calls."""
    meets = not case.collective.startswith("i") and not case.collective.endswith(PERSISTENT)
    return case.why != OF_NEIGHBORS and meets


def late(cases: Mapping[CountedCase, CallCount]) -> bool:
    """Whether waiting for the last process is most of the time."""
    seconds = sum(count.seconds for count in cases.values())
    waited = sum(count.waited_s for count in cases.values())
    return waited > LATE * (waited + seconds)
