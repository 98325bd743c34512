# SPDX-License-Identifier: BSD-3-Clause
"""Rows of campaigns that never took place, with times that are known."""

import json
import math
import random
from pathlib import Path

from laneway.modelling.floor import node_bytes

COLLECTIVES = (
    "allgather", "allreduce", "alltoall", "bcast", "exscan", "gather", "reduce",
    "reduce_scatter_block", "scan", "scatter",
)  # fmt: skip
FACTORS = {"native": 1.0, "hierarchical": 1.4, "lane": 0.5}
RATE, BURST = 200_000_000, 18432
RUNS = 6
"""As many runs as `compare` starts."""
CPU = {"cpu": "a processor", "cores": 2, "system": "Linux"}


def heading(**more):
    return {
        "kind": "campaign",
        "command": "laneway compare --collective bcast",
        "job": "mpirun -np 16 laneway-bench",
        "date": "2026-01-01T00:00:00+00:00",
        "oversubscribed": False,
        "machine": CPU,
        "cluster": None,
        **more,
    }


def environment(run, lanes=2, library="Open MPI 4.1.4", **more):
    return {
        "kind": "environment",
        "run": run,
        "library": library,
        "library_version": f"{library}, in full",
        "laneway": "0.1.0",
        "ranks": 16,
        "nodes": 4,
        "ppn": 4,
        "hosts": [f"node{node}" for node in range(4) for _ in range(4)],
        "settings": {"LANEWAY_LANES": str(lanes)},
        "cluster": {"rate": RATE, "burst": BURST, "lanes": lanes},
        "place": f"an emulated cluster: 4 nodes, {lanes} lanes",
        **more,
    }


def sample(collective, algorithm, count, run, time_us, *, repetition=0, lanes=2, **more):
    return {
        "kind": "sample",
        "run": run,
        "collective": collective,
        "algorithm": algorithm,
        "count": count,
        "datatype": "int",
        "bytes": 4 * count,
        "served_by": algorithm,
        "nodes": 4,
        "ppn": 4,
        "lanes": lanes,
        "library": "Open MPI 4.1.4",
        "binding": "lane",
        "op": "sum" if "reduce" in collective or "scan" in collective else None,
        "root": 0,
        "cold": False,
        "threads": 1,
        "inner_repetitions": 1,
        "repetition": repetition,
        "time_us": time_us,
        **more,
    }


def counters(run, lanes=2):
    carried = [[1000 * (node + 1) + lane for lane in range(lanes)] for node in range(4)]
    return {
        "kind": "counters",
        "run": run,
        "lanes": lanes,
        "binding": "lane",
        "tx_bytes": carried,
        "rx_bytes": [[value + 7 for value in node] for node in carried],
        "drops": [[0] * lanes for _ in range(4)],
    }


def carried(collective, algorithm, count, run, *, lanes=2, repetitions=20, **more):
    """The bytes that native leaves to one lane, and that others spread over all of them."""
    total = repetitions * 1.02 * _volume(collective, 4 * count)
    shares = [1.0] + [0.0] * (lanes - 1) if algorithm == "native" else [1 / lanes] * lanes
    node = [*(round(share * total) for share in shares), 0]
    row = sample(collective, algorithm, count, run, 0, lanes=lanes, **more)
    del row["time_us"], row["repetition"], row["served_by"]
    return {
        **row,
        "kind": "carried",
        "repetitions": repetitions,
        "devices": [*(f"lane{lane}" for lane in range(lanes)), "mgmt"],
        "tx_bytes": [node for _ in range(4)],
        "rx_bytes": [node for _ in range(4)],
    }


def _volume(collective, size):
    """Bytes that some node must send or receive."""
    return max(node_bytes(collective, size, [4] * 4))


def campaign(collectives=COLLECTIVES, *, sizes=12, runs=5, samples=20, lanes=(2,), seed=1):
    """Rows of every algorithm at counts 0, ..., 4 ** 9, 4 ** 10; times by FACTORS, and noise."""
    generator = random.Random(seed)  # noqa: S311 - noise, not secrets
    counts = [0, *(4**power for power in range(12 - sizes, 11))]
    yield heading()
    for run in range(1, runs + 1):
        for own in lanes:
            yield environment(run, own)
            shift = generator.uniform(0.97, 1.03)
            for collective in collectives:
                for count in counts:
                    for algorithm, factor in FACTORS.items():
                        # Lanes carry the bytes of all but native, which gains nothing by them.
                        rate = RATE * (1 if algorithm == "native" else own) / 8e6
                        needed = _volume(collective, 4 * count) / rate
                        base = shift * factor * (50 + 3 * needed)
                        for repetition in range(samples):
                            time = round(base * generator.uniform(1, 1.1), 3)
                            yield sample(
                                collective, algorithm, count, run, time,
                                repetition=repetition, lanes=own,
                            )  # fmt: skip
                        yield carried(
                            collective, algorithm, count, run, lanes=own, repetitions=samples
                        )
            yield counters(run, own)


def versus(factors, *, runs=RUNS, collective="bcast", **more):
    """Rows of a collective in which each algorithm takes a factor of native's time, by count.

    `factors` are by algorithm and count; runs differ a little, so that no times tie.
    """
    yield heading()
    counts = sorted({count for own in factors.values() for count in own})
    for run in range(1, runs + 1):
        yield environment(run, more.get("lanes", 2), more.get("library", "Open MPI 4.1.4"))
        for count in counts:
            for algorithm, own in {"native": dict.fromkeys(counts, 1.0), **factors}.items():
                if count in own:
                    time = own[count] * (1000 + count) * (1 + 0.01 * math.sin(run * len(algorithm)))
                    yield sample(collective, algorithm, count, run, time, **more)


def two_winners():
    """Rows of two algorithms that gain: one has the greater ratio to native, one the lower median.

    The first is a tenth faster in three of seven runs, and a twentieth slower in the others.
    """
    times = {"lane": [90] * 3 + [105] * 4, "lane_pipeline": [100] * 7}
    yield heading()
    for run in range(1, 8):
        yield environment(run)
        yield sample("bcast", "native", 1000, run, 400 + run / 10)
        for algorithm, own in times.items():
            yield sample("bcast", algorithm, 1000, run, own[run - 1] + run / 100)


def write(folder: Path, rows) -> Path:
    """A folder as --out of a measurement makes it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "rows.jsonl").open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder
