# SPDX-License-Identifier: BSD-3-Clause
"""The rows that a campaign keeps through kills, hangs and crashes."""

import json
import os
import random
import re
import signal
import time
from contextlib import contextmanager
from dataclasses import replace

import polars as pl
import pytest

from laneway.campaign import estimate, measure
from laneway.campaign.status import status
from laneway.errors import Misuse, Problem
from laneway.launching.place import Place, Setting
from laneway.launching.run import Run
from laneway.libraries import native
from laneway.plans import comparison, duration
from laneway.units import roughly

from .conftest import HANGS, Quiet, Sham


@contextmanager
def child(work):
    """A process that does some work; it is killed at the end, if it lives."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    try:
        yield process
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def test_the_launcher_starts_once_a_run_and_blocks_are_shuffled(sham):
    result = sham.measure()
    assert not result.failures
    sham.check_complete()
    assert sham.starts == 3
    orders = [path.read_text().splitlines() for path in sorted(sham.folder.launches.iterdir())]
    assert len({tuple(order) for order in orders}) == 3
    assert len({tuple(sorted(order)) for order in orders}) == 1
    again = [[block.line() for block in sham.plan.tasks(run)[0].blocks] for run in (1, 2, 3)]
    assert again == orders, "the order follows from the seed"

    manifest = sham.folder.manifest
    assert manifest["seed"] == 1
    assert manifest["environment"]["builds"]["openmpi-9.0"]["library"] == "Sham 1.0"
    assert manifest["environment"]["machine"]["cores"] >= 1
    found = status(sham.folder)
    assert (found.done, found.blocks, found.launches, found.complete) == (18, 18, 3, True)
    assert found.timed_seconds == pytest.approx(18 * 0.1)


def compared(sham):
    """A comparison on the machine of a sham campaign."""
    names = ("native", "native#b", "native#c")
    arm = comparison.Arm(Setting(Place(2, 2)), names)
    return comparison.ComparisonPlan(sham.build, [arm], ["bcast"], [1, 10], runs=3, repetitions=1)


def measured_algorithms(sham):
    """The algorithms that were measured, by run and count."""
    found = sham.folder.samples().group_by("run", "count").agg(pl.col("algorithm"))
    return {(run, count): {*names} for run, count, names in found.iter_rows()}


def test_what_will_be_measured_is_told_before_anything_runs(sham):
    plan = compared(sham)
    assert estimate.told(plan) == (
        "to be measured: 2 points (1 collective, 2 sizes), each by 3 algorithms, in 3 runs of "
        "mpirun; about 18 s, more where calls take long"
    )
    arms = [*plan.arms, replace(plan.arms[0], setting=Setting(Place(2, 1)))]
    hours = replace(plan, arms=arms, seconds=600.0, collectives=("bcast", "scan"))
    assert estimate.told(hours) == (
        "to be measured: 4 points (2 collectives, 2 sizes), each by 3 algorithms, in 3 runs of "
        "mpirun of 2 jobs each; about 4.0 hours, more where calls take long"
    )
    assert estimate.told(replace(plan, seconds=100.0)).endswith(
        "about 10 minutes, more where calls take long"
    )


def test_one_estimate_serves_what_is_advised_and_what_is_announced(sham):
    """Where calls take no time, advice and the first line of the command say the same."""
    plan = compared(sham)
    (task,) = plan.tasks(1)
    advised = duration.ComparisonDuration(plan.runs, float(task.options["time"]), algorithms=3)
    assert estimate.told(plan).endswith(
        f"about {roughly(advised.lasts([0.0] * len(task.blocks)))}, more where calls take long"
    )


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_all_algorithms_are_counted_and_native_is_one():
    arm = comparison.Arm(Setting(Place(2, 2)), ("all",))
    plan = comparison.ComparisonPlan(native.find(), [arm], ["sendrecv"], [1], runs=1)
    assert "1 point (1 collective, 1 size), each by 1 algorithm, in 1 run of" in estimate.told(plan)
    every = estimate.told(replace(plan, collectives=("bcast", "sendrecv")))
    assert re.search(r"each by up to \d\d algorithms", every)


def test_what_the_first_run_of_a_comparison_drops_is_left_out_of_the_others(sham):
    sham.behave(hopeless=["native#b"])
    result = measure(compared(sham), sham.folder.path, Quiet())
    assert not result.failures
    every = {"native", "native#b", "native#c"}
    for (run, _), names in measured_algorithms(sham).items():
        assert names == (every if run == 1 else every - {"native#b"})
    left_out = [row for row in result.rows if row["kind"] == "note"]
    assert {(row["run"], row["count"]) for row in left_out} == {(2, 1), (2, 10), (3, 1), (3, 10)}
    assert {row["algorithm"] for row in left_out} == {"native#b"}
    assert len(result.rows) == len([*sham.folder.rows()])


def test_what_was_dropped_stays_so_when_a_comparison_is_resumed(sham):
    sham.behave(hopeless=["native#b"], at={"bcast 10": "crash"})
    measure(compared(sham), sham.folder.path, Quiet())
    sham.behave()
    measure(compared(sham), sham.folder.path, Quiet(), resume=True)
    found = measured_algorithms(sham)
    assert "native#b" not in found[2, 1]
    assert found[1, 10] == found[2, 10] == {"native", "native#b", "native#c"}, "not in run 1"


def test_a_campaign_measures_in_each_run_what_it_says(sham):
    sham.behave(hopeless=["native#b"])
    sham.measure()
    sham.check_complete()


def test_job_start_is_timed_in_each_run(sham):
    sham.text += "start = true\n"
    sham.measure()
    found = status(sham.folder)
    assert (found.done, found.blocks, found.launches, found.complete) == (21, 21, 6, True)
    samples = sham.folder.samples().filter(pl.col("collective") == "start")
    assert sorted(samples["run"]) == [1, 2, 3]
    starts = [row for row in sham.folder.rows() if row["kind"] == "start"]
    assert samples["time_us"].to_list() == [row["init_last_us"] for row in starts]
    assert all(1000 < row["first_us"] < row["init_last_us"] < 60e6 for row in starts)
    sham.measure(resume=True, runs=4)
    assert status(sham.folder).launches == 8, "what is there is not done again"


def test_killed_at_twenty_moments_it_resumes_without_loss_or_doubles(tmp_path):
    kills = campaigns = 0
    rng = random.Random(1)  # noqa: S311
    while kills < 20:
        sham = Sham(tmp_path / str(campaigns))
        sham.behave(seconds=0.004)
        campaigns += 1
        done = set()
        finished = None
        while not finished:
            begun = (sham.folder.path / "manifest.json").exists()
            # Killed when so many more rows are there: none, amid a block, or at its end.
            enough = sham.rows + rng.choice((0, *range(20))) if kills < 20 else float("inf")
            with child(lambda begun=begun, sham=sham: sham.measure(resume=begun)) as process:
                finished = None
                while not finished and sham.rows < enough:
                    finished = os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                    time.sleep(0.005)
                kills += not finished
            assert finished is None or finished.si_status == 0
            assert done <= sham.folder.done()
            done = sham.folder.done()
        sham.check_complete()


def test_a_torn_line_is_taken_off_and_its_block_done_again(sham):
    sham.measure()
    text = sham.folder.raw.read_text()
    end = text.rindex('{"kind": "block"')
    sham.folder.raw.write_text(text[: end + 20])
    assert status(sham.folder).done == 17
    sham.measure(resume=True)
    sham.check_complete()
    lines = sham.folder.raw.read_text().splitlines()
    assert all(json.loads(line) for line in lines)
    assert sham.starts == 4


def test_a_hung_run_is_ended_recorded_and_the_rest_done(sham, monkeypatch):
    heard = Run.lines

    def lines(run, silence):
        """Nothing is waited for where the launcher says that it hangs."""
        for line in heard(run, silence):
            if line == HANGS:
                raise TimeoutError
            yield line

    monkeypatch.setattr(Run, "lines", lines)
    sham.behave(at={"bcast 10": "hang"})
    result = sham.measure()
    assert [failure.splitlines()[0] for failure in result.failures] == [
        "run 1 hung: no row for 30 s",
        "run 2 hung: no row for 30 s",
    ], "what hung twice is not tried again"
    missing = {(run, "bcast", 10) for run in (1, 2, 3)}
    sham.check_complete(without=missing)
    failures = [row for row in sham.folder.rows() if row["kind"] == "failure"]
    assert {row["during"] for row in failures} == {"bcast/10/int/sum/root=0"}
    assert not status(sham.folder).complete

    sham.behave()
    sham.measure(resume=True)
    sham.check_complete()


def test_a_crash_costs_its_block_and_a_start(sham):
    sham.behave(at={"allreduce 1": "crash"})
    result = sham.measure()
    assert "run 1 failed (exit code 9)\nthe reason" in result.failures
    sham.check_complete(without={(run, "allreduce", 1) for run in (1, 2, 3)})
    assert sham.starts <= 3 + 2


def test_a_run_that_ends_early_as_if_all_were_well_is_a_failure(sham):
    sham.behave(at={"allreduce 1": "leave"})
    result = sham.measure()
    assert "run 1 ended before it had measured everything\nthe reason" in result.failures
    sham.check_complete(without={(run, "allreduce", 1) for run in (1, 2, 3)})


def test_what_a_launcher_loses_is_measured_once_more(sham):
    sham.behave(at={"allreduce 1": "vanish once"})
    assert sham.measure().failures == []
    sham.check_complete()
    assert sham.starts == 3 + 1


def test_what_is_always_lost_is_a_failure(sham):
    sham.behave(at={"allreduce 1": "vanish"})
    result = sham.measure()
    told = [f"run {run} ended before it had measured everything" for run in (1, 2)]
    assert result.failures == told, "what was lost in two runs is not tried again"
    sham.check_complete(without={(run, "allreduce", 1) for run in (1, 2, 3)})


def test_a_launcher_that_cannot_start_a_job_is_tried_once(sham):
    sham.behave(refuses=[1, 2, 3])
    result = sham.measure()
    (failure,) = result.failures
    assert failure.startswith("run 1 failed (exit code 1): no job began, and the other 2 runs ")
    assert failure.endswith("\nno such host")
    assert sham.starts == 1
    assert not sham.folder.path.exists(), "nothing was measured"


def test_a_launcher_that_has_started_jobs_is_tried_again(sham):
    sham.behave(refuses=[2])
    result = sham.measure()
    (failure,) = result.failures
    assert failure == "run 2 failed (exit code 1)\nno such host"
    assert sham.starts == 3


def test_two_campaigns_in_one_folder_are_refused(sham):
    sham.behave(seconds=1)
    with child(sham.measure) as process:
        while not sham.folder.is_running:
            time.sleep(0.01)
        while not sham.folder.raw.exists():
            time.sleep(0.01)
        assert status(sham.folder).running
        with pytest.raises(Problem, match=f"going on in .* already, process {process}"):
            sham.measure(resume=True)
    assert not sham.folder.is_running


def test_the_share_done_never_falls_and_ends_at_one(sham):
    observer = Quiet()
    measure(sham.plan, sham.folder.path, observer)
    assert observer.told == sorted(observer.told)
    assert observer.told[-1] == pytest.approx(1)


def test_the_launcher_of_a_complaint_ends_the_campaign(sham):
    sham.build.mpiexec.write_text("#!/bin/sh\necho 'laneway-bench: no such thing' >&2\nexit 2\n")
    with pytest.raises(Misuse, match="no such thing"):
        sham.measure()
    assert not sham.folder.path.exists(), "nothing was measured, nothing stays"


def test_time_left_of_a_campaign_that_was_killed(sham):
    sham.measure()
    rows = [json.loads(line) for line in sham.folder.raw.read_text().splitlines()]
    ends = [number for number, row in enumerate(rows) if row["kind"] == "block"]
    sham.folder.raw.write_text("".join(json.dumps(row) + "\n" for row in rows[: ends[3] + 1]))
    found = status(sham.folder)
    assert (found.done, found.launches) == (4, 1)
    assert found.seconds == pytest.approx(0.4), "what the blocks say: no start has ended"
    assert found.seconds_left == pytest.approx(0.1 * 14)
