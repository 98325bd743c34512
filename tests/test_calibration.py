# SPDX-License-Identifier: BSD-3-Clause
"""Calibration: parameters of known machines found again in noisy times. No MPI."""

import random

import pytest

from laneway.calibration import description, parameters, patterns, regression
from laneway.errors import Problem
from laneway.simulation import machine

SIZES = [4, 16, 64, 256, *(2**power for power in range(10, 21))]
NOISE = 0.05


def noisy(time, seed):
    """Times with a relative error of 5%; so many that what they say is known to a percent."""
    draw = random.Random(seed)  # noqa: S311
    return [time * draw.gauss(1, NOISE) for _ in range(60)]


def times(time_of, sizes=SIZES):
    return {size: noisy(time_of(size), f"{size}") for size in sizes}


def test_a_line_is_found_again():
    found = regression.line(times(lambda size: 30 + 0.02 * size))
    assert found.start == pytest.approx(30, rel=0.02)
    assert found.byte == pytest.approx(0.02, rel=0.02)
    assert found.residual == pytest.approx(NOISE, rel=0.2)


def places(found):
    return [SIZES.index(jump.size) for jump in found.jumps]


@pytest.mark.parametrize("eager", [1024, 8192, 65536])
def test_a_protocol_s_end_is_found_again(eager):
    found = regression.with_jumps(
        times(lambda size: 30 + 0.001 * size + (60 if size > eager else 0))
    )
    (where,) = places(found)
    assert abs(where - SIZES.index(eager)) <= 1
    assert found.jumps[0].time == pytest.approx(60, rel=0.1)
    assert found.start == pytest.approx(30, rel=0.02)


def test_noise_alone_makes_no_jump():
    assert regression.with_jumps(times(lambda size: 30 + 0.01 * size)).jumps == ()


def test_two_jumps():
    first, second = places(
        regression.with_jumps(
            times(lambda size: 10 + 0.001 * size + 40 * (size > 1024) + 90 * (size > 65536))
        )
    )
    assert abs(first - SIZES.index(1024)) <= 1
    assert abs(second - SIZES.index(65536)) <= 1


@pytest.mark.parametrize("burst", [0, 18432])
def test_a_burst_is_found_again(burst):
    found = regression.beyond_burst(times(lambda size: 150 + 0.04 * max(0, size - burst)))
    assert found == pytest.approx(burst, rel=0.1)


# ---- a machine, by the times that the model says that its patterns take -----------------------

WORK, GAP, LATENCY, BYTE, NODE_LATENCY, NODE_BYTE = 3.0, 25.0, 200.0, 0.01, 7.0, 0.0002
NODES, PPN, LANES, EAGER = 4, 4, 2, 65536


