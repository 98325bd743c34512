# SPDX-License-Identifier: BSD-3-Clause
"""A job that stands by: the blocks of later campaigns are handed to it."""

from dataclasses import replace

import pytest

from jobs import BUILDS
from laneway.campaign import Folder, measure
from laneway.campaign.standing import StandingJob
from laneway.launching.place import Place, Setting
from laneway.launching.run import processes_of
from laneway.tuning.stage import Stage, StagePlan, TuningPlace, TuningPoint

from .conftest import Quiet


def handed(folder):
    """Whether each start of a campaign was none, but blocks that were handed to a job."""
    return [row.get("handed", False) for row in folder.all_rows() if row["kind"] == "end"]


def test_one_start_serves_all_runs_of_several_campaigns(sham, tmp_path):
    later = Folder(tmp_path / "later")
    with StandingJob() as job:
        assert not sham.measure(standing=job).failures
        assert not measure(sham.plan, later.path, Quiet(), standing=job).failures
    assert sham.starts == 1
    assert handed(sham.folder) == [False, *[True] * 17], "one block after the other"
    assert handed(later) == [True] * 18
    sham.check_complete()
    sham.folder = later
    sham.check_complete()
    first, *_ = later.rows()
    assert first["kind"] == "campaign"
    assert sum(row["kind"] == "environment" for row in later.rows()) == 18, "each says where"


def test_before_each_block_it_is_asked_what_is_left_out(sham):
    asked = []

    def leave_out(run, rows):
        done = [row["block"] for row in rows if row["kind"] == "block" and row["run"] == run]
        asked.append((run, len(done)))
        every = {block.id for block in sham.plan.tasks(run)[0].blocks}
        return every - {*done} if len(done) == 2 else set()

    with StandingJob() as job:
        assert not sham.measure(standing=job, leave_out=leave_out).failures
    assert asked == [(run, done) for run in (1, 2, 3) for done in (0, 1, 2)]
    assert len(handed(sham.folder)) == 6


@pytest.mark.parametrize("how", ["crash", "leave"])
def test_where_the_job_fails_another_one_goes_on(sham, tmp_path, how):
    """Whatever the exit code: all blocks are measured but for the one that brings jobs down."""
    sham.behave(at={"bcast 10": how})
    with StandingJob() as job:
        failed = sham.measure(standing=job)
        sham.behave()
        job.end()
        later = Folder(tmp_path / "later")
        assert not measure(sham.plan, later.path, Quiet(), standing=job).failures
    assert any("the reason" in failure for failure in failed.failures)
    assert sham.starts == 4, "one for each failure, and one for what is left"
    sham.check_complete(without={(run, "bcast", 10) for run in (1, 2, 3)})


def test_a_job_of_another_place_does_not_do(sham, tmp_path):
    class Elsewhere:
        """The plan, for ranks that have a variable."""

        def __getattr__(self, name):
            return getattr(sham.plan, name)

        def tasks(self, run):
            place = Place(2, 2, variables=(("LANEWAY_PROFILE", "some.conf"),))
            return [replace(task, setting=Setting(place)) for task in sham.plan.tasks(run)]

    with StandingJob() as job:
        sham.measure(standing=job)
        measure(Elsewhere(), tmp_path / "later", Quiet(), standing=job)
    assert sham.starts == 2
    assert handed(Folder(tmp_path / "later")) == [False, *[True] * 17]


@pytest.mark.parametrize("build", BUILDS)
def test_the_benchmark_stands_by(build, tmp_path):
    """Each stage has other sizes and algorithms; the job ends when it is told so."""
    machine = TuningPlace(build, Setting(Place(2, 1), 2))
    folders = []
    with StandingJob() as job:
        for size, names in ((64, ("chain",)), (256, ("chain", "binomial")), (64, ("lane",))):
            stage = Stage("screen", {TuningPoint("bcast", size): names}, 0.01, 2)
            folders.append(Folder(tmp_path / f"{size}-{len(names)}-{names[0]}"))
            plan = StagePlan(machine, stage, standing=job)
            result = measure(plan, folders[-1].path, Quiet(), standing=job)
            assert not result.failures
            found = {(row["bytes"], row["algorithm"], row["run"])
                     for row in folders[-1].rows() if row["kind"] == "sample"}  # fmt: skip
            assert found == {(size, name, run) for name in ("native", *names) for run in (1, 2)}
        launcher = job.serving(plan.tasks(1)[0])._process.pid
        assert len(processes_of(launcher)) > 1
        job.end()
        assert not processes_of(launcher)
        assert job.serving(plan.tasks(1)[0]) is None
    assert [handed(folder) for folder in folders] == [[False, True], [True, True], [True, True]]
