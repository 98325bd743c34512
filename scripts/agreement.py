# SPDX-License-Identifier: BSD-3-Clause
"""Whether laneway-bench, IMB-MPI1 and NetPIPE measure the same.

Runs the same operations at the same sizes by each of them, in turn, on one emulated cluster with
one MPI library. Prints what they say as a table of Markdown. IMB and NetPIPE repeat an operation
without a pause and divide. Here laneway-bench does so, too, by --inner-repetitions; beside it
stands what it says by default, every repetition started anew. The exit code is 1 where a figure
of another tool differs from Laneway's by more than 10%. Needs root (or user namespaces) for the
cluster; IMB-MPI1 (of the wheel impi-rt; with MPICH) and NetPIPE (Debian: netpipe-openmpi,
netpipe-mpich2) on PATH.

    .venv/bin/python scripts/agreement.py --mpi mpich
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from laneway.campaign import bench
from laneway.launching import allocation
from laneway.launching.place import Setting
from laneway.launching.run import Run
from laneway.libraries import native
from laneway.libraries.native import NativeBuild

TOLERANCE = 0.10
SILENCE = 120.0
POINT_TO_POINT = {"pingpong": "PingPong", "sendrecv": "Sendrecv"}
COLLECTIVES = {
    "allreduce": "Allreduce",
    "bcast": "Bcast",
    "allgather": "Allgather",
    "alltoall": "Alltoall",
}

Times = dict[tuple[str, int], float]
"""Microseconds by operation and bytes: the mean over ranks of each rank's mean."""


@dataclass(frozen=True)
class Stage:
    """Where something is measured, and how to start a program there."""

    setting: Setting
    build: NativeBuild

    def lines(self, program: Sequence[str]) -> Iterator[str]:
        """The lines that a program prints."""
        job = self.setting.place.job(self.build, program, self.setting.lanes, self.setting.binding)
        with Run(job) as running:
            yield from running.lines(SILENCE)


def by_laneway(
    operations: Sequence[str], sizes: Sequence[int], repetitions: int, inner: int
) -> Callable[[Stage], Times]:
    """Measures by laneway-bench: `repetitions` starts of `inner` calls in a row."""

    def measure(stage: Stage) -> Times:
        program = [
            str(stage.build.bench),
            f"--collective={','.join(operations)}",
            f"--message-size={','.join(map(str, sizes))},",
            *("--algorithm=native", "--datatype=float", "--warmup=1", "--time=60"),
            f"--repetitions={repetitions}",
            f"--inner-repetitions={inner}",
        ]
        setting = stage.setting
        job = setting.place.job(stage.build, program, setting.lanes, setting.binding)
        return {
            (row["collective"], row["bytes"]): row["avg_us"]
            for row in bench.rows(job, SILENCE)
            if row["kind"] == "averages"
        }

    return measure


def by_imb(
    imb: Path, abi: Path, names: dict[str, str], sizes: Sequence[int], times: int
) -> Callable[[Stage], Times]:
    """Measures by IMB-MPI1, which finds MPICH's library under its own name in `abi`."""
    lengths = abi / "sizes"
    lengths.write_text("".join(f"{size}\n" for size in sizes))

    def measure(stage: Stage) -> Times:
        ranks = stage.setting.place.nodes * stage.setting.place.ppn
        limits = ["-npmin", str(ranks), "-iter", str(times), "-iter_policy", "off", "-time", "60"]
        program = ["env", f"LD_LIBRARY_PATH={abi}", str(imb), *limits, "-msglen", str(lengths)]
        found: Times = {}
        operations = {imb_name: name for name, imb_name in names.items()}
        operation = ""
        for line in stage.lines([*program, *operations]):
            if heading := re.match(r"# Benchmarking (\w+)", line):
                operation = operations[heading[1]]
            elif operation and re.match(r"\s+\d+(\s+[\d.]+)+\s*$", line):
                size, _, *numbers = line.split()
                # PingPong has one time; the others minimum, maximum and average over ranks.
                found[operation, int(size)] = float(numbers[0 if operation == "pingpong" else 2])
        return found

    return measure


def by_netpipe(program: str, sizes: Sequence[int], folder: Path) -> Callable[[Stage], Times]:
    """Measures by NetPIPE, which plays ping-pong: half a round trip, the best of its trials."""

    def measure(stage: Stage) -> Times:
        found: Times = {}
        for size in sizes:
            out = folder / "np.out"
            out.unlink(missing_ok=True)
            bounds = ["-l", str(size), "-u", str(size), "-p", "0", "-n", "10", "-o", str(out)]
            for _ in stage.lines([program, *bounds]):
                pass
            for line in out.read_text().splitlines():
                count, _, seconds = line.split()[:3]
                found["pingpong", int(count)] = float(seconds) * 1e6
        return {key: found[key] for key in found if key[1] in sizes}

    return measure


