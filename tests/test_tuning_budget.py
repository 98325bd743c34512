# SPDX-License-Identifier: BSD-3-Clause
"""The budget of `laneway tune`: what each stage may take, and what it is enough for."""

import json
import math
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from imagined import TUNED, Imagined, one_library, tuner
from laneway.campaign.estimate import SET_ASIDE
from laneway.campaign.standing import StandingJob
from laneway.cluster.cluster import Cluster
from laneway.cluster.spec import ClusterSpec
from laneway.cluster.state import State
from laneway.commands.shared import tunings
from laneway.errors import Problem
from laneway.launching.place import Place, Setting
from laneway.tuning import costs
from laneway.tuning import room as rooms
from laneway.tuning import tuner as tuners
from laneway.tuning.budget import BRIEF, RUNS, SHARES, Budget
from laneway.tuning.costs import BEGIN, LEAST, OVER_FLOOR, Costs
from laneway.tuning.progress import Tuning
from laneway.tuning.room import StageRoom
from laneway.tuning.stage import Stage, StagePlan, TuningPlace, TuningPoint


@one_library
def test_a_small_budget_leaves_points_out(build, tmp_path, capsys):
    measure = Imagined()
    tuner(tmp_path, build, measure, budget=1.0).outcome(TUNED)
    assert measure.plans == []
    assert "screen: no time for 3 points" in capsys.readouterr().out


@one_library
@pytest.mark.parametrize("budget", [90.0, 600.0])
def test_stages_stay_within_the_budget(build, tmp_path, budget):
    measure = Imagined()
    tuner(tmp_path, build, measure, budget=budget).outcome(TUNED)
    assert 0 < measure.seconds <= budget
    assert len(measure.plans) == len(RUNS)


@one_library
def test_what_jobs_take_to_start_is_set_aside_for_those_that_confirm(build, tmp_path):
    measure = Imagined(start=3.0)
    outcome = tuner(tmp_path, build, measure, budget=55.0).outcome(TUNED)
    assert measure.seconds <= 55 * (1 + SHARES["check"])
    assert outcome.rules, "a small budget, but one that allows for a profile"


@one_library
@pytest.mark.parametrize(("start", "slow"), [(1.0, 20), (5.0, 20), (5.0, 1.5)])
def test_what_is_confirmed_is_checked_however_long_the_others_took(build, tmp_path, start, slow):
    measure = Imagined(start=start, slow={"confirm": slow})
    outcome = tuner(tmp_path, build, measure, budget=140.0).outcome(TUNED)
    assert outcome.rules
    check = measure.plans[-1].stage
    assert check.name == "check"
    assert 2 * check.seconds * len(check.contestants) * check.runs <= SHARES["check"] * 140


def test_a_size_that_is_not_measured_takes_as_long_as_a_larger_one():
    known = {TuningPoint("scan", 64): {"native": 1e6}, TuningPoint("scan", 4096): {"native": 9e6}}
    for size, expected in ((64, 1), (1024, 9), (4096, 9), (8192, 18)):
        cost = Costs(known).of({TuningPoint("scan", size): ("lane",)})
        assert cost == pytest.approx(2 * (3 * expected + BEGIN))
    cost = Costs(known).of_tuned([TuningPoint("scan", 64)])
    assert cost == pytest.approx(2 * (3 + BEGIN)), "native takes part"


@one_library
def test_a_killed_job_counts_and_tells_nothing_of_starts(tmp_path, build):
    tuning = Tuning.begin(tmp_path, {})
    tuning.add(Stage("screen", {}, 0.1, 1))
    rows = [
        {"kind": "block", "launch": 1, "seconds": 10.0},
        {"kind": "end", "launch": 1, "seconds": 12.0, "code": 0},
        {"kind": "block", "launch": 2, "seconds": 7.0},  # killed
        {"kind": "end", "launch": 3, "seconds": 60.0, "code": 1},  # hung
    ]
    folder = tuning.of(tuning.stages[0])
    folder.mkdir()
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert (tuning.seconds(), tuning.start()) == (79.0, 2.0)


@one_library
def test_a_stage_is_planned_by_how_long_the_one_before_took(build, tmp_path):
    stages = {}
    for slow in (1, 2):
        measure = Imagined(slow=dict.fromkeys(RUNS, slow))
        tuner(tmp_path / str(slow), build, measure, budget=90.0).outcome(TUNED)
        stages[slow] = {plan.stage.name: plan.stage.seconds for plan in measure.plans}
        assert measure.seconds <= 90
    assert stages[2]["confirm"] < stages[1]["confirm"]


