# SPDX-License-Identifier: BSD-3-Clause
"""Counted calls by communicator, collective, size and reason, of one job or several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from laneway.cluster.spec import BINDINGS_IN_WORDS
from laneway.modelling.lane_weights import LaneWeights
from laneway.units import counted

WORLD = "MPI_COMM_WORLD"

START = 0.2
"""The share of the time of a process's calls that counts as the start of the job."""

ALIKE = "alike"
"""The weights of lanes that carry as much as each other."""

SHORT = 1.0
"""Seconds: of calls that are made in less time altogether, none count as the start."""


@dataclass(frozen=True)
class JobCommunicator:
    """A communicator of a job; nodes and lanes are None where they were not found out."""

    job: int
    communicator: str
    name: str
    ranks: int
    nodes: int | None
    ppn_least: int | None
    ppn_most: int | None
    lanes: int | None
    binding: str | None = None
    """How its processes share the lanes of their node."""
    cores: str | None = None
    """How they share its cores."""

    @property
    def shape(self) -> str:
        """Nodes and processes a node, as in 4 x 8."""
        if self.nodes is None:
            return str(self.ranks)
        ppn = f"{self.ppn_least}"
        if self.ppn_most != self.ppn_least:
            ppn += f"-{self.ppn_most}"
        return f"{self.nodes} x {ppn}"

    @property
    def label(self) -> str:
        """Name and id."""
        return f"{self.name} ({self.communicator})" if self.name else self.communicator


@dataclass(frozen=True)
class CountedCase:
    """The facts by which calls are counted together. Bytes are None where they are not known."""

    place: JobCommunicator
    collective: str
    bytes_from: int | None
    bytes_to: int | None
    algorithm: str
    why: str


Elements = tuple[str | None, str | None]
"""MPI's names of a datatype and of an operator; None: none of MPI's own, or not known."""


def most_common(elements: Counter[Elements]) -> Elements:
    """The elements of most calls, as far as any are known."""
    known = Counter({each: calls for each, calls in elements.items() if each != (None, None)})
    return next((each for each, _ in known.most_common(1)), (None, None))


@dataclass
class CallCount:
    """The calls of a case: sums over processes; times are 0 unless measured."""

    by_process: dict[str, int] = field(default_factory=dict)
    """Calls of each process."""
    bytes: int = 0
    waited_s: float = 0.0
    """Seconds before the last process came, where advice was wanted."""
    seconds: float = 0.0
    """Seconds from then on."""
    elapsed_s: float = 0.0
    """Seconds in the calls as a whole."""
    elements: Counter[Elements] = field(default_factory=Counter)
    """The calls' elements, as far as the first call of a line of the report says."""
    until: float | None = None
    """When the last such call was made: a share of the time in which a process made any calls."""

    def add(self, other: CallCount) -> None:
        """Adds what others count."""
        for process, calls in other.by_process.items():
            self.by_process[process] = self.by_process.get(process, 0) + calls
        self.bytes += other.bytes
        self.waited_s += other.waited_s
        self.seconds += other.seconds
        self.elapsed_s += other.elapsed_s
        self.elements.update(other.elements)
        known = [share for share in (self.until, other.until) if share is not None]
        self.until = max(known, default=None)

    @property
    def at_the_start(self) -> bool:
        """Whether such calls are made at the start alone, as where a program reads its input."""
        return self.until is not None and self.until <= START

    @property
    def processes(self) -> int:
        """The number of processes that made such calls."""
        return len(self.by_process)

    @property
    def calls(self) -> int:
        """The calls of all processes."""
        return sum(self.by_process.values())

    @property
    def most_calls(self) -> int:
        """The calls of the process with the most."""
        return max(self.by_process.values(), default=0)

    def a_process(self, seconds: float) -> float:
        """The mean of seconds that are a sum over processes."""
        return seconds / max(1, self.processes)

    @property
    def waiting(self) -> float:
        """The share of the time that went by before the last process came."""
        total = self.waited_s + self.seconds
        return self.waited_s / total if total > 0 else 0.0

    def row(self) -> dict[str, Any]:
        """The counts as keys of a row."""
        times = {"waited_s": self.waited_s, "seconds": self.seconds, "elapsed_s": self.elapsed_s}
        calls = {"calls": self.calls, "most_calls": self.most_calls}
        elements = dict(zip(("datatype", "op"), most_common(self.elements), strict=True))
        return {"processes": self.processes, **calls, "bytes": self.bytes, **elements, **times}