def compare(stage: Stage, tools: dict[str, Callable[[Stage], Times]], runs: int) -> int:
    """Prints a line for each operation and size; returns how many differ too much.

    The first tool is what the others are held against; the second, another way of the first, may
    differ.
    """
    said: dict[str, list[Times]] = {name: [] for name in tools}
    for run in range(runs):
        turns = list(tools) if run % 2 == 0 else list(tools)[::-1]
        for name in turns:
            said[name].append(tools[name](stage))
    worse = 0
    first, second, *_ = tools
    order = [*POINT_TO_POINT, *COLLECTIVES]
    for key in sorted(said[first][0], key=lambda key: (order.index(key[0]), key[1])):
        own = statistics.median(times[key] for times in said[first])
        cells = [f"{own:.0f}"]
        for name in list(tools)[1:]:
            if key not in said[name][0]:
                cells += ["", ""]
                continue
            other = statistics.median(times[key] for times in said[name])
            ratio = other / own
            worse += name != second and abs(ratio - 1) > TOLERANCE
            cells += [f"{other:.0f}", f"{ratio:.3f}"]
        print(f"| {key[0]} | {key[1]} | {' | '.join(cells)} |", flush=True)
    return worse


def main() -> int:
    """The whole script: its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="mpich", help="MPI library (default: mpich)")
    parser.add_argument(
        "--imb", default=shutil.which("IMB-MPI1"), help="IMB-MPI1 (default: on PATH; MPICH only)"
    )
    parser.add_argument(
        "--cluster", default="auto", help="emulated cluster (default: one of its own)"
    )
    parser.add_argument("--runs", type=int, default=3, help="of each tool (default: 3)")
    parser.add_argument("--iterations", type=int, default=10, help="in a run (default: 10)")
    parser.add_argument(
        "--sizes", default="65536,262144,1048576", help="bytes, separated by commas"
    )
    parser.add_argument(
        "--operations",
        default=",".join([*POINT_TO_POINT, *COLLECTIVES]),
        help="separated by commas (default: all)",
    )
    parser.add_argument("--realtime", action="store_true", help="ranks under SCHED_RR")
    options = parser.parse_args()
    chosen = options.operations.split(",")
    build = native.find(options.mpi)
    netpipe = shutil.which("NPopenmpi" if build.family == "openmpi" else "NPmpich2")
    sizes = [int(size) for size in options.sizes.split(",")]
    worse = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for known, nodes, ppn in ((POINT_TO_POINT, 2, 1), (COLLECTIVES, 4, 2)):
            operations = {name: imb for name, imb in known.items() if name in chosen}
            if not operations:
                continue
            tools = {
                "laneway": by_laneway([*operations], sizes, 1, options.iterations),
                "started anew": by_laneway([*operations], sizes, options.iterations, 1),
            }
            if options.imb and build.family == "mpich":
                (folder / "libmpi.so.12").unlink(missing_ok=True)
                (folder / "libmpi.so.12").symlink_to(_library(build))
                imb = Path(options.imb)
                tools["IMB"] = by_imb(imb, folder, operations, sizes, options.iterations)
            if netpipe and "pingpong" in operations:
                tools["NetPIPE"] = by_netpipe(netpipe, sizes, folder)
            if len(tools) == 2:
                continue  # nothing to compare with
            wanted = allocation.Wanted(
                options.cluster, nodes, ppn, binding="lane", realtime=options.realtime
            )
            with allocation.settings(wanted, lambda text: print(text, file=sys.stderr)) as (
                setting,
                *_,
            ):
                print(f"\n{build.library}, {setting.place.machine}, {ppn} ranks a node\n")
                columns = "".join(f" {tool} us | / laneway |" for tool in list(tools)[1:])
                print(f"| operation | bytes | laneway us |{columns}")
                print("|---|---|---|" + "---|---|" * (len(tools) - 1))
                worse += compare(Stage(setting, build), tools, options.runs)
    print(f"\n{worse} figures differ by more than {TOLERANCE:.0%}")
    return 1 if worse else 0


def _library(build: NativeBuild) -> Path:
    """The shared library of MPICH that goes by another name in its binary interface."""
    folders = [build.mpicc.parent.parent / "lib", *Path("/usr/lib").glob("*-linux-gnu")]
    found = [folder / name for folder in folders for name in ("libmpich.so.12", "libmpi.so.12")]
    return next(path for path in found if path.exists())


if __name__ == "__main__":
    sys.exit(main())