@pytest.mark.parametrize(("open_", "what"), [((), "measure"), (("bcast",), "confirm")])
def test_a_budget_that_was_too_small_is_said_with_one_that_is_not(open_, what):
    outcome = SimpleNamespace(profile=None, open=open_, failed=(), rules=(), unchecked=())
    assert next(tunings._left(outcome)) == (
        f"No time was left to {what} anything: no profile is written. Try --budget 20m."
    )


def test_what_is_not_decided_is_said():
    left = {"bcast": [(0, 63), (1025, math.inf)], "barrier": [(0, math.inf)]}
    outcome = SimpleNamespace(profile="laneway", open=(), failed=(), rules=("a rule",), left=left,
                              unchecked=())  # fmt: skip
    assert [*tunings._left(outcome)] == [
        "not decided, what serves without the profile does: bcast ..63, 1025..; barrier"
    ]


@one_library
def test_what_is_sure_comes_before_what_may_be_better(build, tmp_path):
    point = TuningPoint("scan", 64)
    native = TuningPoint("scan", 4096)  # at which it wins: to be neither confirmed nor checked
    known = {point: {"native": 4e6, "lane": 2e6}, native: {"native": 1e9}}
    for seconds, looked, confirmed in ((180.0, 0, 0), (210.0, 0, 1), (400.0, 1, 1)):
        budget = Budget(Tuning.begin(tmp_path, {}), seconds)
        for name, expected in (("race", looked), ("confirm", confirmed)):
            chosen = {point: ("lane", "ring"), native: ()}
            stage = budget.stage(name, chosen, Costs(known), {})
            assert len(stage.contestants) == expected, (seconds, name)


@one_library
def test_what_takes_long_goes_before_what_gains_less_but_at_once(build, tmp_path):
    long, short = TuningPoint("scan", 4 << 20), TuningPoint("scan", 64)
    known = {long: {"native": 4e6, "lane": 1e6}, short: {"native": 100.0, "lane": 50.0}}
    budget = Budget(Tuning.begin(tmp_path, {}), 100.0)
    chosen = {long: ("lane",), short: ("lane",)}
    stage = budget.stage("confirm", chosen, Costs(known), {})
    assert [*stage.contestants] == [short]


@one_library
@pytest.mark.parametrize(("budget", "runs"), [(100.0, BRIEF), (600.0, RUNS)])
def test_a_small_budget_has_fewer_runs(build, tmp_path, budget, runs):
    measure = Imagined(start=3.0)
    outcome = tuner(tmp_path, build, measure, budget=budget).outcome(TUNED)
    found = {plan.stage.name: plan.runs for plan in measure.plans}
    assert found == {name: number for name, number in runs.items() if number}
    assert outcome.rules


@one_library
def test_a_race_looks_first_where_nothing_was_measured(build, tmp_path):
    """There a factor is to be gained, at sizes that were measured a few percent."""
    known = {TuningPoint("scan", size): {"native": 1e6, "lane": 5e5} for size in (16, 4096)}
    between = TuningPoint("scan", 256)
    budget = Budget(Tuning.begin(tmp_path, {}), 175.0)
    chosen = dict.fromkeys((*known, between), ("lane", "ring"))
    stage = budget.stage("race", chosen, Costs(known), {})
    assert [*stage.contestants] == [between]
    assert stage.contestants[between] == ("lane", "ring"), "all of them"


@one_library
def test_what_a_program_spends_most_in_comes_first_where_time_is_short(build, tmp_path):
    """By the times of its report, before anything was measured."""
    long, short = TuningPoint("bcast", 4 << 20), TuningPoint("scan", 64)
    known = {long: {"native": 1e6}, short: {"native": 1e6}}
    names = ("lane", "ring", "chain")
    for costly, cheap in ((long, short), (short, long)):
        budget = Budget(Tuning.begin(tmp_path, {}), 50.0)
        worth = {costly: 10.0, cheap: 1.0}
        stage = budget.stage("screen", {cheap: names, costly: names}, Costs(known), worth)
        assert [*stage.contestants] == [costly]
        assert stage.contestants[costly][0] == "lane"


