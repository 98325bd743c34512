# SPDX-License-Identifier: BSD-3-Clause
"""Ten collectives of 4 MB on lanes that are not alike, over the floor of what the lanes carry.

    .venv/bin/python tests/timed_lanes.py [openmpi|mpich] [PART,...]

This brings up an emulated cluster of 4 nodes with 4 processes and 2 lanes each, and sets the rates
of its lanes. In `half` the second lane of each node has half the rate, in `tenth` a tenth. In
`sick` one node alone has such a lane. Weights say so; in `half-found`, `tenth-found` and
`sick-found` they are found in 100 broadcasts before. All parts take 4 minutes. A line has the
floor, and the median over it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from laneway.libraries import native
from laneway.modelling.floor import Wire, collective_us, node_bytes

NAME = f"lanes-{os.getpid()}"
"""The cluster's name."""

LANEWAY = [sys.executable, "-P", "-m", "laneway"]
WHERE = ["--realtime"] if os.geteuid() == 0 else []
NODES, PPN, LANES = 4, 4, 2
FRAME = 18432
"""Bytes that a lane of the cluster sends at once."""
INTS = 1_000_000
"""4 MB."""
BEFORE = 100
"""Broadcasts in which weights are found."""

MESSAGES = ("bcast", "reduce", "allreduce", "scan", "exscan")
BLOCKS = ("gather", "scatter", "allgather", "reduce_scatter_block", "alltoall")
ALGORITHM = "lane_segmented"
"""Built-in rules serve all of them by this one."""

Rates = list[list[int]]
"""Mbit/s, by node and lane."""


@dataclass(frozen=True)
class Part:
    """The rates of the lanes, and what is said of them."""

    rates: Rates
    weights: str
    found: bool = False
    """Broadcasts come first, in which weights are found."""


SICK = [[200, 20] if node == 1 else [200, 200] for node in range(NODES)]
PARTS = {
    "half": Part([[200, 100]] * NODES, "2:1"),
    "tenth": Part([[200, 20]] * NODES, "10:1"),
    "sick": Part(SICK, "10:10,node1=10:1"),
    "half-found": Part([[200, 100]] * NODES, "auto", True),
    "tenth-found": Part([[200, 20]] * NODES, "auto", True),
    "sick-found": Part(SICK, "auto", True),
}


def called(*words: str, **environment: str) -> str:
    """The output of `laneway WORDS`, which must end with 0."""
    done = subprocess.run(
        [*LANEWAY, *words],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def count(collective: str) -> int:
    """The count of 4 MB: of a message, or of all blocks."""
    return INTS if collective in MESSAGES else INTS // (NODES * PPN)


def plan(found: bool) -> Iterator[str]:
    """The lines of a plan of the benchmark."""
    if found:
        yield (
            f"before --collective bcast --count {INTS} --algorithm {ALGORITHM} "
            f"-i {BEFORE} --warmup 0 --time 200"
        )
    for collective in (*MESSAGES, *BLOCKS):
        yield (
            f"{collective} --collective {collective} --count {count(collective)} "
            f"--algorithm {ALGORITHM} -i 7 --time 200"
        )


def floor_us(rates: Rates, collective: str) -> float:
    """The least time of the busiest node, which sends or receives by all of its lanes."""
    in_bits = tuple(tuple(rate * 10**6 for rate in row) for row in rates)
    wire = Wire(max(map(max, in_bits)), FRAME, rates=in_bits)
    size = 4 * count(collective)
    shape = [PPN] * NODES
    volumes = node_bytes(collective, size, shape, 0)
    if collective == "allreduce" or volumes is None:
        least = collective_us(wire, collective, size, processes=shape, lanes=LANES, binding="lane")
        assert least is not None
        return least
    nodes = enumerate(volumes)
    return max(wire.of_node(node, LANES).busy_us(-(-bytes_ // LANES)) for node, bytes_ in nodes)


def measured(bench: Path, mpi: str, part: Part) -> dict[str, list[float]]:
    """Microseconds by collective, all of one job."""
    times: dict[str, list[float]] = {}
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as file:
        file.write("\n".join(plan(part.found)) + "\n")
        file.flush()
        job = ["--name", NAME, "--mpi", mpi, "--ppn", str(PPN), "--timeout", "400"]
        words = [*WHERE, "--", str(bench), "--plan", file.name, "--binding", "lane"]
        printed = called("cluster", "run", *job, *words, LANEWAY_LANE_WEIGHTS=part.weights)
    for line in printed.splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        if row.get("kind") == "sample" and row["block"] != "before":
            times.setdefault(row["block"], []).append(row["time_us"])
    return times


def main(mpi: str, names: list[str]) -> None:
    """Print a line for each part and collective."""
    bench = native.find(mpi).programs / "laneway-bench"
    lanes = ["--nodes", str(NODES), "--lanes", str(LANES), "--rate", "200mbit"]
    called("cluster", "up", "--name", NAME, *lanes)
    try:
        for name in names:
            part = PARTS[name]
            for node, row in enumerate(part.rates):
                for lane, rate in enumerate(row):
                    place = [f"node{node}", f"lane{lane}", f"{rate}mbit"]
                    called("cluster", "set-rate", "--name", NAME, *place)
            for collective, times in measured(bench, mpi, part).items():
                floor = floor_us(part.rates, collective)
                ratio = statistics.median(times) / floor
                print(
                    f"{name:11}  {collective:20}  {floor / 1000:6.1f} ms  {ratio:.2f}", flush=True
                )
    finally:
        called("cluster", "down", "--name", NAME)


if __name__ == "__main__":
    library, parts, *_ = [*sys.argv[1:], *["openmpi", ",".join(PARTS)][len(sys.argv) - 1 :]]
    main(library, parts.split(","))