class Crowd(NamedTuple):
    """Processes of a machine that has fewer processors for them."""

    processes: int
    processors: int

    def __str__(self) -> str:
        return f"{self.processes} processes share {counted(self.processors, 'processor')}"


@dataclass(frozen=True)
class ReportedJob:
    """The processes that were started together."""

    number: int
    program: str
    processes: int
    """Processes that left a file, or are looked at."""
    expected: int
    """Processes of the job, as far as known."""
    ended: int
    """Processes that came to their end in good order."""
    crowd: Crowd | None = None
    """Processes and processors, where there are more processes."""


@dataclass(frozen=True)
class WeighedCalls:
    """The calls of a communicator that were served by lanes of the same weights."""

    job: int
    communicator: str
    name: str
    ranks: int
    nodes: int
    weights: str
    """Such as 10:10,node2=10:1; `alike`."""
    by: str
    """`found` while the program ran, or `said`."""
    calls: int
    first_s: float
    """Seconds from the first call that rank 0 of the communicator made until the first such one."""
    last_s: float

    @property
    def slow(self) -> list[str]:
        """The lanes that carry less than the fastest one, in words."""
        if self.weights == ALIKE:
            return []
        weights = LaneWeights.parse(self.weights)
        rows = {"all other nodes" if weights.of_nodes else "all nodes": weights.usual}
        return [
            f"lane {lane} of {node} carries {each / weights.most:.0%} of the fastest"
            for node, row in {**weights.of_nodes, **rows}.items()
            for lane, each in enumerate(row)
            if each < weights.most
        ]

    def __str__(self) -> str:
        label = f"{self.name} ({self.communicator})" if self.name else self.communicator
        held = f"{counted(self.calls, 'call')} on {label}, from {self.first_s:.2f} s on"
        if not self.slow:
            return f"lanes were taken to be alike in {held}"
        return f"{', '.join(self.slow)}: weights {self.weights}, {self.by}, for {held}"


@dataclass(frozen=True)
class DecisionReport:
    """The merged report of the jobs of a folder."""

    cases: dict[CountedCase, CallCount]
    jobs: tuple[ReportedJob, ...]
    unread: tuple[str, ...]
    """Lines that could not be read: file, line, reason."""
    weighed: tuple[WeighedCalls, ...] = ()
    """Weights of lanes, in the order of their first calls."""

    @property
    def calls(self) -> int:
        """Calls of all processes."""
        return sum(count.calls for count in self.cases.values())

    @property
    def native(self) -> int:
        """Calls that the MPI library served."""
        return sum(c.calls for case, c in self.cases.items() if case.algorithm == "native")

    @property
    def processes(self) -> int:
        """Processes that left a file."""
        return sum(job.processes for job in self.jobs)

    @property
    def ended(self) -> int:
        """Processes that came to their end in good order."""
        return sum(job.ended for job in self.jobs)

    @property
    def binding(self) -> str | None:
        """The binding of the jobs; None where none is known, or they differ."""
        found = {case.place.binding for case in self.cases if case.place.binding}
        return found.pop() if len(found) == 1 else None

    @property
    def timed(self) -> bool:
        """Whether it was measured what would pay (`exec --advise`)."""
        return any(count.seconds for count in self.cases.values())

    @property
    def total(self) -> CallCount:
        """All cases together."""
        total = CallCount()
        for count in self.cases.values():
            total.add(count)
        return total

    @property
    def spent(self) -> float:
        """Seconds in collectives, waiting apart, of a process of each job: their mean."""
        parts = [self.of_job(job).total for job in self.jobs]
        return sum(total.a_process(total.seconds or total.elapsed_s) for total in parts)

    def of_job(self, job: ReportedJob) -> DecisionReport:
        """The part of one job."""
        cases = {case: count for case, count in self.cases.items() if case.place.job == job.number}
        weighed = tuple(each for each in self.weighed if each.job == job.number)
        return DecisionReport(cases, (job,), (), weighed)

    def folded(self) -> DecisionReport:
        """Communicators of one shape as one; MPI_COMM_WORLD stays apart."""
        members: dict[JobCommunicator, set[JobCommunicator]] = {}
        for case in self.cases:
            members.setdefault(_without_name(case.place), set()).add(case.place)
        names = {shape: _name_of_all(places) for shape, places in members.items()}
        cases: dict[CountedCase, CallCount] = {}
        for case, count in self.cases.items():
            place = names[_without_name(case.place)]
            cases.setdefault(replace(case, place=place), CallCount()).add(count)
        return replace(self, cases=in_order(cases))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The report as JSON objects: a `decision` a case, a `job` each, and the `total`."""
        for case, count in self.cases.items():
            fields = asdict(case)
            yield {"kind": "decision", **fields.pop("place"), **fields, **count.row()}
        for weighed in self.weighed:
            yield {"kind": "weights", **asdict(weighed)}
        for job in self.jobs:
            part = self.of_job(job)
            fields = asdict(job)
            fields["crowd"] = job.crowd and job.crowd._asdict()
            yield {"kind": "job", "job": fields.pop("number"), **_sums(part), **fields}
        yield {
            "kind": "total",
            "jobs": len(self.jobs),
            **_sums(self),
            "processes": self.processes,
            "expected": sum(job.expected for job in self.jobs),
            "ended": self.ended,
        }

    def notes(self) -> list[str]:
        """Facts that the reader must know of the report's completeness."""
        notes = []
        if len(self.jobs) > 1:
            notes.append(f"{len(self.jobs)} jobs wrote into this folder:")
        for job in self.jobs:
            start = f"job {job.number}, {job.program}: " if len(self.jobs) > 1 else ""
            notes.extend(start + note for note in _notes_of(self.of_job(job), job))
        named = 3
        notes.extend(f"not read: {line}" for line in self.unread[:named])
        if len(self.unread) > named:
            notes.append(f"not read: {counted(len(self.unread) - named, 'more line')}")
        return notes