def taken(pattern, k, size):
    """Microseconds; o, g, L, G as in `parameters`."""
    shared = 1 if pattern == "spread" else -(-k // LANES)
    wait = 2 * LATENCY if size > EAGER else 0
    there = 2 * WORK + GAP + LATENCY + shared * BYTE * size + wait
    inside = 2 * WORK + NODE_LATENCY + NODE_BYTE * size * k
    return {
        "between": 2 * there,
        "cross": 2 * (there - (shared - 1) * BYTE * size) + (k - 1) * GAP,
        "inside": 2 * inside,
        "burst": 2 * there + 15 * GAP * shared,
        "fan": 2 * inside + (k - 1) * WORK,
        "spread": 2 * there + (k - 1) * GAP,
        "copy": 40 + 0.0008 * size,
        "reduce": 40 + 0.0012 * size,
        "pack": 40 + 0.0020 * size,
    }[pattern]


MEASURED = {
    "between": ((1, 2, 4), SIZES),
    "cross": ((1, 2), SIZES[-1:]),
    "inside": ((1, 2), SIZES),
    "burst": ((1, 2, 4), [4]),
    "fan": ((1, 2, 3), [4]),
    "spread": ((1, 2, 3), [4]),
    "copy": ((4,), SIZES[4:]),
    "reduce": ((4,), SIZES[4:]),
    "pack": ((4,), SIZES[4:]),
}


def rows(noise=NOISE, runs=9):
    draw = random.Random(1)  # noqa: S311
    for pattern, (numbers, sizes) in MEASURED.items():
        for k in numbers:
            for size in sizes:
                for run in range(1, runs + 1):
                    for _ in range(40):
                        yield {
                            "kind": "probe",
                            "probe": "local-work" if pattern in patterns.DONE else "messages",
                            "collective": pattern,
                            "virtual_lanes": k,
                            "bytes": size,
                            "run": run,
                            "time_us": taken(pattern, k, size) * draw.gauss(1, noise),
                            "library": "Open MPI 4.1.4",
                            "nodes": NODES,
                            "ppn": PPN,
                            "lanes": LANES,
                        }


TRUE = {
    ("process", "copy"): 0.0008,
    ("process", "reduce"): 0.0012,
    ("process", "pack"): 0.0020,
    ("lanes", "bandwidth"): BYTE,
    ("lanes", "latency"): LATENCY,
    ("lanes", "message"): GAP,
    ("node", "bandwidth"): NODE_BYTE,
    ("node", "latency"): NODE_LATENCY,
    ("process", "send"): WORK,
    ("process", "receive"): WORK,
}


def test_a_machine_is_found_again_exactly():
    found = parameters.fitted(patterns.gathered(rows(noise=0, runs=2))).figures
    for key, value in TRUE.items():
        assert found[key].value == pytest.approx(value, rel=1e-3), key
    assert found["lanes", "eager"].value == EAGER
    assert ("node", "eager") not in found
    assert parameters.fitted(patterns.gathered(rows(noise=0, runs=2))).by_receiver
    assert ("lanes", "burst") not in found


def test_a_machine_is_found_again_in_noise():
    found = parameters.fitted(patterns.gathered(rows())).figures
    for key in (("lanes", "bandwidth"), ("lanes", "latency"), ("node", "bandwidth"),
                ("process", "copy"), ("process", "reduce"), ("process", "pack")):  # fmt: skip
        assert found[key].value == pytest.approx(TRUE[key], rel=0.02), key
    where = SIZES.index(int(found["lanes", "eager"].value))
    assert abs(where - SIZES.index(EAGER)) <= 1


def test_the_description_is_one_that_simulate_reads():
    found = parameters.fitted(patterns.gathered(rows(noise=0, runs=2)))
    text = description.text("mine", ["measured"], found)
    read = machine.parse(text, "mine.toml")
    assert (read.name, read.lanes) == ("mine", LANES)
    for (table, key), option, expected in (
        (("lanes", "latency"), "lane-latency", LATENCY / 1e6),
        (("lanes", "bandwidth"), "lane-bandwidth", 1e6 / BYTE),
        (("node", "bandwidth"), "node-bandwidth", 1e6 / NODE_BYTE),
        (("process", "reduce"), "reduce", 1e6 / 0.0012),
    ):
        assert float(read.values[option]) == pytest.approx(expected, rel=1e-3)
        above = text.splitlines()
        assert found.figures[table, key].source in text, above
    assert read.values["lane-eager"] == str(EAGER)
    assert "each of lanes by k at once" in text


def test_one_process_a_node_has_no_inside():
    own = [row for row in rows(noise=0, runs=1)
           if row["collective"] in ("between", "copy") and row["virtual_lanes"] in (1, 4)]  # fmt: skip
    found = parameters.fitted(
        patterns.gathered(row for row in own if row["collective"] == "copy" or row["virtual_lanes"] == 1)
    )
    assert {table for table, _ in found.figures} == {"lanes", "process"}
    assert machine.parse(description.text("one", [], found), "one.toml").lanes == LANES


def test_without_messages_there_is_nothing_to_go_by():
    with pytest.raises(Problem, match="nothing to calibrate by"):
        patterns.gathered(row for row in rows(runs=1) if row["collective"] == "copy")
