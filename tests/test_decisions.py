# SPDX-License-Identifier: BSD-3-Clause
"""The report of what was decided: complete, whatever becomes of the job."""

import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from jobs import BUILDS, run
from laneway import decisions

pytestmark = pytest.mark.parametrize("build", BUILDS)

RANKS = 4
CALLS = {"bcast": 20 + 1 + 4 + 1 + 1, "allreduce": 3 + 5, "barrier": 2}
"""Of a process of tests/programs/counted.c."""


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
    assert (report.processes, report.ended, report.unread) == (RANKS, RANKS, 0)

    reasons = collections.Counter()
    for case, count in report.cases.items():
        reasons[case.collective, case.algorithm, case.why] += count.calls
    reasons = {reason: calls / RANKS for reason, calls in reasons.items()}
    rule = f"{profile}:"
    unmet = "lane_regular needs: the processes of a node divide the count"
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
    words = [sys.executable, "-m", "laneway", "exec", "--mpi", build.id, *map(str, options)]
    return subprocess.run(
        [*words, "--", *launch],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
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
        [sys.executable, "-m", "laneway", "decisions", "--json", str(tmp_path / "report")],
        capture_output=True,
        text=True,
        check=True,
    )
    *_, last = map(json.loads, shown.stdout.splitlines())
    assert (last["kind"], last["calls"], last["served"]) == ("total", total, RANKS * 20)


def test_advice_measures_and_changes_nothing(compiled, build, tmp_path):
    program = compiled(build, "late.c", with_laneway=False)
    options = ("--advise", "--algorithm", "bcast=lane", "--node-size", 2, "--out", tmp_path / "out")
    said = execute(build, program, *options)
    assert said.returncode == 0, said.stderr
    assert "balance the work first" in said.stderr
    report = decisions.load(tmp_path / "out")
    assert report.native == report.calls
    by_collective = {case.collective: count for case, count in report.cases.items()}
    late = by_collective["allreduce"]  # rank 0 comes 20 ms late to each of 10: three wait
    assert late.calls == 10 * RANKS
    assert late.waited_s > 3 * 10 * 0.015
    assert late.waiting > decisions.LATE


def test_exec_with_a_report_ends_as_the_command_does(build, tmp_path):
    for script, code in (("exit 3", 3), ("kill -TERM $$", -signal.SIGTERM)):
        words = ["exec", "--mpi", build.id, "--out", str(tmp_path), "--", "sh", "-c", script]
        said = subprocess.run([sys.executable, "-m", "laneway", *words], check=False, timeout=60)
        assert said.returncode == code


def test_exec_with_a_report_passes_signals_on(build, tmp_path):
    script = f"trap 'exit 7' USR1; touch {tmp_path}/ready; while :; do sleep 0.05; done"
    words = ["exec", "--mpi", build.id, "--out", str(tmp_path), "--", "sh", "-c", script]
    with subprocess.Popen([sys.executable, "-m", "laneway", *words]) as process:
        for _ in range(600):
            if (tmp_path / "ready").exists():
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGUSR1)
        assert process.wait(60) == 7