@one_library
def test_both_ends_of_what_a_program_does_are_confirmed(build, tmp_path):
    """A call of 3 KiB is served by a rule that is confirmed at 2 KiB and at 4 KiB."""
    ends = [TuningPoint("bcast", size) for size in (2048, 4096)]
    others = [TuningPoint("scan", size) for size in (2048, 4096)]
    known = {point: {"native": 1e6 * point.bytes / 2048, "lane": 5e5} for point in (*ends, *others)}
    worth = {**dict.fromkeys(ends, 3.0), **dict.fromkeys(others, 1.0)}
    budget = Budget(Tuning.begin(tmp_path, {}), 600.0)
    tuning = budget.tuning
    tuning.add(Stage("screen", {}, 0.01, 1))
    chosen = dict.fromkeys((others[0], ends[1], others[1], ends[0]), ("lane",))
    gains = budget.gains("confirm", chosen, Costs(known), worth)
    assert gains[ends[0]] == gains[ends[1]] > gains[others[0]] == gains[others[1]]
    alone = budget.gains("confirm", chosen, Costs(known), {})
    assert alone[ends[0]] != alone[ends[1]], "a machine's sizes are far apart"


@one_library
def test_a_program_has_both_ends_of_its_costliest_calls_confirmed(build, tmp_path):
    measure = Imagined(start=4.4, slow={"confirm": 40})
    own = tuner(tmp_path, build, measure, budget=120.0)
    own.worth = {point: float(point.bytes) for point in own.points}
    own.outcome(TUNED)
    confirmed = next(plan for plan in measure.plans if plan.stage.name == "confirm")
    rows = [{"kind": "block", "block": block.id, "run": 1, "seconds": 60.0}
            for block in confirmed.tasks(1)[0].blocks]  # fmt: skip
    rows.append({"kind": "end", "run": 1, "seconds": 60.0 * len(rows)})
    assert len(confirmed.stage.contestants) > 1
    left_out = confirmed.leave_out(2, rows)
    assert len(rows) - 1 - len(left_out) == 2, "and not one, though there is no time"


def test_long_calls_are_expected_to_take_long():
    cluster = Cluster(State(ClusterSpec(), 0, 0, (), privileged=False))
    points = [TuningPoint("bcast", size) for size in (4096, 4 << 20)]
    found = costs.expected(
        [*points, TuningPoint("alltoallv", 4096)], Setting(Place(4, 4, cluster), 2)
    )
    lane = 8 * (4 << 20) / ClusterSpec().rate / 2 * 1e6
    assert found[points[1]]["native"] == pytest.approx(OVER_FLOOR * lane, rel=0.2)
    assert found[points[0]]["native"] < 0.01 * found[points[1]]["native"]
    slower = Cluster(replace(cluster.state, changed=((10**8,) * 2,) * 4))
    slowly = costs.expected(points, Setting(Place(4, 4, slower), 2))
    assert slowly[points[1]]["native"] == pytest.approx(2 * found[points[1]]["native"], rel=0.01)
    assert costs.expected(points, Setting(Place(4, 4), 2)) == {}, "nobody knows virtual lanes"


@one_library
def test_a_message_that_takes_no_time_promises_nothing(build, tmp_path):
    """A burst of a lane lets short messages pass: the floor of those is zero."""
    points = [TuningPoint("allreduce", 4 << step) for step in range(12)]
    known = {point: {"native": 0.0} for point in points}
    budget = Budget(Tuning.begin(tmp_path, {}), 20.0)
    chosen = dict.fromkeys(points, ("lane", "ring"))
    stage = budget.stage("screen", chosen, Costs(known), {})
    assert len(stage.contestants) < len(points)


def stage_under_way(build, tmp_path, seconds, *, took, runs=6, least=1, start=1.0):
    """The sizes that a stage measures in each run; a run's blocks take `took` seconds each."""
    sizes = (64, 1024, 16384)
    points = {TuningPoint("bcast", size): ("lane",) for size in sizes}
    machine = TuningPlace(build, Setting(Place(4, 4), 2, "lane"))
    plan = StagePlan(machine, Stage("confirm", points, 0.01, runs))
    told = []
    gains = {TuningPoint("bcast", size): size for size in sizes}
    room = StageRoom(seconds, gains, least, told.append)
    names, rows, measured = plan.points_of_blocks(), [], []
    for run in range(1, runs + 1):
        out = room.left_out(plan, run, rows)
        kept = [name for name in names if name not in out]
        rows += [{"kind": "block", "block": name, "run": run, "seconds": took} for name in kept]
        rows.append({"kind": "end", "run": run, "seconds": start + took * len(kept)})
        measured.append({names[name].bytes for name in kept})
    spent = sum(row["seconds"] for row in rows if row["kind"] == "end")
    return measured, spent, told


