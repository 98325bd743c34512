# SPDX-License-Identifier: BSD-3-Clause
"""laneway-bench: its operations, axes, starts, clocks and stopping rules, and `laneway bench`."""

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import jobs
from laneway import bench, rows
from laneway.native import NativeBuild

EXTENSIONS = {
    *("pingpong", "pingping", "sendrecv", "exchange", "hypercube"),
    *("allgatherv", "gatherv", "scatterv", "alltoallv", "reduce_scatter"),
}
COLLECTIVES = {
    *("allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather"),
    *("reduce", "reduce_scatter_block", "scan", "scatter"),
}


def measured(
    build: NativeBuild,
    ranks: int,
    *options: object,
    code: int = 0,
    preload: Sequence[Path] = (),
    **environment: object,
) -> list[rows.Row]:
    """The rows of a run."""
    outcome = jobs.run(build, ranks, [build.bench, *options], preload=preload, **environment)
    assert outcome.code == code, outcome.told
    return [*rows.read(outcome.output.splitlines())]


def of_kind(kind: str, found: list[rows.Row]) -> list[rows.Row]:
    return [row for row in found if row["kind"] == kind]


def median(found: list[rows.Row], key: str) -> float:
    """What the middle repetition shows: single ones are at the mercy of a busy machine."""
    return statistics.median(row[key] for row in found)


FORMS = {
    "as it comes": ("--count=0,1,7,2p",),
    "in place, rotating root, uneven blocks": (
        *("--count=3", "--in-place", "--root=rotate", "--layout=ramp"),
    ),
    "cold, all at one rank": ("--count=5", "--off-cache=0.1", "--layout=single"),
    "several calls in a repetition, doubles": ("-T", "MPI_DOUBLE", "-m", "8:64", "-I", "3"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("build", jobs.BUILDS)
def test_every_operation_gives_the_right_result_and_is_timed(build, form):
    found = measured(build, 3, *FORMS[form], "-a", "native", "-i", "3", "--time", "0.02")
    assert not of_kind("error", found)
    assert {row["collective"] for row in of_kind("sample", found)} == EXTENSIONS | COLLECTIVES
    for row in of_kind("sample", found):
        assert 0 <= row["fastest_us"] <= row["mean_us"] <= row["time_us"] + 0.001
        assert row["skew_us"] >= 0


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_a_wrong_result_is_found(build, compiled):
    wrong = compiled(build, "wrong_results.c", with_laneway=False, shared=True)
    asked = (
        "--collective",
        "sendrecv,allgatherv,alltoallv,bcast",
        "--count=5",
        "-i",
        "2",
        "-a",
        "native",
    )
    found = measured(build, 2, *asked, code=1, preload=[wrong])
    assert {row["collective"] for row in of_kind("error", found)} == {"sendrecv", "allgatherv"}
    assert {row["collective"] for row in of_kind("sample", found)} == {"alltoallv", "bcast"}


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_every_operator_on_a_type_of_each_group(build, tmp_path):
    pairs = {
        "int": "sum,prod,max,min,land,lor,lxor,band,bor,bxor",
        "unsigned_char": "sum,max,band,lxor",
        "byte": "band,bor,bxor",
        "c_bool": "land,lor,lxor",
        "aint": "sum,min,bxor",
        "long_double": "sum,prod,max",
        "c_double_complex": "sum,prod",
        "double_int": "minloc,maxloc",
        "short_int": "minloc,maxloc",
    }
    plan = [
        f"{datatype}-{op} --datatype {datatype} --op {op}"
        for datatype, ops in pairs.items()
        for op in ops.split(",")
    ]
    found = _planned(
        build, tmp_path, plan, "--collective", "allreduce,reduce_scatter", "--count", "13"
    )
    assert not of_kind("error", found)
    assert {row["block"] for row in of_kind("sample", found)} == {line.split()[0] for line in plan}


def _planned(build, folder, lines, *options):
    path = folder / "plan"
    path.write_text("\n".join(lines))
    return measured(build, 2, *options, "-a", "native", "-i", "2", "--time", "20", "--plan", path)


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_a_plan_is_done_block_by_block(build, tmp_path):
    plan = [
        "# what is planned",
        "first --collective bcast --count 4 --algorithm native,native#b --delay native#b=3",
        "",
        "second --collective pingpong -m 8:8",
    ]
    found = _planned(build, tmp_path, plan)
    blocks = [row["block"] for row in found if row["kind"] in ("sample", "block")]
    assert blocks == sorted(blocks)
    assert [row["samples"] for row in of_kind("block", found)] == [4, 2]
    assert {row["algorithm"] for row in of_kind("sample", found)} == {"native", "native#b"}
    assert found[-1]["kind"] == "progress"
    assert found[-1]["done"] == found[-1]["total"]


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a --collective nonsense", "line 2: unknown collective"),
        ("a --count many", "line 2: --count"),
        ("first", "line 2: there is a block 'first' already"),
        ("a --threads 2", "hold for a whole plan"),
    ],
)
def test_a_plan_is_checked_before_anything_is_measured(build, line, said, tmp_path):
    path = tmp_path / "plan"
    path.write_text(f"first --collective bcast\n{line}\n")
    outcome = jobs.run(build, 2, [build.bench, "--plan", path])
    assert outcome.code == 2
    assert said in outcome.errors
    assert '"sample"' not in outcome.output


