# SPDX-License-Identifier: BSD-3-Clause
"""laneway-bench: when ranks start, by which clock, and when a case is over."""

import json
import statistics
import subprocess

import pytest

import jobs
from benchmark import measured, of_kind
from laneway import rows


def median(found: list[rows.Row], key: str) -> float:
    """The middle repetition's value: single ones are at the mercy of a busy machine."""
    return statistics.median(row[key] for row in found)


@pytest.mark.timed
@pytest.mark.parametrize("build", jobs.BUILDS)
@pytest.mark.parametrize("sync", ["barrier", "library", "clock"])
def test_a_late_rank_shows_as_skew(build, sync):
    """The others wait for it, and once it is there things go as fast as ever."""
    asked = ("--collective", "allreduce", "--count=1", "-a", "native", "-i", "5", "--time=60")
    late = of_kind("sample", measured(build, 2, *asked, "-s", sync, "--arrival", "late:400000"))
    usual = of_kind("sample", measured(build, 2, *asked, "-s", sync))
    assert len(late) == len(usual) == 5
    assert median(late, "skew_us") == pytest.approx(400_000, abs=200_000)
    assert median(late, "time_us") > 200_000
    assert median(late, "last_us") < 200_000
    assert median(usual, "skew_us") < 200_000


def planned_skews(build, *options: object) -> dict[tuple[int, str], list[float]]:
    """The planned skews by count and contestant, repetition by repetition."""
    asked = ("allreduce", "--count=1,2", "-a", "native,native#b", "-i", "6", "--time=600")
    skews: dict[tuple[int, str], list[float]] = {}
    for row in of_kind("sample", measured(build, 3, *asked, *options)):
        skews.setdefault((row["count"], row["algorithm"]), []).append(row["planned_skew_us"])
    return skews


@pytest.mark.parametrize("build", jobs.ONE_BUILD)
def test_ranks_are_asked_to_come_as_the_pattern_says(build):
    assert all(skews == [0] * 6 for skews in planned_skews(build).values())
    late = planned_skews(build, "--arrival", "late:500")
    assert all(skews == pytest.approx([500] * 6) for skews in late.values())

    first, second = (planned_skews(build, "--arrival", "random:500", "--run", n) for n in (1, 2))
    for skews in (*first.values(), *second.values()):
        assert len({*skews}) == 6, "another one in every repetition"
        assert max(skews) <= 500
    for run in (first, second):
        assert run[1, "native"] == run[1, "native#b"], "contestants meet the same arrivals"
        assert run[1, "native"] != run[2, "native"], "cases don't"
    assert first[1, "native"] != second[1, "native"], "nor do runs"
    again = planned_skews(build, "--arrival", "random:500", "--run", 1)
    assert again == first


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_another_clock_is_found_by_its_offset(build, compiled):
    shifted = compiled(build, "shifted_clock.c", "-ldl", with_laneway=False, shared=True)
    asked = ("--collective", "bcast", "--count", "1", "-a", "native", "-i", "2")
    found = measured(build, 3, *asked, preload=[shifted], SHIFT_US=1_000_000_000)
    (clock,) = of_kind("clock", found)
    assert clock["clocks"] == 3
    assert clock["offset_us"] == pytest.approx([0, -1e9, -2e9], abs=1e7)


@pytest.mark.timed
@pytest.mark.parametrize("build", jobs.BUILDS)
def test_clocks_that_differ_are_found_out(build, compiled):
    """Offset and drift as planted, and a skew that is that of the ranks and not of their clocks."""
    shifted = compiled(build, "shifted_clock.c", "-ldl", with_laneway=False, shared=True)
    found = measured(
        *(build, 2, "--collective", "bcast", "--count", "1", "-a", "native", "-i", "9"),
        preload=[shifted],
        SHIFT_US=5_000_000,
        DRIFT_PPM=1000,
    )
    clock = of_kind("clock", found)[0]
    assert clock["clocks"] == 2
    assert clock["offset_us"][0] == clock["drift_ppm"][0] == 0
    assert clock["offset_us"][1] == pytest.approx(-5_000_000, abs=5000)
    assert clock["drift_ppm"][1] == pytest.approx(-1000, rel=0.3)
    skews = sorted(row["skew_us"] for row in of_kind("sample", found))
    assert skews[4] < 10_000


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_one_clock_is_known_as_one(build):
    clock = of_kind(
        "clock", measured(build, 3, "--collective", "barrier", "-a", "native", "-i", "2")
    )[0]
    assert clock["clocks"] == 1
    assert clock["offset_us"] == [0, 0, 0]


