# SPDX-License-Identifier: BSD-3-Clause
"""The files of a report's processes, read and merged by jobs.

Every process writes one file of rows (docs/decisions.md); nothing is lost where a job is killed.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import itemgetter
from pathlib import Path
from types import UnionType
from typing import Any

from laneway.decisions.counts import (
    SHORT,
    WORLD,
    CallCount,
    CountedCase,
    Crowd,
    DecisionReport,
    JobCommunicator,
    ReportedJob,
    WeighedCalls,
    in_order,
)
from laneway.errors import Misuse, Problem

_GOOD_ENDS = {"MPI_Finalize", "MPI_Session_finalize"}

_FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "process": {"rank": int, "ranks": int},
    "job": {"with": str},
    "end": {"how": str},
    "weights": {
        **dict.fromkeys(("communicator", "name", "weights", "by"), str),
        **dict.fromkeys(("ranks", "nodes", "calls"), int),
        **dict.fromkeys(("first_s", "last_s"), (int, float)),
    },
    "calls": {
        **dict.fromkeys(("communicator", "name", "collective", "algorithm", "why"), str),
        **dict.fromkeys(("ranks", "calls", "bytes"), int),
        **dict.fromkeys(("waited_s", "seconds"), (int, float)),
    },
}
"""Keys that a row of each kind must have."""

_SHAPE = ("nodes", "ppn_least", "ppn_most", "lanes", "binding", "cores")

UNKNOWN = "?"
"""The name of communicators on which nothing could be agreed."""

_MAY_BE_MISSING: dict[str, type | UnionType] = {
    **dict.fromkeys((*_SHAPE[:-2], "bytes_from", "bytes_to"), int),
    "started": int,
    "id": str,
    **dict.fromkeys(("program", "datatype", "op", "boot", "node", "binding", "cores"), str),
    "processors": list,
    **dict.fromkeys(("elapsed_s", "first_s", "last_s"), int | float),
}


@dataclass
class _Process:
    """The facts that one file says of its process."""

    id: str
    rank: int = -1
    ranks: int = 0
    started: int = 0
    program: str = ""
    boot: str = ""
    """The running kernel, which tells machines apart."""
    node: str = ""
    """The node, which may be a virtual or an emulated one."""
    processors: set[int] = field(default_factory=set)
    """Processors that it may run on; empty where it is not told."""
    started_with: set[str] = field(default_factory=set)
    """Ids of processes of the same job."""
    ended: bool = False
    calls: list[dict[str, Any]] = field(default_factory=list)
    weighed: list[dict[str, Any]] = field(default_factory=list)

    def take(self, row: dict[str, Any]) -> None:
        match row["kind"]:
            case "process":
                self.id = row.get("id") or self.id
                self.rank, self.ranks = row["rank"], row["ranks"]
                self.started, self.program = row.get("started") or 0, row.get("program") or ""
                self.boot, self.node = row.get("boot") or "", row.get("node") or ""
                self.processors = _numbers(row.get("processors"))
            case "job":
                self.started_with.add(row["with"])
            case "end":
                self.ended |= row["how"] in _GOOD_ENDS
            case "calls":
                self.calls.append(row)
            case "weights":
                self.weighed.append(row)

    @property
    def span(self) -> float:
        """Seconds from its first call to its last; 0 where it is short, or not known."""
        span = max((row.get("last_s") or 0.0 for row in self.calls), default=0.0)
        return span if span >= SHORT else 0.0


def _numbers(listed: list[Any] | None) -> set[int]:
    return {number for number in listed or () if isinstance(number, int)}


def load(folder: Path, rank: int | None = None) -> DecisionReport:
    """Reads and merges the files of a folder; of the processes of `rank` alone, if given.

    Raises Misuse where there are none.
    """
    files = sorted(folder.glob("rank-*.jsonl"))
    if not files:
        raise Misuse(f"{folder} holds no report: laneway exec --report -- mpirun ... makes one")
    unread: list[str] = []
    cases: dict[CountedCase, CallCount] = {}
    jobs = []
    weighed: list[WeighedCalls] = []
    written = _merged(_read(file, unread) for file in files)
    for number, processes in enumerate(_jobs(written), 1):
        shown = [process for process in processes if rank in (None, process.rank)]
        expected = max(len(processes), *(process.ranks for process in processes))
        ended = sum(process.ended for process in shown)
        program = Path(processes[0].program).name
        if shown:
            of_all = expected if rank is None else len(shown)
            jobs.append(ReportedJob(number, program, len(shown), of_all, ended, _crowd(processes)))
        world = _world(processes, expected)
        weighed += _weighed(number, shown)
        for process in shown:
            span = process.span
            for row in filter(itemgetter("calls"), process.calls):  # no calls: they were taken back
                times = (row["waited_s"], row["seconds"], row.get("elapsed_s") or 0.0)
                elements = Counter({(row.get("datatype"), row.get("op")): row["calls"]})
                until = (row.get("last_s") or 0.0) / span if span else None
                own = {process.id: row["calls"]}
                count = CallCount(own, row["bytes"], *times, elements, until)
                case = _case(number, {**row, **_shape_of_all(row, world)})
                cases.setdefault(case, CallCount()).add(count)
    if not jobs:
        raise Misuse(f"{folder} holds no report of a rank {rank}")
    return DecisionReport(in_order(cases), tuple(jobs), tuple(unread), tuple(weighed))


def _weighed(job: int, processes: Iterable[_Process]) -> list[WeighedCalls]:
    """The weights of lanes that processes tell, in the order of their first calls."""
    names = [each.name for each in fields(WeighedCalls) if each.name != "job"]
    rows = (row for process in processes for row in process.weighed)
    found = [WeighedCalls(job, **{name: row[name] for name in names}) for row in rows]
    return sorted(found, key=lambda each: (each.communicator, each.first_s))


def _read(file: Path, unread: list[str]) -> _Process:
    try:
        lines = file.read_text(errors="replace").splitlines()
    except OSError as error:
        raise Problem(f"cannot read {file}: {error.strerror}") from error
    process = _Process(id=file.name)
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            damage = _damage(row)
        except ValueError:
            damage = "no JSON"
        if damage:
            unread.append(f"{file}:{number}: {damage}")
        else:
            process.take(row)
    return process


def _merged(written: Iterable[_Process]) -> list[_Process]:
    """The processes, each once.

    A process that is linked with Laneway and preloaded with it, too, leaves a file of each copy.
    """
    found: dict[tuple[str, int], _Process] = {}
    for own in written:
        known = found.setdefault((own.id, own.rank), own)
        if known is not own:
            known.started_with |= own.started_with
            known.ended &= own.ended
            known.started = min(known.started, own.started)
            known.calls += own.calls
            known.weighed += own.weighed
    return [*found.values()]


def _damage(row: Any) -> str | None:
    if not isinstance(row, dict) or not isinstance(row.get("kind"), str):
        return "a row without 'kind'"
    for name, wanted in _FIELDS.get(row["kind"], {}).items():
        if not isinstance(row.get(name), wanted):
            return f"a row '{row['kind']}' without '{name}', or it is no such value"
    for name, type_ in _MAY_BE_MISSING.items():
        if not isinstance(row.get(name), type_ | None):
            what = "text" if type_ is str else "list" if type_ is list else "number"
            return f"'{name}' is no {what}"
    return None


def _jobs(processes: list[_Process]) -> list[list[_Process]]:
    """The processes by job, the first started first.

    Processes that shared a communicator know that they were started together. Parts that never did
    are one job if they can be: of the same number of processes, and no rank in both.
    """
    group = {process.id: {process.id} for process in processes}
    for process in processes:
        for other in process.started_with & group.keys():
            if group[other] is not group[process.id]:
                group[process.id] |= group[other]
                for member in group[other]:
                    group[member] = group[process.id]
    parts: dict[int, list[_Process]] = {}
    for process in sorted(processes, key=lambda process: (process.started, process.rank)):
        parts.setdefault(id(group[process.id]), []).append(process)
    jobs: list[list[_Process]] = []
    for part in parts.values():
        ranks = {process.rank for process in part}
        for job in reversed(jobs):
            same = job[0].ranks == part[0].ranks and job[0].program == part[0].program
            if same and ranks.isdisjoint(process.rank for process in job):
                job.extend(part)
                break
        else:
            jobs.append(part)
    return jobs


def _world(processes: Sequence[_Process], expected: int) -> dict[str, Any]:
    """The shape of all processes of a job, as a row has it; empty where it is not known."""
    for row in (row for process in processes for row in process.calls):
        if row["name"] == WORLD and row.get("nodes"):
            return {key: row.get(key) for key in ("ranks", *_SHAPE)}
    nodes = Counter(process.node for process in processes)
    if len(processes) != expected or "" in nodes:
        return {}
    sizes = (len(nodes), min(nodes.values()), max(nodes.values()))
    return {"ranks": expected, **dict(zip(_SHAPE, sizes, strict=False))}


def _shape_of_all(row: Mapping[str, Any], world: Mapping[str, Any]) -> dict[str, Any]:
    """The shape for a row where no process could ask the others: of a communicator of all."""
    if row.get("nodes") or row["ranks"] != world.get("ranks") or row["communicator"] != UNKNOWN:
        return {}
    return {key: world[key] for key in _SHAPE if key in world}


def _crowd(processes: Iterable[_Process]) -> Crowd | None:
    """The processes of a machine that have fewer processors than they are, the most for one.

    Bound to processors or not, they share all that any of them may run on.
    """
    machines: dict[str, list[_Process]] = {}
    for process in processes:
        machines.setdefault(process.boot, []).append(process)
    crowds = [
        Crowd(len(own), len(set.union(*(each.processors for each in own))))
        for own in machines.values()
        if all(each.processors for each in own)
    ]
    crowded = [each for each in crowds if each.processes > each.processors]
    return max(crowded, key=lambda each: each.processes / each.processors, default=None)


def _case(job: int, row: dict[str, Any]) -> CountedCase:
    place = JobCommunicator(
        job,
        row["communicator"],
        row["name"],
        row["ranks"],
        *(row.get(key) for key in _SHAPE),
    )
    size = (row.get("bytes_from"), row.get("bytes_to"))
    return CountedCase(place, row["collective"], *size, row["algorithm"], row["why"])


def must_be_writable(folder: Path) -> None:
    """Makes the folder of a report.

    Raises Problem where no file can be written into it, or where the processes of a job refuse to
    (src/report/new_file.c): it belongs to another user.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        status = folder.stat()
        if status.st_uid not in (os.geteuid(), 0):
            raise _not_writable(folder, "it belongs to another user")
        shared = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
        if shared and status.st_uid != os.geteuid():
            raise _not_writable(folder, "everybody may take files away")
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _not_writable(folder, error.strerror) from error


def _not_writable(folder: Path, why: str | None) -> Problem:
    """The user may be in a folder that others have made theirs."""
    return Problem(f"cannot write a report into {folder}: {why}; --out FOLDER names another one")
