# SPDX-License-Identifier: BSD-3-Clause
"""The report of what was decided: the files of the processes of a job, read and merged.

Every process writes one file of rows (docs/decisions.md); nothing is lost where a job is killed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from laneway.errors import Misuse, Problem

LATE = 0.5
"""Where processes wait for others for this share of a collective's time, balance comes first."""


@dataclass(frozen=True)
class Place:
    """A communicator; nodes and lanes are None where they were not found out."""

    communicator: str
    name: str
    ranks: int
    nodes: int | None
    ppn_least: int | None
    ppn_most: int | None
    lanes: int | None

    @property
    def shape(self) -> str:
        """Nodes and processes a node, as in 4 x 8."""
        if self.nodes is None:
            return str(self.ranks)
        ppn = f"{self.ppn_least}"
        if self.ppn_most != self.ppn_least:
            ppn += f"-{self.ppn_most}"
        return f"{self.nodes} x {ppn}"


@dataclass(frozen=True)
class Case:
    """What is counted together. Bytes are None where not all processes knew them."""

    place: Place
    collective: str
    bytes_from: int | None
    bytes_to: int | None
    algorithm: str
    why: str


@dataclass
class Count:
    """The calls of a case: sums over processes; seconds are 0 unless measured."""

    processes: int = 0
    calls: int = 0
    most_calls: int = 0
    """Of one process."""
    bytes: int = 0
    waited_s: float = 0.0
    seconds: float = 0.0

    def add(self, row: dict[str, Any]) -> None:
        """Adds the row of one process."""
        self.processes += 1
        self.calls += row["calls"]
        self.most_calls = max(self.most_calls, row["calls"])
        self.bytes += row["bytes"]
        self.waited_s += row["waited_s"]
        self.seconds += row["seconds"]

    @property
    def waiting(self) -> float:
        """The share of the time that went by before the last process came."""
        total = self.waited_s + self.seconds
        return self.waited_s / total if total > 0 else 0.0


@dataclass(frozen=True)
class Report:
    """The merged report of a job."""

    cases: dict[Case, Count]
    processes: int
    """That left a file."""
    expected: int
    """Processes of the job, as far as known."""
    ended: int
    """Processes that came to their end in good order."""
    unread: int
    """Lines that could not be read."""

    @property
    def calls(self) -> int:
        """Calls of all processes."""
        return sum(count.calls for count in self.cases.values())

    @property
    def native(self) -> int:
        """Those that the MPI library served."""
        return sum(c.calls for case, c in self.cases.items() if case.algorithm == "native")

    @property
    def timed(self) -> bool:
        """Whether times were measured (`exec --advise`)."""
        return any(count.seconds for count in self.cases.values())

    def rows(self) -> Iterator[dict[str, Any]]:
        """As JSON objects: a `decision` a case, and the `total`."""
        for case, count in self.cases.items():
            fields = asdict(case)
            yield {"kind": "decision", **fields.pop("place"), **fields, **asdict(count)}
        yield {
            "kind": "total",
            "calls": self.calls,
            "served": self.calls - self.native,
            "native": self.native,
            "processes": self.processes,
            "expected": self.expected,
            "ended": self.ended,
        }

    def notes(self) -> list[str]:
        """What the reader must know of the report's completeness."""
        served = self.calls - self.native
        made = f"{self.calls} calls by {self.processes} processes"
        notes = [f"{made}: {served} served by Laneway, {self.native} by the MPI library"]
        if self.processes < self.expected:
            missing = self.expected - self.processes
            notes.append(
                f"{missing} of {self.expected} processes left no file: no calls, or none seen"
            )
        if self.ended < self.processes:
            notes.append(
                f"{self.processes - self.ended} processes did not end in good order; their calls "
                "until then are counted"
            )
        if self.unread:
            notes.append(f"{self.unread} lines could not be read")
        return notes


def load(folder: Path) -> Report:
    """Reads and merges the files of a job. Raises Misuse where there are none."""
    files = sorted(folder.glob("rank-*.jsonl"))
    if not files:
        raise Misuse(f"{folder} holds no report: laneway exec --report -- mpirun ... makes one")
    cases: dict[Case, Count] = {}
    expected = ended = unread = 0
    for file in files:
        for row in _rows(file):
            if row is None:
                unread += 1
            elif row["kind"] == "process":
                expected = max(expected, row["ranks"])
            elif row["kind"] == "end":
                ended += row["how"] == "MPI_Finalize"
            elif row["kind"] == "calls":
                cases.setdefault(_case(row), Count()).add(row)
    ordered = dict(sorted(cases.items(), key=lambda item: _order(*item)))
    return Report(ordered, len(files), max(expected, len(files)), ended, unread)


def _rows(file: Path) -> Iterator[dict[str, Any] | None]:
    try:
        lines = file.read_text(errors="replace").splitlines()
    except OSError as error:
        raise Problem(f"cannot read {file}: {error.strerror}") from error
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        yield row if isinstance(row, dict) and "kind" in row else None


def _case(row: dict[str, Any]) -> Case:
    place = Place(
        row["communicator"],
        row["name"],
        row["ranks"],
        *(row.get(key) for key in ("nodes", "ppn_least", "ppn_most", "lanes")),
    )
    size = (row.get("bytes_from"), row.get("bytes_to"))
    return Case(place, row["collective"], *size, row["algorithm"], row["why"])


def _order(case: Case, count: Count) -> tuple[Any, ...]:
    place = case.place
    size = -1 if case.bytes_from is None else case.bytes_from
    return -count.seconds, place.communicator, case.collective, size, case.algorithm, case.why


def advice(case: Case, count: Count) -> str:
    """What would pay for a collective that was measured, in words."""
    place = case.place
    if place.nodes is None:
        return "nothing: only the library serves it"
    if place.nodes == 1:
        return "nothing: no lanes within a node"
    if case.collective == "barrier" or not case.bytes_to:
        return "little: no data"
    if count.waiting > LATE:
        return "balance the work first: processes come late"
    elements = max(1, count.bytes // count.calls // 4)
    return (
        f"at most {count.seconds / count.processes:.3g} s; try: laneway compare "
        f"--collective {case.collective} --count {elements}"
    )


def seconds_of(counts: Iterable[Count]) -> tuple[float, float]:
    """Seconds a process, mean over processes: waiting for others, and in the collectives."""
    listed = list(counts)
    processes = max((count.processes for count in listed), default=1)
    return (
        sum(count.waited_s for count in listed) / processes,
        sum(count.seconds for count in listed) / processes,
    )
