# SPDX-License-Identifier: BSD-3-Clause
"""The gain of a program that learns, beside the same program by a tuned profile.

    .venv/bin/python tests/timed_learning.py [openmpi|mpich]

This runs tests/programs/mix.c on an emulated cluster of 4 nodes with 4 processes each. It runs
natively, with `--learn` in a first and a second job, and by the profile that `laneway tune --for`
makes of it. It prints one table, with a line for each kind of call. Native microseconds stand
there, and how many times as fast the last third of the calls was otherwise. Below are the geometric
means. The last line says which part of the tuned profile's gain (its logarithm) each job reaches.
STEPS=60 calls of each kind; BUDGET=5m of tuning, 0 for none; LARGEST=1048576 bytes; SLOW=1: the
cluster in slow motion.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from laneway.libraries import native

STEPS = os.environ.get("STEPS") or "60"
BUDGET = os.environ.get("BUDGET") or "5m"
LARGEST = os.environ.get("LARGEST") or "1048576"
PPN = 4
UP = ["--slow-motion"] if os.environ.get("SLOW") else []
WHERE = ["--realtime"] if os.geteuid() == 0 else []
COMMAND = [sys.executable, "-m", "laneway"]
NAME = f"learning-{os.getpid()}"
"""The cluster's name."""

Times = Mapping[str, float]
"""Microseconds of the last third of calls, by kind."""


def say(text: str) -> None:
    """Prints on standard error, as progress."""
    print(f"timed-learning: {text}", file=sys.stderr, flush=True)


class Mix:
    """The program, on a cluster."""

    def __init__(self, library: str, folder: Path) -> None:
        self.build = native.find(library)
        self.folder = folder
        self.program = folder / "mix"
        source = Path(__file__).parent / "programs" / "mix.c"
        compiler = [str(self.build.mpicc), "-O2", str(source), "-o", str(self.program)]
        subprocess.run(compiler, check=True, stdout=sys.stderr)

    def run(self, label: str, *words: str, **settings: str) -> Times:
        """A job under `laneway exec` with these options. Raises SystemExit where it ends badly."""
        say(label)
        launch = [*COMMAND, "cluster", "run", "--name", NAME, "--mpi", str(self.build.mpiexec)]
        launch += ["--ppn", str(PPN), *WHERE, "--", str(self.program), STEPS, str(PPN), LARGEST]
        own = {"XDG_CONFIG_HOME": str(self.folder)}  # learnt rules stay there
        done = subprocess.run(
            [*COMMAND, "exec", "--quiet", *words, "--", *launch],
            env={**os.environ, **own, **settings},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            sys.exit(f"{label}: exit code {done.returncode}")
        rows = [line.rsplit(maxsplit=2) for line in done.stdout.splitlines()]
        say(f"{label}: {done.stdout.splitlines()[-1]} s")
        return {kind: float(last) for kind, _, last in (row for row in rows if len(row) == 3)}

    def tuned(self) -> Times:
        """The times by a profile that was tuned for the program."""
        report, profile = self.folder / "advice", self.folder / "tuned.conf"
        self.run("advise", "--advise", "--out", str(report))
        options = ["--for", str(report), "--mpi", self.build.id, "--cluster", NAME]
        options += ["--ppn", str(PPN), *WHERE, "--budget", BUDGET, "--output", str(profile)]
        options += ["--out", str(self.folder / "tuning")]
        subprocess.run([*COMMAND, "tune", *options], check=True, stdout=sys.stderr)
        if not profile.exists():
            profile.write_text("laneway profile 1\n")  # nothing was confirmed
        return self.run("tuned", "--profile", str(profile))


def table(native_times: Times, others: Mapping[str, Times]) -> Iterator[str]:
    """The lines of the table."""
    yield "| kind | native, us | " + " | ".join(others) + " |"
    yield "|---|---:|" + "---:|" * len(others)
    gains = {
        name: {kind: time / times[kind] for kind, time in native_times.items()}
        for name, times in others.items()
    }
    for kind, time in native_times.items():
        own = " | ".join(f"{gains[name][kind]:.2f}" for name in others)
        yield f"| {kind} | {time:.0f} | {own} |"
    means = {name: statistics.geometric_mean(each.values()) for name, each in gains.items()}
    yield "| geometric mean | | " + " | ".join(f"{mean:.2f}" for mean in means.values()) + " |"
    least = " | ".join(f"{min(each.values()):.2f}" for each in gains.values())
    yield f"| least | | {least} |"
    if "tuned" in means and means["tuned"] > 1:
        whole = math.log(means["tuned"])
        parts = " | ".join(f"{math.log(mean) / whole:.0%}" for mean in means.values())
        yield f"| of the tuned gain | | {parts} |"


def main() -> None:
    """Runs all jobs and prints the table."""
    library = sys.argv[1] if len(sys.argv) > 1 else "openmpi"
    with tempfile.TemporaryDirectory(prefix="laneway-learning-") as folder:
        mix = Mix(library, Path(folder))
        up = [*COMMAND, "cluster", "up", "--name", NAME, *UP]
        subprocess.run(up, check=True, stdout=sys.stderr)
        try:
            native_times = mix.run("native", LANEWAY="off")
            others = {
                "default": mix.run("default"),
                "learn, first job": mix.run("learn, first job", "--learn"),
                "learn, second job": mix.run("learn, second job", "--learn"),
            }
            if BUDGET != "0":
                others["tuned"] = mix.tuned()
        finally:
            subprocess.run([*COMMAND, "cluster", "down", "--name", NAME], check=False)
    print("\n".join(table(native_times, others)))


if __name__ == "__main__":
    main()