def _sums(report: DecisionReport) -> dict[str, int]:
    native = report.native
    return {"calls": report.calls, "served": report.calls - native, "native": native}


def _notes_of(part: DecisionReport, job: ReportedJob) -> Iterator[str]:
    made = f"{counted(part.calls, 'call')} by {counted(job.processes, 'process')}"
    served = part.calls - part.native
    yield f"{made}: {served} served by Laneway, {part.native} by the MPI library"
    for binding in sorted({case.place.binding for case in part.cases if case.place.binding}):
        yield f"binding {binding}: {BINDINGS_IN_WORDS[binding]}"
    if any(case.place.nodes == 1 and case.place.cores == "shared" for case in part.cases):
        yield "cores shared: built-in choices within a node are for processes with a core each"
    if any(weighed.slow for weighed in part.weighed):
        yield from map(str, part.weighed)
    if job.processes < job.expected:
        missing = job.expected - job.processes
        expected = counted(job.expected, "process")
        yield f"{missing} of {expected} left no file: no calls, or none seen"
    if job.ended < job.processes:
        open_ended = counted(job.processes - job.ended, "process")
        yield f"{open_ended} did not end in good order; calls until then are counted"


def _without_name(place: JobCommunicator) -> JobCommunicator:
    return place if place.name == WORLD else replace(place, communicator="", name="")


def _name_of_all(places: set[JobCommunicator]) -> JobCommunicator:
    one, *others = places
    if not others:
        return one
    more = " or more" if any(" ranks" in place.communicator for place in places) else ""
    return replace(one, communicator=f"{len(places)} communicators{more}", name="")


def in_order(cases: dict[CountedCase, CallCount]) -> dict[CountedCase, CallCount]:
    """The cases, those of the most time first, then by job, communicator, collective and size."""
    return dict(sorted(cases.items(), key=lambda item: _order(*item)))


def _order(case: CountedCase, count: CallCount) -> tuple[Any, ...]:
    size = -1 if case.bytes_from is None else case.bytes_from
    words = (case.collective, size, case.algorithm, case.why)
    return (
        -count.seconds - count.waited_s,
        case.place.job,
        _numbers(case.place.communicator),
        *words,
    )


def _numbers(text: str) -> list[tuple[int, str]]:
    """A key that sorts 0.5 before 0.40."""
    return [
        (int(word), "") if word.isdecimal() else (-1, word) for word in re.split(r"(\d+)", text)
    ]