@pytest.mark.timed
@pytest.mark.parametrize("build", jobs.BUILDS)
def test_starts_are_announced_in_time(build, compiled):
    """Announcements reach a rank late: what began without a common start is made again."""
    slow = compiled(build, "slow_bcast.c", "-ldl", with_laneway=False, shared=True)
    asked = (
        "--collective",
        "barrier",
        "--count=0",
        "-a",
        "native",
        "-i",
        "110",
        "--sync",
        "clock",
        "--time",
        "60",
    )
    found = measured(build, 2, *asked, preload=[slow], SLOW_US=30000)
    samples = of_kind("sample", found)
    late = [row["late"] for row in samples]
    averages = of_kind("averages", found)[0]
    assert len(samples) == 110
    assert sum(row["skew_us"] > 15_000 for row in samples) < 20
    assert averages["late"] == sum(each > 0 for each in late)
    other = measured(build, 2, *asked, "-i", "5", "--sync", "barrier")
    assert {row["late"] for row in of_kind("sample", other)} == {None}


@pytest.mark.parametrize("build", jobs.ONE_BUILD)
def test_who_oversleeps_a_start_is_late_too(build, compiled):
    slow = compiled(build, "slow_nanosleep.c", "-ldl", with_laneway=False, shared=True)
    asked = ("barrier", "-a", "native", "-i", "100", "--sync", "clock", "--time", "60")
    samples = of_kind("sample", measured(build, 2, *asked, preload=[slow], SLOW_US=3000))
    overslept = [row["late"] for row in samples if row["skew_us"] > 1000]
    assert overslept
    assert min(overslept) >= 1


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_stopping_by_precision_keeps_the_confidence(build, compiled):
    """Looking at every block, as one would, holds less often than it says; the rule's looks do."""
    source = jobs.ROOT / "src"
    parts = [str(source / "bench" / "timing" / f"{name}.cpp") for name in ("looks", "statistics")]
    simulation = compiled(build, "stopping.cpp", f"-I{source}", *parts, with_laneway=False)
    done = subprocess.run([simulation], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["every_block"] < 0.945
    assert found["looks"] >= 0.95
    assert found["early"] > 0.9


@pytest.mark.parametrize("build", jobs.ONE_BUILD)
def test_nobody_leaves_a_barrier_before_the_last_one_has_come(compiled, build):
    source = jobs.ROOT / "src"
    parts = [str(source / "bench" / "job" / f"{name}.cpp") for name in ("barrier", "ranks")]
    program = compiled(build, "barrier.cpp", f"-I{source}", *parts, with_laneway=False)
    outcome = jobs.run(build, 9, [program])
    assert outcome.output == f"{9 * 6} shapes", outcome.told


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_repetitions_or_time_end_a_case(build):
    asked = ("--collective", "pingpong", "--count", "1", "-i", "30")
    fixed = measured(build, 2, *asked, "--time", "600")
    assert of_kind("averages", fixed)[0]["stopped_by"] == "repetitions"
    assert len(of_kind("sample", fixed)) == 30
    # A repetition takes longer than there is time for.
    timed = measured(build, 2, *asked, "--arrival", "late:100000", "--time", "0.05")
    assert of_kind("averages", timed)[0]["stopped_by"] == "time"


@pytest.mark.timed
@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_precision_ends_a_case(build):
    asked = ("--collective", "pingpong", "--count", "1", "-i", "30", "--arrival", "late:100000")
    precise = measured(build, 2, *asked, "--time", "60", "--precision", "0.5")
    row = of_kind("averages", precise)[0]
    assert row["stopped_by"] == "precision"
    assert 10 <= row["repetitions"] < 30
    assert (row["high_us"] - row["low_us"]) / 2 <= 0.5 * row["median_us"]
    looks = 4  # after 10, 15, 22 and 30
    assert row["confidence"] == pytest.approx(1 - 0.05 / looks, abs=5e-4)


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_averages_are_those_of_the_samples(build):
    found = measured(
        build, 3, "--collective", "bcast", "--count", "100", "-a", "native", "-i", "50", "--time=60"
    )
    row = of_kind("averages", found)[0]
    samples = of_kind("sample", found)
    mean = sum(each["mean_us"] for each in samples) / len(samples)
    assert row["avg_us"] == pytest.approx(mean, abs=0.01)
    assert row["min_us"] <= row["avg_us"] <= row["max_us"]
    times = sorted(each["time_us"] for each in samples)
    # At either end 17 of 50 values may be left out: P(Bin(50, 1/2) <= 17) = 0.016 <= 0.025.
    assert (row["low_us"], row["high_us"], row["confidence"]) == (times[17], times[-18], 0.95)
    assert row["median_us"] == pytest.approx(statistics.median(times), abs=0.001)
