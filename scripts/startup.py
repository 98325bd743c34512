# SPDX-License-Identifier: BSD-3-Clause
"""The time that the preload adds to a job from its start to its end.

Runs tests/programs/application.c (six collectives a process) again and again, in shuffled order. It
runs in turn without the preload, with it and nothing chosen, and with an algorithm for each of its
collectives. It also runs with nothing chosen under the check that `laneway exec` makes on every
rank. Prints the median of the differences to the run without the preload in the same round, and a
95% interval of that median (order statistics).

    .venv/bin/python scripts/startup.py --mpi openmpi --ranks 8 --rounds 40
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from scipy.stats import quantile_test

from laneway.interposition.exec import Settings, preload_variables, wrap
from laneway.launching.launchers import Job
from laneway.libraries import native
from laneway.libraries.native import NativeBuild

PROGRAM = Path(__file__).parent.parent / "tests" / "programs" / "application.c"
CHOSEN = Settings(
    algorithm="bcast=lane,allreduce=lane,allgather=hierarchical", node_size="4", strict=True
)


def seconds(command: list[str]) -> float:
    """How long a job takes that must say `right`."""
    began = time.monotonic()
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    took = time.monotonic() - began
    if said.returncode != 0 or said.stdout != "right\n":
        raise SystemExit(f"{' '.join(command)} failed:\n{said.stdout}{said.stderr}")
    return took


def measure(build: NativeBuild, ranks: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of every run by contestant."""
    contestants: dict[str, dict[str, str]] = {
        "without": {},
        "nothing chosen": preload_variables(build, Settings(), {}),
        "all served": preload_variables(build, CHOSEN, {}),
    }
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "application"
        subprocess.run([build.mpicc, "-O1", PROGRAM, "-o", program], check=True)
        jobs = {
            name: Job(build, ranks, [str(program)], variables).command()
            for name, variables in contestants.items()
        }
        native_job = jobs["without"]
        jobs["nothing chosen, checked"] = wrap(native_job, build, Settings(), {})[0]
        times: dict[str, list[float]] = {name: [] for name in jobs}
        for name, command in [*jobs.items()] * 2 + [
            turn for _ in range(rounds) for turn in random.sample([*jobs.items()], len(jobs))
        ]:
            times[name].append(seconds(command))
    return {name: taken[2:] for name, taken in times.items()}  # two rounds of warming up


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mpi", help="which build, as in `laneway env` (default: the first)")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    build = native.find(given.mpi)
    times = measure(build, given.ranks, given.rounds)
    without = times.pop("without")
    print(
        f"{build.library}, {given.ranks} ranks on {os.cpu_count()} cores, {given.rounds} rounds, "
        f"without: median {statistics.median(without) * 1e3:.0f} ms"
    )
    for name, taken in times.items():
        more = [(a - b) * 1e3 for a, b in zip(taken, without, strict=True)]
        likely = quantile_test(more, q=0, p=0.5).confidence_interval()
        print(
            f"{name}: {statistics.median(more):+.1f} ms ({likely.low:+.1f} to {likely.high:+.1f})"
        )


if __name__ == "__main__":
    main()
