# SPDX-License-Identifier: BSD-3-Clause
"""How long unmodified programs take on an emulated cluster: natively, by default, tuned.

`make time-programs` calls this. It goes through the programs of real_programs.TIMED: it measures
what the program does (`exec --advise`), tunes for that (`tune --for`), and runs the program in
turn. The turns are native, without a profile, and with the tuned one, each with ranks on their own
lanes and on all. Every answer is compared with the native one. Rows go to
build/programs/times.jsonl; the table of docs/programs.md is printed.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from laneway import decisions
from laneway.errors import Misuse
from laneway.libraries import native
from laneway.libraries.native import NativeBuild
from program_answers import Answer
from real_programs import FETCHED, TIMED, MissingProgramError, Program
from unmodified import differences

RUNS = int(os.environ.get("RUNS") or 3)
BUDGET = os.environ.get("BUDGET") or "5m"
LIBRARIES = (os.environ.get("MPI") or "openmpi,mpich").split(",")
CHOSEN = os.environ.get("PROGRAM", "").lower()
"""Part of the name of the programs that are run."""
PPN = 4
WHERE = ["--realtime"] if os.geteuid() == 0 else []
COMMAND = [sys.executable, "-m", "laneway"]


@dataclass(frozen=True)
class Way:
    """How a program is run."""

    name: str
    words: tuple[str, ...]
    """The options of `laneway exec`."""
    binding: str = "lane"
    off: bool = False


NAMES = ("native", "default", "tuned")


def ways(profile: Path) -> tuple[Way, ...]:
    """The ways natively, without a profile, and with one, each at both bindings."""
    return tuple(
        Way(f"{name}{told}", words, binding, off=name == "native")
        for name, words in zip(NAMES, ((), (), ("--profile", str(profile))), strict=True)
        for binding, told in (("lane", ""), ("all", ", all lanes"))
    )


def say(text: str) -> None:
    """Prints on standard error, as progress."""
    print(f"time-programs: {text}", file=sys.stderr, flush=True)


@contextmanager
def cluster(name: str) -> Iterator[None]:
    """A cluster of the usual shape, as long as it is needed."""
    subprocess.run([*COMMAND, "cluster", "up", "--name", name], check=True, stdout=sys.stderr)
    try:
        yield
    finally:
        subprocess.run([*COMMAND, "cluster", "down", "--name", name], check=True, stdout=sys.stderr)


@dataclass(frozen=True)
class Case:
    """A program on a library, on a cluster."""

    program: Program
    build: NativeBuild
    cluster: str
    folder: Path

    def run(self, label: str, way: Way) -> dict[str, float]:
        """Seconds of a run, in all and in collectives. Raises SystemExit where it ends badly."""
        command = [str(word) for word in self.program.command(self.build)]
        work, report = self.folder / label / "work", self.folder / label / "report"
        work.mkdir(parents=True)
        self.program.prepare(work)
        launch = ["cluster", "run", "--name", self.cluster, "--mpi", str(self.build.mpiexec)]
        launch += ["--ppn", str(PPN), "--binding", way.binding, *WHERE, "--", *command]
        wanted = [] if "--advise" in way.words else ["--report"]
        options = [*wanted, "--quiet", "--out", str(report), *way.words]
        variables = {**os.environ, **self.program.environment(self.build), "OMP_NUM_THREADS": "1"}
        if way.off:
            variables["LANEWAY"] = "off"
        began = time.monotonic()
        done = subprocess.run(
            [*COMMAND, "exec", *options, "--", *COMMAND, *launch],
            cwd=work,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        seconds = time.monotonic() - began
        if done.returncode != 0:
            sys.exit(f"{self.program.name}, {label}: exit code {done.returncode}\n{done.stderr}")
        answer = self.program.answer(done.stdout + "\n" + done.stderr, work)
        self.compare(answer, label)
        total = decisions.load(report).total
        return {"seconds": seconds, "collectives": total.a_process(total.elapsed_s)}

    def compare(self, answer: Answer, label: str) -> None:
        """Compares with the first answer. Raises SystemExit where it is another."""
        first = self.folder / "answer.json"
        if not first.exists():
            first.write_text(json.dumps(answer))
        expected = json.loads(first.read_text())
        if not answer or (told := differences(expected, answer, self.program.tolerance)):
            sys.exit(f"{self.program.name}, {label}: another answer: {told if answer else 'none'}")

    def tuned(self) -> Path:
        """A profile for what the program does."""
        say(f"{self.program.name} on {self.build.library}: what it does")
        self.run("advise", Way("advise", ("--advise",)))
        profile = self.folder / "tuned.conf"
        say(f"{self.program.name} on {self.build.library}: tuning for that, {BUDGET}")
        options = ["--for", str(self.folder / "advise" / "report"), "--mpi", self.build.id]
        options += ["--cluster", self.cluster, "--ppn", str(PPN), *WHERE, "--budget", BUDGET]
        options += ["--output", str(profile), "--out", str(self.folder / "tuning")]
        subprocess.run([*COMMAND, "tune", *options], check=True, stdout=sys.stderr)
        if not profile.exists():
            profile.write_text("laneway profile 1\n")  # nothing was confirmed: all is native
        return profile

    def measured(self) -> dict[str, dict[str, list[float]]]:
        """Seconds of each run by way and kind, the ways in turn."""
        found: dict[str, dict[str, list[float]]] = {}
        listed = ways(self.tuned())
        for run in range(RUNS):
            # Each way comes at each place in turn.
            for way in (*listed[run % len(listed) :], *listed[: run % len(listed)]):
                say(f"{self.program.name} on {self.build.library}: {way.name}, {run + 1} of {RUNS}")
                label = f"{way.name.replace(', ', '-').replace(' ', '-')}-{run}"
                times = self.run(label, way)
                for kind, seconds in times.items():
                    found.setdefault(way.name, {}).setdefault(kind, []).append(seconds)
        return found


def outcome(program: Program, build: NativeBuild, name: str) -> dict[str, object]:
    """The measurements of a program on a library."""
    folder = FETCHED / "times" / f"{program.name.replace(' ', '-').replace(',', '')}-{build.id}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    found = Case(program, build, name, folder).measured()
    return {"program": program.name, "library": build.library, "runs": RUNS, "times": found}


def table(outcomes: list[dict[str, object]]) -> Iterator[str]:
    """The table of docs/programs.md: medians, each at the better of its bindings."""
    yield "| program | library | native: s, in collectives | by default faster by | tuned |"
    yield "|---|---|---|---|---|"
    for found in outcomes:
        medians = {
            way: {kind: statistics.median(runs) for kind, runs in kinds.items()}
            for way, kinds in found["times"].items()  # type: ignore[attr-defined]
        }
        native, *others = (
            min((medians[name], medians[f"{name}, all lanes"]), key=lambda one: one["seconds"])
            for name in NAMES
        )
        gains = (
            f"{native['seconds'] / own['seconds']:.2f}, in collectives "
            f"{native['collectives'] / own['collectives']:.2f}"
            for own in others
        )
        share = native["collectives"] / native["seconds"]
        yield (
            f"| {found['program']} | {found['library']} "
            f"| {native['seconds']:.1f}, {share:.0%} | {' | '.join(gains)} |"
        )


def wanted() -> Iterator[tuple[NativeBuild, Program]]:
    """The builds and programs that MPI and PROGRAM leave."""
    for build in native.installed():
        if build.id.split("-")[0] in LIBRARIES or build.id in LIBRARIES:
            yield from ((build, one) for one in TIMED if CHOSEN in one.name.lower())


def main() -> None:
    """Measures all programs that are there."""
    name = f"programs-{os.getpid()}"  # the cluster's name
    outcomes = []
    FETCHED.mkdir(parents=True, exist_ok=True)
    with cluster(name), (FETCHED / "times.jsonl").open("a") as file:
        for build, program in wanted():
            try:
                program.command(build)
                found = outcome(program, build, name)
            except (MissingProgramError, Misuse) as missing:
                say(f"{program.name} on {build.library}: left out: {missing}")
                continue
            outcomes.append(found)
            file.write(json.dumps(found) + "\n")
            file.flush()
    print("\n".join(table(outcomes)))


if __name__ == "__main__":
    main()