@one_library
def test_a_stage_asks_before_each_run_what_is_left(build, tmp_path):
    everything = {64, 1024, 16384}
    measured, spent, told = stage_under_way(build, tmp_path, 60.0, took=2.0)
    assert (measured, spent, told) == ([everything] * 6, 42.0, [])
    measured, spent, told = stage_under_way(build, tmp_path, 36.0, took=2.0)
    assert measured == [everything, *[{1024, 16384}] * 5]
    assert spent <= 36
    assert told == ["confirm: the budget leaves 1 point out from run 2 on: bcast 64 B"]


@one_library
def test_a_standing_job_goes_without_what_is_left_when_time_is_up(build, tmp_path, monkeypatch):
    now = SimpleNamespace(time=0.0)
    monkeypatch.setattr(rooms, "time", SimpleNamespace(monotonic=lambda: now.time))
    points = {TuningPoint("bcast", size): ("lane",) for size in (64, 1024, 16384)}
    machine = TuningPlace(build, Setting(Place(4, 4), 2, "lane"))
    gains = {point: float(point.bytes) for point in points}
    told = []
    with StandingJob() as job:
        stage = Stage("screen", points, 0.01, 1)
        plan = StagePlan(machine, stage, standing=job, order=sorted(points, reverse=True))
        room = StageRoom(10.0, gains, 0, told.append, begun=0.0)
        order = [block.id for block in plan.tasks(1)[0].blocks]
        assert [plan.points_of_blocks()[name].bytes for name in order] == [16384, 1024, 64]
        rows = [{"kind": "block", "block": order[0], "run": 1, "seconds": 9.0}]
        now.time = 9.0
        assert room.left_out(plan, 1, rows) == set()
        now.time = 10.0
        assert room.left_out(plan, 1, rows) == {*order[1:]}
        resumed = StageRoom(10.0, gains, 0, told.append, begun=10.0, before=10.0)
        assert resumed.left_out(plan, 1, rows) == {*order[1:]}
        told.pop()
    (line,) = told
    assert line.endswith("2 points out from run 1 on: bcast 64 B, bcast 1 KiB")


@one_library
def test_a_standing_job_that_has_died_serves_nobody(build, tmp_path):
    machine = TuningPlace(build, Setting(Place(1, 1), 1, "all"))
    with StandingJob() as job:
        stage = Stage("screen", {TuningPoint("bcast", 64): ("binomial",)}, 0.01, 1)
        (task,) = StagePlan(machine, stage, standing=job).tasks(1)
        started = job.start(task, 1, tmp_path / "blocks", task.blocks)
        assert job.serving(task) is started
        started.end()
        assert job.serving(task) is None


def test_no_collective_is_left_out_as_a_whole_where_time_is_short():
    gains = {TuningPoint("bcast", 4): 9.0, TuningPoint("bcast", 64): 8.0,
             TuningPoint("scan", 4): 1.0, TuningPoint("scan", 64): 2.0}  # fmt: skip
    order = [(point.collective, point.bytes) for point in rooms.in_turn(gains)]
    assert order == [("bcast", 4), ("scan", 64), ("bcast", 64), ("scan", 4)]


@one_library
def test_the_screen_may_have_the_time_of_those_that_look_further(build, tmp_path):
    """But not what confirms and checks."""
    budget = Budget(Tuning.begin(tmp_path, {}), 600.0)
    seconds = budget.seconds_of(Stage("screen", {}, 0.01, 1))
    looking = sum(SHARES[name] for name in ("screen", "race", "closer"))
    assert seconds == pytest.approx(looking * (600 - SET_ASIDE * (6 + 3)), rel=0.01)


