# SPDX-License-Identifier: BSD-3-Clause
"""The cost of a communicator that lives shortly under the preload, against the library alone.

Runs tests/programs/short_lived.c, in which both take turns, with all that is served where nobody
has tuned. The job has 4 ranks on 2 virtual nodes of this machine, as if these had 2 lanes. Prints
its medians in us and their ratios, as a table in Markdown.

    .venv/bin/python scripts/short_lived.py --mpi openmpi --rounds 400
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from laneway.interposition.exec import Settings, preload_variables
from laneway.launching.launchers import Job
from laneway.libraries import native
from laneway.libraries.native import NativeBuild

PROGRAM = Path(__file__).parent.parent / "tests" / "programs" / "short_lived.c"
LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
RANKS, NODE_SIZE, LANES = 4, 2, 2


def rows(build: NativeBuild, rounds: int, settings: dict[str, str], met: bool) -> list[str]:
    """The lines that the program prints."""
    variables = {"LANEWAY_PROFILE_DIR": ""}
    variables |= preload_variables(build, Settings(node_size=str(NODE_SIZE), lanes=LANES), {})
    if build.family == "mpich":
        variables["LD_PRELOAD"] += f":{build.yielding}"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "short_lived"
        subprocess.run([build.mpicc, "-O1", PROGRAM, "-o", program, "-ldl"], check=True)
        # By `env`: the launcher's own preload, if it needs one, would win over ours.
        words = [f"{name}={value}" for name, value in {**variables, **settings}.items()]
        words.append(f"SHORT_LIVED_LIBRARY={LIBRARIES[build.family]}")
        job = Job(
            build, RANKS, ["env", *words, str(program), str(rounds), *(["met"] if met else [])], {}
        )
        said = subprocess.run(job.command(), capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise SystemExit(f"the job failed:\n{said.stdout}{said.stderr}")
    return said.stdout.splitlines()


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mpi", help="which build, as in `laneway env` (default: the first)")
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument(
        "--unmet", action="store_true", help="the world has made no collective before"
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    given = parser.parse_args()
    build = native.find(given.mpi)
    settings = dict(each.split("=", 1) for each in given.set)
    print(f"| {build.library}: what | natively, us | under Laneway, us | ratio |")
    print("|---|---:|---:|---:|")
    for row in rows(build, given.rounds, settings, met=not given.unmet):
        print(f"| {row} |")


if __name__ == "__main__":
    main()