@pytest.mark.parametrize("build", jobs.ONE_BUILD)
def test_hops_between_the_first_rank_and_the_last(build):
    (row,) = of_kind("hops", measured(build, 3, "--hops", "--repetitions=4"))
    assert len(row["times_us"]) == 4
    assert min(row["times_us"]) > 0
    measured(build, 1, "--hops", code=2)


@pytest.mark.full  # it judges times
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
    """By count and contestant, repetition by repetition."""
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


@pytest.mark.full  # it judges times
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


@pytest.mark.full  # it judges times
@pytest.mark.parametrize("build", jobs.BUILDS)
def test_who_misses_a_start_is_counted(build, compiled):
    """A rank whose announcements come too late, for a while: later ones are made earlier."""
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
    assert late[0] >= 1
    assert median(samples[-20:], "skew_us") < 15_000
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
def test_nodes_of_equal_memory_are_of_one_kind(build, compiled):
    memory = compiled(build, "equal_memory.c", "-ldl", with_laneway=False, shared=True)
    asked = ("--collective", "barrier", "-a", "native", "-i", "1")
    hardware = of_kind("environment", measured(build, 2, *asked, preload=[memory]))[0]["hardware"]
    assert len(hardware) == 1
    assert ", 512 GiB, " in next(iter(hardware))


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_stopping_by_precision_keeps_the_confidence(build, compiled):
    """Looking at every block, as one would, holds less often than it says; the rule's looks do."""
    bench_sources = jobs.ROOT / "src" / "bench"
    parts = [str(bench_sources / f"{name}.cpp") for name in ("looks", "statistics")]
    simulation = compiled(
        build, "stopping.cpp", f"-I{bench_sources.parent}", *parts, with_laneway=False
    )
    done = subprocess.run([simulation], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["every_block"] < 0.945
    assert found["looks"] >= 0.95
    assert found["early"] > 0.9


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_nobody_leaves_a_barrier_before_the_last_one_has_come(compiled, build):
    source = jobs.ROOT / "src"
    program = compiled(
        build, "barrier.cpp", f"-I{source}", str(source / "bench" / "barrier.cpp"),
        with_laneway=False,
    )  # fmt: skip
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


@pytest.mark.full  # it judges times
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
        build, 3, "--collective", "bcast", "--count", "100", "-a", "native", "-i", "50"
    )
    row = of_kind("averages", found)[0]
    samples = of_kind("sample", found)
    mean = sum(each["mean_us"] for each in samples) / len(samples)
    assert row["avg_us"] == pytest.approx(mean, abs=0.01)
    assert row["min_us"] <= row["avg_us"] <= row["max_us"]
    times = sorted(each["time_us"] for each in samples)
    # Of 50 values, 17 may be left out at either end: P(Bin(50, 1/2) <= 17) = 0.016 <= 0.025.
    assert (row["low_us"], row["high_us"], row["confidence"]) == (times[17], times[-18], 0.95)
    assert row["median_us"] == pytest.approx(statistics.median(times), abs=0.001)


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_sizes_that_do_not_fit_are_left_out_with_a_note(build):
    found = measured(
        *(build, 2, "--collective", "alltoall", "-m", "1K:4M", "--mem", "0.001", "-i", "2"),
        *("-a", "native"),
    )
    done = {row["bytes"] for row in of_kind("sample", found)}
    left = {row["bytes"] for row in of_kind("note", found)}
    assert done == {1024 << i for i in range(8)}
    assert left == {1024 << i for i in range(8, 13)}
    assert "--mem allows 0.001" in of_kind("note", found)[0]["message"]


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_fewer_ranks_and_threads(build):
    asked = ("--collective", "allreduce", "--count", "10", "-a", "native", "-i", "3")
    some = measured(build, 4, *asked, "-npmin", "1")
    assert {row["ranks"] for row in of_kind("sample", some)} == {1, 2, 4}
    both = of_kind("sample", measured(build, 2, *asked, "--threads", "2"))
    assert {row["threads"] for row in both} == {2}


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_names_of_options_that_people_know(build):
    known = ("-msglog", "3:5", "-iter", "4", "-x", "1", "-off_cache", "0.1", "-mem", "1")
    found = of_kind("sample", measured(build, 2, "--collective", "pingping", *known))
    assert [row["bytes"] for row in found] == [0] * 4 + [8] * 4 + [16] * 4 + [32] * 4
    assert all(row["cold"] for row in found)


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
@pytest.mark.parametrize(
    ("words", "bytes_"),
    [
        (("-m", "1M:"), {1 << 20, 1 << 21, 1 << 22}),
        (("-m", ":4"), {1, 2, 4}),
        (("-m", "4"), {1, 2, 4}),
        (("-msglog", "21:"), {0, 1 << 21, 1 << 22}),
        (("-f", "-m", "8:8"), {8}),
        (("-c", "-m", "8:8"), {8}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_people_type_for_osu_means_the_same_here(build, words, bytes_):
    found = measured(build, 2, *words, "-i", "1", "bcast", "-a", "native", "-x", "0")
    assert {row["bytes"] for row in of_kind("sample", found)} == bytes_
    assert {row["collective"] for row in of_kind("sample", found)} == {"bcast"}


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
@pytest.mark.parametrize(
    ("ranks", "words", "said"),
    [
        (1, ("pingpong",), "pingpong needs 2 ranks; there is 1"),
        (2, ("bcats",), "unknown collective 'bcats'"),
        (2, ("bcast", "--collective", "barrier"), "named by --collective already"),
        (2, ("start", "bcast"), "'start' is measured for itself"),
        (2, ("bcast", "-m", ""), "--message-size"),
        (2, ("bcast", "--threads", "0"), "--threads: '0' is no number from 1 up"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_said(build, ranks, words, said):
    outcome = jobs.run(build, ranks, [build.bench, *words])
    assert outcome.code == 2
    assert said in outcome.errors
    assert "sample" not in outcome.output


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_a_barrier_is_one_case(build):
    found = measured(build, 2, "barrier", "-m", "0:4M", "-a", "native", "-i", "2")
    assert [row["bytes"] for row in of_kind("sample", found)] == [0, 0]


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_pairs_are_of_an_even_number_of_ranks(build):
    """Who has no partner neither takes part nor counts in the averages."""
    found = measured(build, 3, "pingpong", "-m", "4:8", "-i", "2", "--arrival", "late:20000")
    assert {row["ranks"] for row in of_kind("averages", found)} == {2}
    # Rank 1 comes late: rank 0 waits for it all the time, and rank 2 would be a third that doesn't.
    assert all(row["mean_us"] > 4000 for row in of_kind("sample", found))
    said = [row["message"] for row in of_kind("note", found)]
    assert said == ["ranks play in pairs: the last of 3 takes no part"]


def laneway(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "laneway", *words],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


HERE = ("--cluster", "none", "--nodes", "2", "--ppn", "1")


def test_the_command_prints_a_table_and_rows(tmp_path):
    kept = tmp_path / "rows"
    done = laneway(
        "bench", "pingpong", "MPI_Bcast", *HERE, "-m", "64:128", "-i", "5", f"--rows={kept}"
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[3] for line in lines if line[:2] == ["pingpong", "native"]] == ["64", "128"]
    averages = of_kind("averages", [*rows.read(kept.read_text().splitlines())])
    assert {row["collective"] for row in averages} == {"pingpong", "bcast"}
    rate = bench.throughput(averages[0] | {"collective": "sendrecv", "bytes": 50, "max_us": 2})
    assert rate == 50


def test_how_long_a_job_takes_to_start():
    done = laneway("bench", "start", *HERE, "--json")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert 0 < row["first_us"] <= row["last_us"] <= row["init_last_us"]
    assert row["first_us"] < row["init_first_us"] <= row["init_last_us"] < 120e6
    assert row["ranks"] == 2


def test_what_the_benchmark_rejects_is_said():
    done = laneway("bench", "pingpong", *HERE, "--nonsense")
    assert done.returncode == 2
    assert "--nonsense is no option" in done.stderr
    none = laneway("bench", "-m", "8", "allreduce", *HERE, "--threads", "0")
    assert none.returncode == 2
    assert "--threads: '0' is no number from 1 up" in none.stderr
    assert len(none.stderr.splitlines()) == 1
    assert "--msglog" in laneway("bench", "--help").stdout
