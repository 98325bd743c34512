# SPDX-License-Identifier: BSD-3-Clause
"""The report of what was decided: complete, whatever becomes of the job."""

import collections
import json
import os
import re
import signal
import subprocess

import pytest

from commands import COMMAND
from jobs import BUILDS, LIMIT, run, wait_for
from laneway import decisions

pytestmark = pytest.mark.parametrize("build", BUILDS)

RANKS = 4
CALLS = {"bcast": 20 + 1 + 4 + 1 + 1, "allreduce": 3 + 5, "barrier": 2}
"""The calls of a process of tests/programs/counted.c."""


@pytest.fixture
def counted(compiled):
    """A job of known calls under the preload; how it ended."""

    def counted(build, folder, fate="finalize", **environment):
        program = compiled(build, "counted.c", with_laneway=False)
        settings = {"LANEWAY_REPORT": folder, "LANEWAY_NODE_SIZE": 2, **environment}
        return run(build, RANKS, [program, fate], preload=[build.preload], **settings)

    return counted


def per_process(report, wanted=lambda case: True):
    calls = collections.Counter()
    for case, count in report.cases.items():
        if wanted(case):
            calls[case.collective] += count.calls
    assert all(number % RANKS == 0 for number in calls.values())
    return {name: number // RANKS for name, number in calls.items()}


def test_a_program_that_has_laneway_in_it_is_one_job_under_the_preload(build, tmp_path):
    """Two copies of ours in a process: the benchmark's own, and the core that the preload loads."""
    words = [build.bench, "bcast", "-m", "8:8", "-i", "3"]
    outcome = run(build, 2, words, preload=[build.preload], LANEWAY_REPORT=tmp_path)
    assert outcome.code == 0, outcome.told
    assert len([*tmp_path.iterdir()]) == 4
    report = decisions.load(tmp_path)
    assert (report.processes, len(report.jobs)) == (2, 1)


def test_calls_served_and_calls_native_are_the_calls_made(counted, build, tmp_path):
    profile = tmp_path / "user.conf"
    profile.write_text(
        "laneway profile 1\nbcast nodes=2 use lane\nbarrier use native\n"
        "allreduce use lane_regular\n"
    )
    outcome = counted(build, tmp_path, LANEWAY_PROFILE=profile)
    assert outcome.code == 0, outcome.told
    report = decisions.load(tmp_path)
    assert per_process(report) == CALLS
    assert (report.processes, report.ended, report.unread) == (RANKS, RANKS, ())

    reasons = collections.Counter()
    for case, count in report.cases.items():
        reasons[case.collective, case.algorithm, case.why] += count.calls
    reasons = {reason: calls / RANKS for reason, calls in reasons.items()}
    rule = f"{profile}:"
    unmet = "lane_regular needs: a count that is a multiple of the processes of a node"
    assert reasons == {
        ("bcast", "lane", rule + "2"): 20,
        ("bcast", "native", "no data: done at once"): 1,
        ("bcast", "native", "a communicator of one process"): 4,
        ("bcast", "native", "an inter-communicator"): 1,
        ("bcast", "native", "arguments that MPI rejects"): 1,
        ("barrier", "native", rule + "3"): 2,
        ("allreduce", "hierarchical", f"{rule}4: {unmet}"): 3,  # too few elements for two lanes
        ("allreduce", "lane_regular", rule + "4"): 5,
    }, reasons
    world = next(c for c in report.cases if c.algorithm == "lane" and c.collective == "bcast").place
    assert (world.name, world.ranks, world.nodes, world.ppn_most) == ("MPI_COMM_WORLD", 4, 2, 2)


@pytest.mark.parametrize("fate", ["exit", "abort", "kill"])
def test_nothing_is_lost_where_a_job_ends_badly(counted, build, tmp_path, fate):
    counted(build, tmp_path, fate, LANEWAY_ALGORITHM="bcast=lane")
    report = decisions.load(tmp_path)
    assert per_process(report) == CALLS
    assert report.ended == 0
    assert "did not end in good order" in " ".join(report.notes())


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"LANEWAY": "off"}, "LANEWAY=off"),
        ({"LANEWAY_ALGORITHM": "bcast=nosuch"}, "settings that cannot be understood"),
        ({}, "nothing else is chosen"),
    ],
)
def test_why_all_is_native(counted, build, tmp_path, settings, why):
    assert counted(build, tmp_path, **settings).code == 0
    report = decisions.load(tmp_path)
    assert report.native == report.calls == RANKS * sum(CALLS.values())
    world = {case.why for case in report.cases if case.place.name == "MPI_COMM_WORLD"}
    assert world == {why}


