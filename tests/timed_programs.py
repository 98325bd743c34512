# SPDX-License-Identifier: BSD-3-Clause
"""How long unmodified programs take on an emulated cluster: natively, and in several other ways.

`make time-programs` calls this. It goes through the programs of real_programs.TIMED. The ways are
native, by default, learning (a first job, and a second one that begins with what the first has
learnt), and tuned. For the latter it measures what the program does (`exec --advise`), and tunes
for that (`tune --for`). Runs of the ways come in turn, each with ranks on their own lanes and on
all. Every answer is compared with the native one. Rows go to build/programs/times.jsonl; the table
of docs/programs.md is printed.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
WAYS = (os.environ.get("WAYS") or "native,default,learn,tuned").split(",")
BINDINGS = (os.environ.get("BINDINGS") or "lane,all").split(",")
SLOWLY = ["--slow-motion"] if os.environ.get("SLOW") else []
PPN = 4
WHERE = ["--realtime"] if os.geteuid() == 0 else []
COMMAND = [sys.executable, "-m", "laneway"]

LEARN = ("learn", "learn again")
"""The two jobs of learning, the second with what the first has learnt."""


@dataclass(frozen=True)
class Way:
    """How a program is run."""

    kind: str
    binding: str = "lane"
    words: tuple[str, ...] = ()
    """The options of `laneway exec`."""

    @property
    def name(self) -> str:
        """The way as rows name it."""
        return f"{self.kind}, {self.binding}"

    @property
    def slug(self) -> str:
        """The way in names of folders."""
        return self.name.replace(", ", "-").replace(" ", "-")


def turns(profile: Path) -> list[list[Way]]:
    """The ways that are wanted, at each binding: lists of those that follow each other."""
    of_kind = {
        "native": [("native", ())],
        "default": [("default", ())],
        "learn": [(each, ("--learn",)) for each in LEARN],
        "tuned": [("tuned", ("--profile", str(profile)))],
    }
    return [
        [Way(kind, binding, words) for kind, words in of_kind[name]]
        for name in WAYS
        for binding in BINDINGS
    ]


def say(text: str) -> None:
    """Prints on standard error, as progress."""
    print(f"time-programs: {text}", file=sys.stderr, flush=True)


@contextmanager
def cluster(name: str) -> Iterator[None]:
    """A cluster of the usual shape, as long as it is needed."""
    up = ["cluster", "up", "--name", name, *SLOWLY]
    subprocess.run([*COMMAND, *up], check=True, stdout=sys.stderr)
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

    def run(self, label: str, way: Way, home: Path) -> dict[str, float]:
        """Seconds of a run, in all, in collectives, and in those that Laneway has served.

        `home`: where jobs of the user find what others have left. Raises SystemExit where the run
        ends badly.
        """
        command = [str(word) for word in self.program.command(self.build)]
        work, report = self.folder / label / "work", self.folder / label / "report"
        work.mkdir(parents=True)
        self.program.prepare(work)
        launch = ["cluster", "run", "--name", self.cluster, "--mpi", str(self.build.mpiexec)]
        launch += ["--ppn", str(PPN), "--binding", way.binding, *WHERE, "--", *command]
        wanted = [] if "--advise" in way.words else ["--report"]
        options = [*wanted, "--quiet", "--out", str(report), *way.words]
        variables = {**os.environ, **self.program.environment(self.build), "OMP_NUM_THREADS": "1"}
        variables["XDG_CONFIG_HOME"] = str(home)
        if way.kind == "native":
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
        found = decisions.load(report)
        total = found.total
        served = sum(
            count.elapsed_s for case, count in found.cases.items() if case.algorithm != "native"
        )
        return {
            "seconds": seconds,
            "collectives": total.a_process(total.elapsed_s),
            "served": total.a_process(served),
        }

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
        self.run("advise", Way("advise", BINDINGS[0], ("--advise",)), self.folder / "nobody")
        profile = self.folder / "tuned.conf"
        say(f"{self.program.name} on {self.build.library}: tuning for that, {BUDGET}")
        options = ["--for", str(self.folder / "advise" / "report"), "--mpi", self.build.id]
        options += ["--cluster", self.cluster, "--ppn", str(PPN), *WHERE, "--budget", BUDGET]
        if len(BINDINGS) == 1:
            options += ["--binding", *BINDINGS]
        options += ["--output", str(profile), "--out", str(self.folder / "tuning")]
        subprocess.run([*COMMAND, "tune", *options], check=True, stdout=sys.stderr)
        if not profile.exists():
            profile.write_text("laneway profile 1\n")  # nothing was confirmed: all is native
        return profile

    def measured(self) -> dict[str, dict[str, list[float]]]:
        """Seconds of each run by way and kind, the ways in turn."""
        found: dict[str, dict[str, list[float]]] = {}
        listed = turns(self.tuned() if "tuned" in WAYS else Path())
        for run in range(RUNS):
            # Each way comes at each place in turn.
            for ways in (*listed[run % len(listed) :], *listed[: run % len(listed)]):
                home = self.folder / f"{ways[0].slug}-{run}" / "home"
                for way in ways:
                    name = f"{self.program.name} on {self.build.library}"
                    say(f"{name}: {way.name}, {run + 1} of {RUNS}")
                    times = self.run(f"{way.slug}-{run}", way, home)
                    for kind, seconds in times.items():
                        found.setdefault(way.name, {}).setdefault(kind, []).append(seconds)
        return found


def outcome(program: Program, build: NativeBuild, name: str) -> dict[str, object]:
    """The measurements of a program on a library."""
    folder = FETCHED / "times" / f"{program.name.replace(' ', '-').replace(',', '')}-{build.id}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    found = Case(program, build, name, folder).measured()
    facts = {"program": program.name, "library": build.library, "runs": RUNS, "budget": BUDGET}
    return {**facts, "slow_motion": bool(SLOWLY), "times": found}


def table(outcomes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The table of docs/programs.md: medians of each way, at the better of its bindings."""
    kinds = [kind for name in WAYS for kind in (LEARN if name == "learn" else (name,))]
    others = [kind for kind in kinds if kind != "native"]
    yield f"| program | library | native: s, in collectives | {' | '.join(others)} |"
    yield f"|---|---|---|{'---|' * len(others)}"
    for found in outcomes:
        best = {kind: _better(found["times"], kind) for kind in kinds}
        native = best["native"]
        gains = (
            f"{_ratio(native, own, 'seconds')}, in collectives {_ratio(native, own, 'collectives')}"
            f", {own['served'] / max(own['collectives'], TINY):.0%} served"
            for own in (best[kind] for kind in others)
        )
        share = native["collectives"] / native["seconds"]
        yield (
            f"| {found['program']} | {found['library']} "
            f"| {native['seconds']:.1f}, {share:.0%} | {' | '.join(gains)} |"
        )


TINY = 1e-9
"""Seconds where a program has spent none in collectives."""


def _better(times: Mapping[str, Mapping[str, Sequence[float]]], kind: str) -> dict[str, float]:
    """Medians of a way at the binding with which the whole program takes less time."""
    medians = (
        {what: statistics.median(runs) for what, runs in times[Way(kind, binding).name].items()}
        for binding in BINDINGS
    )
    return min(medians, key=lambda one: one["seconds"])


def _ratio(native: Mapping[str, float], own: Mapping[str, float], what: str) -> str:
    return f"{native[what] / max(own[what], TINY):.2f}"


def wanted() -> Iterator[tuple[NativeBuild, Program]]:
    """The builds and programs that MPI and PROGRAM leave."""
    for build in native.installed():
        if build.id.split("-")[0] in LIBRARIES or build.id in LIBRARIES:
            yield from ((build, one) for one in TIMED if CHOSEN in one.name.lower())


def main() -> None:
    """Measures all programs that are there."""
    if "native" not in WAYS:
        sys.exit("time-programs: WAYS lacks native, which all others are compared with")
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
