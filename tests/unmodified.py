# SPDX-License-Identifier: BSD-3-Clause
"""Trials of real programs, and what differs between two answers.

A *trial* runs a program natively or under ``laneway exec`` and returns its answer. Answers of the
same program on the same MPI library are compared. Reductions may add in another order: such
differences are within the tolerance of the program's entry.
"""

import contextlib
import json
import math
import os
import sys
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from laneway import decisions
from laneway.launching import launchers
from laneway.launching.run import Run
from laneway.libraries import registry
from laneway.libraries.native import NativeBuild
from program_answers import Answer
from real_programs import FETCHED, Program


@dataclass(frozen=True)
class Trial:
    """How a run ended."""

    code: int
    answer: Answer
    left: Sequence[str]
    """Processes, shared memory and temporary files that it left behind."""
    calls: Counter[str]
    """Collective calls of all processes by what served them; none where Laneway was not asked."""
    said: str


@dataclass(frozen=True)
class Under(launchers.Job):
    """A job under `laneway exec`, or not, with the folder's tmp for temporary files.

    As root it also gets a /dev/shm of its own, and what is left there is listed in the file shm.
    """

    words: Sequence[str] = ()
    """Options of `laneway exec`; none: natively."""
    folder: Path = Path()

    def command(self) -> list[str]:
        """The complete command line."""
        variables = {"TMPDIR": str(self.folder / "tmp"), **self.environment}
        if self.build.family == "mpich" and self.oversubscribed:
            variables["LD_PRELOAD"] = str(self.build.yielding)
        # A signal to the shell is the job's: an interrupted trial leaves no ranks behind.
        own = (
            'mount -t tmpfs none /dev/shm; "$@" & trap "kill $!" TERM INT; wait $!; code=$?; '
            "trap - TERM INT; wait; ls -A /dev/shm >../shm; exit $code"
        )
        return [
            *("env", f"--chdir={self.folder / 'work'}"),
            *(["unshare", "--mount", "sh", "-c", own, "sh"] if os.geteuid() == 0 else []),
            *("env", *(f"{name}={value}" for name, value in variables.items())),
            *([sys.executable, "-m", "laneway", "exec", *self.words, "--"] if self.words else []),
            str(self.build.mpiexec),
            *(launchers._open_mpi_options(True) if self.build.family == "openmpi" else ()),
            *("-np", str(self.ranks), *self.program),
        ]


def forced(build: NativeBuild, algorithm: str) -> str:
    """LANEWAY_ALGORITHM by which an algorithm serves all collectives that have it, in all forms."""
    has = [entry.collective for entry in registry.load(build) if entry.algorithm == algorithm]
    forms = ("{}", "i{}", "{}_init")
    return ",".join(f"{form.format(name)}={algorithm}" for name in has for form in forms)


WAYS = {"plain": [], "by default": ["--lanes", "2"], "reproducible": ["--reproducible"]}
"""Options of `laneway exec` where no algorithm is forced; by default Laneway's own rules serve."""


def trial(program: Program, build: NativeBuild, way: str | None, folder: Path) -> Trial:
    """Runs a program once in a new folder in one of WAYS, or with every collective by an algorithm.

    None: natively.

    Raises MissingProgramError, and TimeoutError where it says nothing for too long.
    """
    command = [str(word) for word in program.command(build)]
    work, temporary, report = folder / "work", folder / "tmp", folder / "report"
    for new in (work, temporary):
        new.mkdir(parents=True)
    program.prepare(work)
    words = []
    if way is not None:
        words = WAYS[way] if way in WAYS else ["--algorithm", forced(build, way)]
        words = [*words, "--node-size", str(program.node_size), "--strict", "--out", str(report)]
    mark = f"trial-{uuid.uuid4()}"
    variables = {**program.environment(build), "TRIAL": mark}
    job = Under(build, program.ranks, command, variables, words=words, folder=folder)
    with Run(job) as running:
        output = "\n".join(running.lines(program.seconds))
        code = running.wait()
        left = sorted(left_behind(mark, folder))
        said = f"{output}\n{running.errors()}"
    answer = program.answer(said, work) if code == 0 else {}
    return Trial(code, answer, left, calls_in(report), said)


def left_behind(mark: str, folder: Path) -> Iterator[str]:
    """Processes, shared memory and temporary files that a trial should have removed."""
    for name in (folder / "shm").read_text().split() if (folder / "shm").exists() else ():
        yield f"shared memory {name}"
    for path in (folder / "tmp").rglob("*"):
        if not path.is_dir():
            yield str(path)
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"TRIAL={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                yield f"process {entry.name}: {(entry / 'comm').read_text().strip()}"


def calls_in(report: Path) -> Counter[str]:
    """Collective calls of all processes, by the algorithm; native ones by the reason as well."""
    calls: Counter[str] = Counter()
    if list(report.glob("rank-*.jsonl")):
        for case, count in decisions.load(report).cases.items():
            why = f": {case.why}" if case.algorithm == "native" else ""
            calls[case.algorithm + why] += count.calls
    return calls


def differences(expected: Answer, found: Answer, tolerance: float) -> list[str]:
    """The differences between two answers, in words."""
    told = []
    for name in expected.keys() | found.keys():
        left, right = expected.get(name), found.get(name)
        if isinstance(left, int | float) and isinstance(right, int | float):
            if math.isclose(left, right, rel_tol=tolerance, abs_tol=0):
                continue
        elif left == right:
            continue
        told.append(f"{name}: {left!r} natively, {right!r} by Laneway")
    return sorted(told)


def table(outcomes: Iterable[str]) -> Iterator[str]:
    """Lines of the table of docs/programs.md from outcomes.jsonl."""
    yield "| program | library | forced | ranks | runs, equal | calls: served, native |"
    yield "|---|---|---|---|---|---|"
    for outcome in map(json.loads, outcomes):
        native = sum(n for name, n in outcome["calls"].items() if name.startswith("native"))
        served = sum(outcome["calls"].values()) - native
        yield (
            f"| {outcome['program']} | {outcome['library']} | {outcome['algorithm']} "
            f"| {outcome['ranks']} | {outcome['runs']}, {outcome['runs']} "
            f"| {served:,}, {native:,} |"
        )


if __name__ == "__main__":
    print("\n".join(table((FETCHED / "outcomes.jsonl").read_text().splitlines())))