def test_every_collective_is_counted(compiled, build, tmp_path):
    program = compiled(build, "every.c", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, "LANEWAY_NODE_SIZE": 2}
    outcome = run(build, RANKS, [program], preload=[build.preload], **settings)
    assert outcome.code == 0, outcome.told
    report = decisions.load(tmp_path)
    made = int(re.search(r"(\d+) calls", outcome.output)[1])
    assert sum(per_process(report).values()) == made
    assert report.ended == RANKS
    of_one = {case.collective: case for case in report.cases}
    assert of_one["gatherv"].why == of_one["alltoallw"].why == "nothing else is chosen"
    known = ("gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw")  # 12 bytes a block
    assert {(of_one[name].bytes_from, of_one[name].bytes_to) for name in known} == {(8, 15)}
    assert of_one["reduce_scatter"].bytes_to == 63  # 48 bytes
    assert of_one["ibcast"].bytes_from is None
    assert of_one["ibcast"].why == "nonblocking: left to the library"


def test_where_a_program_makes_nothing_else_nonblocking_calls_are_counted(
    compiled, build, tmp_path
):
    program = compiled(build, "nonblocking.c", with_laneway=False)
    outcome = run(build, RANKS, [program], preload=[build.preload], LANEWAY_REPORT=tmp_path)
    assert outcome.code == 0, outcome.told
    report = decisions.load(tmp_path)
    assert per_process(report) == {"ibcast": 7}
    assert (len(report.jobs), report.ended) == (1, RANKS)


