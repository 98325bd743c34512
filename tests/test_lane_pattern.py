# SPDX-License-Identifier: BSD-3-Clause
"""Lanes from times of the lane pattern, and the pattern on a simulated machine."""

from statistics import fmean

import pytest

from commands import laneway
from laneway.calibration.lane_pattern import Known, LaneTime, between, fitted
from laneway.libraries import native
from laneway.simulation import machine, program
from laneway_studies.papers.multilane import described, tables

RATE, LATENCY, WORK, MESSAGE, EAGER, LANES = 10000.0, 0.7, 0.6, 0.01, 64000, 2
KNOWN = Known(WORK, MESSAGE, EAGER)
DELAYS = {8: 0.0, 4096: 1.0, 65536: 12.0, 4194304: 80.0}


def time_of(processes, size):
    sharing = max(1, processes / LANES)
    waits = 3 if size > EAGER else 1
    return WORK + MESSAGE + waits * LATENCY + between(DELAYS, size) + sharing * size / RATE


def points(error=0.0):
    for size in DELAYS:
        yield LaneTime(1, size, time_of(1, size))
        yield LaneTime(2, size, time_of(2, size) * (1 + error))
    # So many, and so long, that nothing but the lanes counts.
    yield LaneTime(16, 4e9, 16 / LANES * 4e9 / RATE)


def test_known_numbers_are_found_again():
    found = fitted([*points()], LANES, KNOWN)
    assert found.rate == pytest.approx(RATE)
    assert found.latency_us == pytest.approx(LATENCY, rel=0.01)
    assert found.delays == pytest.approx(DELAYS, abs=0.01)
    assert found.residual < 0.001


def test_times_that_differ_are_met_in_the_middle():
    found = fitted([*points(0.1)], LANES, KNOWN)
    assert found.residual == pytest.approx(0.05, abs=0.005)


def test_processes_that_share_lanes_say_nothing_of_messages():
    with pytest.raises(ValueError, match="one process a node is missing"):
        fitted([LaneTime(4, 100, 2.0)], LANES, KNOWN)


@pytest.mark.parametrize("name", tables.SYSTEMS)
def test_lanes_of_the_paper_s_machines_are_what_is_fitted(name, tmp_path):
    """A file's own numbers come out, as they are rounded there."""
    system, own, file = tables.SYSTEMS[name], machine.load(name), tmp_path / "lanes.toml"
    told = ("machine", "fit", tables.TABLES, "--system", f"{system.name}, {system.library}")
    said = laneway(*told, "--like", name, "--output", file)
    assert said.returncode == 0, said.stderr
    found = machine.load(str(file))
    assert found.lanes == own.lanes
    for option in ("lane-bandwidth", "lane-latency"):
        assert float(found.values[option]) == pytest.approx(float(own.values[option]), rel=5e-3)
    ours, theirs = (
        {int(size): float(wait) for size, wait in (each.split("=") for each in delays.split(","))}
        for delays in (found.values["lane-delays"], own.values["lane-delays"])
    )
    assert {size: ours.pop(size) for size in theirs} == pytest.approx(theirs, rel=5e-3, abs=2e-9)
    # Delays that are near the line between their neighbours may be left out.
    assert all(wait == pytest.approx(between(theirs, size), abs=5e-8)
               for size, wait in ours.items())  # fmt: skip


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


@pytest.mark.full
@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_hydra_s_lanes_shared_by_many_are_met_on_average():
    """The rest of Table 2, and its like in Appendix A."""
    hydra = machine.load("hydra")
    times = tables.published(tables.SYSTEMS["hydra"])
    points = [p for p in described.points(hydra, {}) if p.told.startswith("lane_pattern")]
    cases = [case for case in times if case.benchmark == "lane_pattern"]
    off = [
        abs(row["time_us"] / times[case] - 1)
        for case, point in zip(cases, points, strict=True)
        if case.virtual_lanes > described.ALONE and case.ppn == 32
        for row in point.rows(lambda _: None)
    ]
    assert len(off) == 52
    assert fmean(off) <= 0.15
