# SPDX-License-Identifier: BSD-3-Clause
"""Lanes from times of the lane pattern, and the pattern on a simulated machine."""

import pytest

from laneway.calibration.lane_pattern import Point, between, fitted
from laneway.libraries import native
from laneway.simulation import machine, program

RATE, LATENCY, WORK, MESSAGE, EAGER, LANES = 10000.0, 0.7, 0.6, 0.01, 64000, 2
DELAYS = {8: 0.0, 4096: 1.0, 65536: 12.0, 4194304: 80.0}


def time_of(processes, size):
    sharing = max(1, processes / LANES)
    waits = 3 if size > EAGER else 1
    return WORK + MESSAGE + waits * LATENCY + between(DELAYS, size) + sharing * size / RATE


def points(error=0.0):
    for size in DELAYS:
        yield Point(1, size, time_of(1, size))
        yield Point(2, size, time_of(2, size) * (1 + error))
    # So many, and so long, that nothing but the lanes counts.
    yield Point(16, 4e9, 16 / LANES * 4e9 / RATE)


def test_known_numbers_are_found_again():
    found = fitted([*points()], LANES, WORK, MESSAGE, EAGER)
    assert found.rate == pytest.approx(RATE)
    assert found.latency_us == pytest.approx(LATENCY, rel=0.01)
    assert found.delays == pytest.approx(DELAYS, abs=0.01)
    assert found.residual < 0.001


def test_times_that_differ_are_met_in_the_middle():
    found = fitted([*points(0.1)], LANES, WORK, MESSAGE, EAGER)
    assert found.residual == pytest.approx(0.05, abs=0.005)


def test_processes_that_share_lanes_say_nothing_of_messages():
    with pytest.raises(ValueError, match="one process a node is missing"):
        fitted([Point(4, 100, 2.0)], LANES, WORK, MESSAGE, EAGER)


def test_delays_must_ascend():
    with pytest.raises(Exception, match="do not get longer one by one"):
        machine.parse('[lanes]\ndelays = [["4 KiB", "1 us"], ["1 KiB", "2 us"]]', "mine.toml")


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize(
    ("lanes", "count", "published"),
    [(1, 1152, 133.77), (2, 11520, 351.86), (1, 115200, 3260.22), (2, 1152000, 13249.18)],
)
def test_hydra_carries_what_was_published(lanes, count, published):
    """Table 2 of Träff and Hunold 2020."""
    told = {"collective": "alltoall", "pattern": "lanes", "virtual-lanes": str(lanes),
            "count": str(count), "nodes": "32x36", "repetitions": "50"}  # fmt: skip
    (result,) = program.lines("probe", {**told, **machine.load("hydra").options})
    assert result["time_us"] == pytest.approx(published, rel=0.05)