@pytest.mark.parametrize("source", ["every.c", "large_vectors.c"])
@pytest.mark.parametrize("order", ["before", "after"])
def test_a_tool_sees_each_call_once(compiled, build, tmp_path, order, source):
    program = compiled(build, source, with_laneway=False)
    tool = compiled(build, "vector_tool.c", with_laneway=False, shared=True)
    both = [tool, build.preload] if order == "before" else [build.preload, tool]
    settings = {"LANEWAY_NODE_SIZE": 1, "LANEWAY_ALGORITHM": "bcast=lane"}
    outcome = run(build, 2, [program], preload=both, LANEWAY_REPORT=tmp_path, **settings)
    assert outcome.code == 0, outcome.told
    calls = collections.Counter()
    for case, count in decisions.load(tmp_path).cases.items():
        calls[case.collective] += count.calls
        assert case.algorithm == ("lane" if case.collective == "bcast" else "native")
    bcasts, gathervs, ibcasts = (calls[name] // 2 for name in ("bcast", "gatherv", "ibcast"))
    assert bcasts > 0 < gathervs
    said = outcome.output.count(f"tool: {bcasts} bcasts, {gathervs} gathervs, {ibcasts} ibcasts")
    assert said == 2, outcome.told


def test_large_counts_of_vector_collectives_are_counted_on_any_library(compiled, build, tmp_path):
    program = compiled(build, "large_vectors.c", with_laneway=False)
    outcome = run(build, RANKS, [program], preload=[build.preload], LANEWAY_REPORT=tmp_path)
    assert outcome.code == 0, outcome.told
    made = {name: int(calls) for calls, name in re.findall(r"(\d+) (\w+)", outcome.output)}
    report = decisions.load(tmp_path)
    assert per_process(report, lambda case: case.collective in made) == made


def test_vector_collectives_agree_where_one_rank_alone_wants_a_report(compiled, build, tmp_path):
    program = compiled(build, "large_vectors.c", with_laneway=False)
    alone = 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 || unset LANEWAY_REPORT; exec "$0"'
    words = ["sh", "-c", alone, program]
    outcome = run(build, RANKS, words, preload=[build.preload], LANEWAY_REPORT=tmp_path)
    assert outcome.code == 0, outcome.told
    report = decisions.load(tmp_path)
    assert report.processes == 1
    assert sum(n.calls for case, n in report.cases.items() if case.collective == "gatherv") == 3


def test_advice_times_large_counts_of_vector_collectives(compiled, build, tmp_path):
    program = compiled(build, "large_vectors.c", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, "LANEWAY_ADVISE": 1}
    outcome = run(build, RANKS, [program], preload=[build.preload], **settings)
    assert outcome.code == 0, outcome.told
    cases = decisions.load(tmp_path).cases.items()
    assert all(count.seconds > 0 for case, count in cases if case.collective == "alltoallw")


def test_a_count_that_the_library_cannot_express_is_an_error_of_the_communicator(compiled, build):
    if build.family == "mpich":
        pytest.skip(f"{build.library} has functions for large counts")
    program = compiled(build, "large_vectors.c", with_laneway=False)
    outcome = run(build, 2, [program, "reject"], preload=[build.preload])
    assert outcome.code == 0, outcome.told


def test_jobs_in_one_folder_are_told_apart(counted, build, tmp_path):
    for _ in range(2):
        assert counted(build, tmp_path).code == 0
    report = decisions.load(tmp_path)
    assert [(job.processes, job.expected, job.ended) for job in report.jobs] == [(4, 4, 4)] * 2
    for job in report.jobs:
        assert per_process(report.of_job(job)) == CALLS
    assert "2 jobs wrote into this folder" in report.notes()[0]


def test_a_table_of_rank_0_at_the_end(counted, build):
    outcome = counted(build, 1, LANEWAY_ALGORITHM="bcast=hierarchical")
    table = outcome.errors.split("laneway: calls of rank 0")
    assert len(table) == 2, outcome.told
    assert re.search(r"20 bcast +256\+ +hierarchical +LANEWAY_ALGORITHM", table[1])


def test_a_folder_that_cannot_be_made_is_said_and_nothing_else(counted, build, tmp_path):
    (tmp_path / "file").write_text("")
    outcome = counted(build, tmp_path / "file" / "folder")
    assert outcome.code == 0, outcome.told
    assert outcome.errors.count("no report") == 1, outcome.told


# ---- laneway exec ---------------------------------------------------------------------------


def execute(build, program, *options, ranks=RANKS):
    root = ["--allow-run-as-root", "--oversubscribe"] if build.family == "openmpi" else []
    launch = [str(build.mpiexec), *root, "-np", str(ranks), str(program)]
    preload = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    words = [*COMMAND, "exec", "--mpi", build.id, *map(str, options)]
    return subprocess.run(
        [*words, "--", *launch],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
        env={**os.environ, **preload},
    )


def test_exec_prints_the_report_of_the_job(compiled, build, tmp_path):
    program = compiled(build, "counted.c", with_laneway=False)
    choice = ("--algorithm", "bcast=lane", "--node-size", 2)
    said = execute(build, program, "--report", "--out", tmp_path / "report", *choice)
    assert said.returncode == 0, said.stderr
    assert said.stdout == ""
    total = RANKS * sum(CALLS.values())
    assert f"{total} calls by {RANKS} processes: {RANKS * 20} served by Laneway" in said.stderr
    assert "LANEWAY_ALGORITHM" in said.stderr

    shown = subprocess.run(
        [*COMMAND, "decisions", "--json", str(tmp_path / "report")],
        capture_output=True,
        text=True,
        check=True,
    )
    *_, last = map(json.loads, shown.stdout.splitlines())
    assert (last["kind"], last["calls"], last["served"]) == ("total", total, RANKS * 20)


def test_advice_measures_and_changes_nothing(compiled, build, tmp_path):
    program = compiled(build, "late.c", "-rdynamic", with_laneway=False)
    options = ("--advise", "--algorithm", "bcast=lane", "--node-size", 2, "--out", tmp_path / "out")
    said = execute(build, program, *options)
    assert said.returncode == 0, said.stderr
    crowded = len(os.sched_getaffinity(0)) < RANKS
    told = "a processor for each: 4 processes share" if crowded else "balance the work first"
    assert told in said.stderr
    report = decisions.load(tmp_path / "out")
    assert report.native == report.calls
    by_collective = {case.collective: count for case, count in report.cases.items()}
    late = by_collective["allreduce"]  # rank 0 comes 20 ms late to each of 10: three wait
    assert late.calls == 10 * RANKS
    assert late.waited_s == pytest.approx(3 * 10 * 0.020)
    assert late.seconds == pytest.approx(RANKS * 10 * 0.001)
    assert late.waiting > decisions.LATE
    assert late.elapsed_s == pytest.approx(late.waited_s + late.seconds)
    gathers = by_collective["gatherv"]
    assert (gathers.calls, gathers.bytes) == (10 * RANKS, 10 * RANKS * 40000)
    assert gathers.seconds == pytest.approx(RANKS * 10 * 0.001)
    assert gathers.waited_s == 0


@pytest.mark.parametrize("algorithm", ["lane", "native"])
def test_the_report_says_how_long_calls_took(compiled, build, tmp_path, algorithm):
    program = compiled(build, "slow.c", "-rdynamic", with_laneway=False)
    served = f"bcast={algorithm},allreduce={algorithm}"
    options = ("--report", "--algorithm", served, "--node-size", 2, "--out", tmp_path / "out")
    said = execute(build, program, *options)
    assert said.returncode == 0, said.stderr
    report = decisions.load(tmp_path / "out")
    seconds = {case.collective: count.elapsed_s for case, count in report.cases.items()}
    assert seconds == pytest.approx({"allreduce": RANKS * 0.030, "bcast": 0.020, "gatherv": 0.010})
    assert report.total.a_process(report.total.elapsed_s) == pytest.approx(0.150 / RANKS)
    assert "A process spends 37.5 ms in collectives" in said.stderr


def test_exec_tells_the_jobs_of_a_script_apart(compiled, build, tmp_path):
    program = compiled(build, "counted.c", with_laneway=False)
    root = "--allow-run-as-root --oversubscribe" if build.family == "openmpi" else ""
    job = f"{build.mpiexec} {root} -np {RANKS} {program}"
    words = [
        "exec",
        "--mpi",
        build.id,
        "--out",
        tmp_path / "out",
        "--",
        "sh",
        "-c",
        f"{job}; {job}",
    ]
    preload = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    said = subprocess.run(
        [*COMMAND, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
        env={**os.environ, **preload},
    )
    assert "2 jobs wrote into this folder" in said.stderr, said.stderr
    for number in (1, 2):
        made = RANKS * sum(CALLS.values())
        assert f"job {number}, counted-" in said.stderr
        assert f"{made} calls by {RANKS} processes" in said.stderr


def test_processes_that_were_spawned_are_a_job(compiled, build, tmp_path, monkeypatch):
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    program = compiled(build, "spawning.c", with_laneway=False)
    if run(build, 2, [program]).code != 0:
        pytest.skip(f"{build.library} cannot spawn here")
    said = execute(build, program, "--report", "--out", tmp_path, ranks=2)
    assert said.returncode == 0, said.stderr
    report = decisions.load(tmp_path)
    assert [(job.processes, job.expected, job.ended) for job in report.jobs] == [(2, 2, 2)] * 2
    assert {report.of_job(job).calls for job in report.jobs} == {2 * 4}


def test_a_folder_that_cannot_be_written_is_said_before_the_job(build, tmp_path):
    (tmp_path / "file").write_text("")
    for folder in ("/proc/x", tmp_path / "file" / "x"):
        words = ["exec", "--mpi", build.id, "--report", "--out", str(folder), "--"]
        said = subprocess.run(
            [*COMMAND, *words, "touch", str(tmp_path / "started")],
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        assert said.returncode == 1
        assert f"cannot write a report into {folder}" in said.stderr
        assert not (tmp_path / "started").exists()


def test_exec_with_a_report_ends_as_the_command_does(build, tmp_path):
    for script, code in (("exit 3", 3), ("kill -TERM $$", -signal.SIGTERM)):
        words = ["exec", "--mpi", build.id, "--out", str(tmp_path), "--", "sh", "-c", script]
        said = subprocess.run(
            [*COMMAND, *words], capture_output=True, text=True, check=False, timeout=LIMIT
        )
        assert said.returncode == code
        assert "no report: the job failed before any process called a collective" in said.stderr


def test_a_job_without_a_report_leaves_no_folder_for_one(build, tmp_path):
    words = [*COMMAND, "exec", "--report", "--mpi", build.id, "--", "sh", "-c", "exit 3"]
    said = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert said.returncode == 3
    assert "no report" in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_exec_with_a_report_passes_signals_on(build, tmp_path):
    script = f"trap 'exit 7' USR1; touch {tmp_path}/ready; while :; do sleep 0.05; done"
    words = ["exec", "--mpi", build.id, "--out", str(tmp_path), "--", "sh", "-c", script]
    with subprocess.Popen([*COMMAND, *words]) as process:
        assert wait_for((tmp_path / "ready").exists)
        process.send_signal(signal.SIGUSR1)
        assert process.wait(LIMIT) == 7