@one_library
def test_the_best_point_has_all_runs_where_nothing_fits(build, tmp_path):
    measured, _, _ = stage_under_way(build, tmp_path, 5.0, took=2.0)
    assert measured == [{64, 1024, 16384}, *[{16384}] * 5]
    measured, _, told = stage_under_way(build, tmp_path, 5.0, took=2.0, least=0)
    assert measured[1:] == [set()] * 5
    (line,) = told
    assert line.endswith("3 points out from run 2 on: bcast 64 B, bcast 1 KiB, bcast 16 KiB")


def test_runs_that_confirmed_nothing_are_not_said_to_be_missing():
    outcome = SimpleNamespace(profile=None, open=("bcast",), failed=(), rules=(), unchecked=())
    assert next(tunings._left(outcome, 6)) == "6 runs confirmed nothing: no profile is written."


@one_library
def test_a_check_that_comes_too_late_is_one_short_run(build, tmp_path):
    measure = Imagined(start=1.0, slow={"confirm": 30})
    outcome = tuner(tmp_path, build, measure, budget=140.0).outcome(TUNED)
    assert outcome.rules
    check = measure.plans[-1].stage
    assert (check.name, check.runs, check.seconds) == ("check", 1, LEAST)


@one_library
@pytest.mark.parametrize("how", ["returns", "raises"])
def test_an_interrupted_stage_keeps_the_time_between_its_jobs(build, tmp_path, monkeypatch, how):
    now = SimpleNamespace(time=0.0)
    monkeypatch.setattr(tuners, "time", SimpleNamespace(monotonic=lambda: now.time))
    measure = Imagined(start=1.0)

    def interrupted(plan, folder):
        before = measure.seconds
        result = measure(plan, folder)
        now.time += measure.seconds - before + 30
        if plan.stage.name != "race":
            return result
        if how == "raises":
            raise Problem("the disk is full")
        return replace(result, interrupted=True)

    with suppress(Problem):
        assert tuner(tmp_path, build, interrupted, budget=600.0).outcome(TUNED) is None
    again = Tuning.begin(tmp_path, {"a": 1})
    assert [stage.name for stage in again.stages] == ["screen", "race"]
    assert again.beside == pytest.approx(60)


@one_library
@pytest.mark.parametrize("slow", [1, 3])
def test_two_minutes_are_enough_for_the_costliest_calls_of_a_program(build, tmp_path, slow):
    """On a machine on which jobs take long to start, and stages longer than was foreseen."""
    measure = Imagined(start=4.4, slow=dict.fromkeys(RUNS, slow))
    own = tuner(tmp_path, build, measure, budget=120.0)
    costliest = own.points[-1]
    own.worth = {point: float(point.bytes) for point in own.points}
    outcome = own.outcome(TUNED)
    confirmed = next(plan.stage for plan in measure.plans if plan.stage.name == "confirm")
    assert costliest in confirmed.contestants
    assert (confirmed.runs, len(measure.plans)) == (RUNS["confirm"], len(RUNS))
    assert outcome.profile
    assert any(rule.algorithm == "lane" and rule.most >= costliest.bytes for rule in outcome.rules)


@one_library
def test_jobs_start_for_the_screen_and_for_what_is_confirmed_alone(build, tmp_path):
    for budget, runs in ((100.0, BRIEF), (600.0, RUNS)):
        measure = Imagined(start=3.0)
        own = tuner(tmp_path / f"{budget}", build, measure, budget=budget)
        own.outcome(TUNED)
        jobs = [job for job in own.tuning._jobs() if not job.handed]
        assert len(jobs) == runs["screen"] + runs["confirm"] + runs["check"]
        standing = {plan.stage.name for plan in measure.plans if plan.standing}
        assert standing == {"screen", "race", "closer"}


@one_library
def test_time_between_jobs_counts(build, tmp_path, monkeypatch):
    """On a busy machine it is as long as the jobs themselves."""
    now = SimpleNamespace(time=0.0)
    clock = SimpleNamespace(monotonic=lambda: now.time)
    monkeypatch.setattr(tuners, "time", clock)
    measure = Imagined(start=1.0)

    def slowly(plan, folder):
        before = measure.seconds
        result = measure(plan, folder)
        now.time += 1.5 * (measure.seconds - before)
        return result

    tuned = tuner(tmp_path, build, slowly, budget=140.0)
    tuned.outcome(TUNED)
    assert tuned.tuning.seconds() == pytest.approx(now.time, abs=1)
    assert now.time <= 140
    assert Tuning.begin(tmp_path, {"a": 1}).beside > 0
