# SPDX-License-Identifier: BSD-3-Clause
"""`laneway exec --watch` and `laneway hang`: who is said to be missing, and who is not."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from commands import process
from jobs import BUILDS, LIMIT, ROOT, wait_for
from planted import FAULTS, Planted, cases, watched
from test_interposition import python

CALLERS = ROOT / "tests" / "programs" / "callers"
BY_NAME = {fault.name: fault for fault in FAULTS}

each_build = pytest.mark.parametrize("build", BUILDS)

SAMPLE = [
    Planted(BY_NAME["wait"], 6, 1, "half", 9),
    Planted(BY_NAME["receive"], 3, 1, "thread", 5),
    Planted(BY_NAME["collective"], 4, 3, "world", 6),
    Planted(BY_NAME["operator"], 3, 0, "dup", 1100),
    Planted(BY_NAME["order"], 4, 1, "dup", 3),
    Planted(BY_NAME["not-completed"], 4, 2, "world", 4),
]


def faults(compiled, build):
    return compiled(build, "faults.c", with_laneway=False)


@each_build
@pytest.mark.parametrize("planted", SAMPLE, ids=str)
def test_a_fault_is_named(compiled, build, tmp_path, planted):
    words = [faults(compiled, build), *planted.words]
    with watched(build, planted.ranks, words, tmp_path) as job:
        found = job.wait_for_finding(planted.is_named)
        assert any(planted.is_named(one) for one in found), job.said


@pytest.mark.full
@each_build
def test_nearly_all_faults_are_named(compiled, build, tmp_path):
    """At least 95 of 100 faults of all classes are named."""
    program, missed, late = faults(compiled, build), [], []
    planted_ones = cases(100)
    for planted in planted_ones:
        folder = tmp_path / str(planted)
        folder.mkdir()
        with watched(build, planted.ranks, [program, *planted.words], folder) as job:
            found = job.wait_for_finding(planted.is_named, 60)
            right = [one for one in found if planted.is_named(one)]
            if not right:
                missed.append(f"{planted}: {[one.get('words') for one in found]}\n{job.said}")
            elif right[0]["waited"] > 1 + 10:
                late.append(str(planted))
    print(f"{len(planted_ones) - len(missed)} of {len(planted_ones)} named, {late} late")
    assert len(missed) <= len(planted_ones) // 20, "\n".join(missed)


@each_build
@pytest.mark.parametrize("where", ["world", "half", "thread"])
def test_of_a_sound_job_nothing_is_said(compiled, build, tmp_path, where):
    words = [faults(compiled, build), "none", 0, where, 1500]
    with watched(build, 4, words, tmp_path, limit="2m") as job:
        assert job.process.wait(LIMIT) == 0, job.said
        assert job.findings() == []


@dataclass(frozen=True)
class Sound:
    """A job of which nothing is to be said, but that it is slow where it is."""

    words: tuple[object, ...]
    ranks: int
    is_slow: bool = False

    def is_false_alarm(self, found):
        """Whether a finding says more than that rank 1 is slow. While it sleeps it is missing."""
        is_right = found["kind"] in ("slow", "missing", "goes-on") and found["ranks"] == [1]
        return not (self.is_slow and is_right)


def sound_jobs(programs, number):
    """So many jobs: calls on all communicators, all collectives, programs of chance, slow ones."""
    every = []
    for at in range(number):
        ranks = (4, 2, 5, 3, 8, 6)[at % 6]
        where = ("world", "half", "thread", "dup")[at // 8 % 4]
        calls = (3, 40, 1100, 300)[at // 2 % 4]
        kinds = (
            Sound((programs["faults"], "none", 0, where, calls), max(ranks, 4)),
            Sound((programs["fuzz"], 7 * at, 3), ranks),
            Sound((programs["every"],), ranks),
            Sound(
                (programs["faults"], "slow", 1, ("world", "dup")[at % 2], 4), ranks, is_slow=True
            ),
        )
        every.append(kinds[(0, 1, 2, 0, 1, 3, 0, 1)[at % 8]])
    return every


@pytest.mark.full
@each_build
def test_nothing_is_said_of_sound_jobs(compiled, build, tmp_path):
    """LANEWAY_SOUND_JOBS says how many, for each library."""
    names = ("faults", "fuzz", "every")
    programs = {one: compiled(build, f"{one}.c", with_laneway=False) for one in names}
    jobs = sound_jobs(programs, int(os.environ.get("LANEWAY_SOUND_JOBS", "40")))
    alarms = []

    def run(number, job):
        folder = tmp_path / str(number)
        folder.mkdir()
        # A slow process sleeps for less time than it may, or longer.
        told = folder / "told"
        told.touch()
        slow = {"FAULT_SECONDS": ("0.5", "3")[number % 16 == 5], "FAULT_TOLD": str(told)}
        with watched(build, job.ranks, job.words, folder, limit="2s", **slow) as running:
            code = running.process.wait(LIMIT)
            false = [one for one in running.findings() if job.is_false_alarm(one)]
            if code or false:
                told = [one.get("words") for one in false]
                alarms.append(f"{number} {job}: code {code}, {told}\n{running.said}")
        shutil.rmtree(folder)

    with ThreadPoolExecutor(2) as two:
        for done in [two.submit(run, *one) for one in enumerate(jobs)]:
            done.result()
    print(f"{len(jobs)} sound jobs: {len(alarms)} false alarms")
    assert not alarms, "\n".join(alarms)


@each_build
def test_who_waits_is_told_before_the_time_limit_of_slurm(compiled, build, tmp_path):
    """Without mpirun: a command that starts the processes by itself, as srun does."""

    def srun(words):
        script = tmp_path / "srun"
        script.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
        script.chmod(0o700)
        return [str(script), "--ntasks=3", "./app"]

    words = [faults(compiled, build), "receive", 1, "world", 4]
    ends = int(time.time()) + 65
    end = {"SLURM_JOB_END_TIME": str(ends), "SLURM_JOB_ID": "17"}
    before = ("--watch-before", "60s")
    with watched(build, 3, words, tmp_path, *before, limit="1h", through=srun, **end) as job:
        found = job.wait_for_finding(lambda one: one["ranks"] == [1])
        assert time.time() < ends
        assert job.process.poll() is None, job.said
    (named,) = [one for one in found if one["ranks"] == [1]]
    assert (named["kind"], named["call"]) == ("missing", "allreduce"), job.said


def test_a_watch_before_no_limit_is_refused():
    said = process("exec", "--watch-before", "60s", "--", "srun", "./app")
    assert said.returncode == 2
    assert "SLURM_JOB_END_TIME" in said.stderr


@each_build
def test_a_process_that_comes_late_was_slow(compiled, build, tmp_path):
    words = [faults(compiled, build), "slow", 1, "dup", 4]
    told = tmp_path / "told"
    with watched(build, 4, words, tmp_path, FAULT_SECONDS="8", FAULT_TOLD=str(told)) as job:
        found = job.wait_for_finding(lambda one: one["kind"] == "goes-on")
        told.touch()
        assert "the job goes on: allreduce no. 4 was slow" in job.said
        assert job.process.wait(LIMIT) == 0, job.said
    named = [one for one in found if one.get("ranks") == [1]]
    assert {(one["call"], one["number"]) for one in named} == {("allreduce", 4)}


@each_build
def test_a_job_that_stands_still_is_ended_where_that_is_asked_for(compiled, build, tmp_path):
    words = [faults(compiled, build), "wait", 2, "world", 4]
    with watched(build, 3, words, tmp_path, "--watch-kill") as job:
        assert job.process.wait(LIMIT) == 4, job.said
        assert "the job is ended (--watch-kill)" in job.said
    assert [file.name for file in tmp_path.glob(".laneway*")] == []


@each_build
def test_hang_says_who_is_missing_while_the_job_stands(compiled, build, tmp_path):
    words = [faults(compiled, build), "receive", 1, "dup", 7]
    with watched(build, 3, words, tmp_path, limit="1h") as job:
        (name,) = wait_for(lambda: [one.name for one in tmp_path.glob(".laneway-*")])
        asked = ("hang", "--job", name.removeprefix(".laneway-")[:8], "--after", "0.2s")

        def hang():
            said = process(*asked, "--json")
            assert said.returncode in (0, 1, 2, 3), said.stderr
            return [json.loads(line) for line in said.stdout.splitlines()]

        def right():
            return [one for one in hang() if one["ranks"] == [1] and one["number"] == 7]

        (found,) = wait_for(right)
        assert found["kind"] == "missing"
        assert found["detail"]["in"]["function"] == "recv"
        said = process(*asked)
        assert said.returncode == 1
        assert "Rank 1" in said.stdout
        assert "MPI_Recv" in said.stdout
        assert job.process.poll() is None


@each_build
def test_a_fault_of_a_python_program_is_named(compiled, build, tmp_path):
    environment = python(build, faults(compiled, build), tmp_path)
    words = [sys.executable, CALLERS / "faults.py", 1]
    texts = {name: str(value) for name, value in environment.items()}
    with watched(build, 3, words, tmp_path, **texts) as job:
        found = job.wait_for_finding(lambda one: one["kind"] == "missing")
        assert [(one["ranks"], one["call"]) for one in found if one["kind"] == "missing"] == [
            ([1], "barrier")
        ], job.said


def flights(process_id):
    """The files of flight recorders that a process has open."""
    try:
        links = [*Path(f"/proc/{process_id}/fd").iterdir()]
        return [link for link in links if "laneway-flight" in str(link.readlink())]
    except OSError:
        return []


def recorded(folder):
    """The processes whose flight recorder belongs to a job of that folder."""
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        for link in (flights(entry.name) if entry.name.isdigit() else ())
        if os.fsencode(folder) in _beginning(link)
    ]


def _beginning(link):
    try:
        with link.open("rb") as file:
            return file.read(4096)
    except OSError:
        return b""


@each_build
def test_nothing_is_left_when_everything_is_killed(compiled, build, tmp_path):
    words = [faults(compiled, build), "wait", 0, "world", 2]
    with watched(build, 2, words, tmp_path, limit="1h") as job:
        ranks = wait_for(lambda: (found := recorded(tmp_path))[1:] and found)
        for link in flights(ranks[0]):
            there = link.stat()
            assert stat.S_IMODE(there.st_mode) == 0o600
            assert there.st_uid == os.geteuid()
        group = os.getpgid(job.process.pid)
        os.killpg(group, signal.SIGKILL)
        for rank in ranks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rank, signal.SIGKILL)
        assert wait_for(lambda: not recorded(tmp_path))
        assert wait_for(lambda: not [*tmp_path.glob(".laneway*")])
        watchers = f"laneway.watching.node\0{tmp_path}".encode()
        assert wait_for(
            lambda: not any(watchers in _command(one) for one in Path("/proc").iterdir())
        )


def _command(folder):
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.timed
@each_build
def test_a_call_costs_little_more(compiled, build):
    """20 ns at most, by the shortest batches of calls on one process."""
    program = compiled(build, "call_cost.c", "-O2", with_laneway=False)

    def cost(preload):
        said = subprocess.run(
            [program, "3000", "300"],
            env={**os.environ, "LD_PRELOAD": str(preload)},
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        ).stdout
        return {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}

    without, recording = cost(build.preload), cost(build.flight)
    calls = {name: 1 + name.startswith("ibcast") for name in without}
    more = {name: (recording[name] - without[name]) / calls[name] for name in without}
    assert max(more.values()) <= 20, more
