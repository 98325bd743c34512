# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on times whose truth is known, because they were drawn."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from laneway.collectives import REGULAR
from laneway.guideline import Contest, GuidelineVerdict, Terms, judge_rows, judgement
from laneway.guideline.rules import MONOTONY, POWERS_OF_TWO, RULES, SPLITTING, Scale
from laneway.guideline.signed_rank import corrected, estimate
from laneway.guideline.statistics import runs_at_least, runs_wanted
from laneway.rows import CaseKey, collect

POINTS = 200
RUNS = 10
INDICATIVE_US = 2000


def sample(collective, algorithm, count, run, time_us, **more):
    return {
        "kind": "sample", "run": run, "collective": collective, "algorithm": algorithm,
        "count": count, "datatype": "int", "bytes": 4 * count, "served_by": "native", "nodes": 4,
        "ppn": 4, "lanes": 2, "library": "Sham 1.0", "binding": "lane", "repetition": 0,
        "time_us": time_us, **more,
    }  # fmt: skip


def drawn(rng, *, runs=RUNS, points=POINTS, planted=(), slowdown=1.2, repetitions=9):
    """Native and native again: medians of runs differ by 3% above 2 ms and by 28% below.

    A part of that is common to all of a run. Repetitions are skewed, and some are much too long.
    """
    true_us = np.geomspace(20, 200_000, points)
    rows = []
    for run in range(1, runs + 1):
        of_run = rng.lognormal(0, 0.05)
        for point, middle in enumerate(true_us):
            noise = 0.28 if middle < INDICATIVE_US else 0.03
            for algorithm in ("native", "native#b"):
                factor = slowdown if point in planted and algorithm == "native" else 1.0
                median = middle * factor * of_run * rng.lognormal(0, noise / math.sqrt(2))
                times = median * (1 + rng.exponential(0.04, repetitions))
                times[rng.random(repetitions) < 0.02] *= 5
                rows += [
                    sample("bcast", algorithm, point + 1, run, time) for time in times.tolist()
                ]
    return rows


def of(findings, guideline):
    return {each.count: each for each in findings if each.guideline == guideline}


# ---- bars -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("runs", [5, 10, 20])
def test_the_same_under_two_names_is_called_violated_at_one_point_in_twenty_at_most(seed, runs):
    rows = drawn(np.random.default_rng(seed), runs=runs, repetitions=3)
    found = of(judge_rows(rows), "native <= native#b")
    assert len(found) == POINTS
    violated = [each for each in found.values() if each.verdict is GuidelineVerdict.VIOLATED]
    assert len(violated) <= 0.05 * POINTS


@pytest.mark.parametrize("seed", range(5))
def test_a_slowdown_of_a_fifth_is_found_and_never_said_to_hold(seed):
    rng = np.random.default_rng(100 + seed)
    slow_enough = np.flatnonzero(np.geomspace(20, 200_000, POINTS) > INDICATIVE_US)
    planted = rng.choice(slow_enough, 10, replace=False)
    rows = drawn(rng, planted=set(planted.tolist()), repetitions=3)
    found = of(judge_rows(rows), "native <= native#b")
    verdicts = [found[point + 1].verdict for point in planted]
    assert verdicts.count(GuidelineVerdict.VIOLATED) >= 8
    assert GuidelineVerdict.HOLDS not in verdicts
    others = [each for count, each in found.items() if count - 1 not in planted]
    assert sum(each.verdict is GuidelineVerdict.VIOLATED for each in others) <= 2
    quiet = [each for each in others if each.left_us > INDICATIVE_US]
    assert sum(each.verdict is GuidelineVerdict.HOLDS for each in quiet) > 0.5 * len(quiet)


def test_repetitions_of_one_run_are_not_taken_for_runs():
    # One run in which native was a fifth slower throughout says nothing, however often repeated.
    rows = [
        sample("bcast", name, 1000, 1, time * rep)
        for name, time in (("native", 120), ("lane", 100))
        for rep in np.random.default_rng(1).lognormal(0, 0.01, 1000).tolist()
    ]
    (finding,) = judge_rows(rows)
    assert finding.verdict is GuidelineVerdict.UNDECIDED
    assert "1 run can never decide" in finding.reason


# ---- statistics -----------------------------------------------------------------------------


@given(st.lists(st.floats(-1, 1).filter(lambda x: abs(x) > 1e-6), min_size=1, max_size=9,
                unique_by=lambda x: round(abs(x), 9)))  # fmt: skip
def test_p_values_are_those_of_all_assignments_of_signs(values):
    found = estimate(values, 0.0, 0.05)
    ranks = stats.rankdata(np.abs(values))
    observed = ranks[np.asarray(values) > 0].sum()
    sums = [
        ranks[np.asarray(signs)].sum()
        for signs in itertools.product([False, True], repeat=len(values))
    ]
    assert found.p_violated == pytest.approx(np.mean(np.asarray(sums) >= observed))
    assert found.p_holds == pytest.approx(np.mean(np.asarray(sums) <= observed))


def test_estimate_and_interval_are_those_of_a_textbook():
    # Hollander and Wolfe, Nonparametric Statistical Methods, example 3.1; figures as R gives them.
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    difference = np.subtract(before, after)
    found = estimate(difference.tolist(), 0.0, 0.02)
    assert math.log(found.ratio) == pytest.approx(0.46, abs=0.001)
    assert math.log(found.low) == pytest.approx(0.01, abs=0.001)
    assert math.log(found.high) == pytest.approx(0.786, abs=0.001)
    assert found.confidence == pytest.approx(0.961, abs=0.001)
    assert found.p_violated == pytest.approx(0.0195, abs=0.0001)


@pytest.mark.parametrize("runs", [6, 10, 25])
def test_the_interval_covers_the_truth_as_often_as_it_says(runs):
    rng = np.random.default_rng(runs)
    found = [estimate(rng.normal(0.1, 0.05, runs).tolist(), 0.05, 0.05) for _ in range(300)]
    covering = np.mean([each.low <= math.exp(0.1) <= each.high for each in found])
    assert found[0].confidence >= 0.9
    assert covering == pytest.approx(found[0].confidence, abs=0.045)


def test_rounded_times_are_decided_all_the_same():
    found = estimate([0.2] * 6, 0.05, 0.05)
    assert found.p_violated == pytest.approx(1 / 64)
    assert estimate([0.0] * 6, 0.0, 0.05).p_violated == 1


def test_few_runs_can_never_decide_and_are_told_so():
    assert runs_at_least(0.05) == 5
    assert runs_at_least(0.0625) == 4
    for runs in (2, 4):
        rows = [
            sample("bcast", name, 10, run, time * (1 + run / 1000))
            for run in range(1, runs + 1)
            for name, time in (("native", 1000), ("lane", 1))
        ]
        (finding,) = judge_rows(rows)
        assert finding.verdict is GuidelineVerdict.UNDECIDED
        assert f"{runs} runs can never decide" in finding.reason
        assert finding.more_runs >= 5 - runs


def test_the_runs_that_are_advised_decide_as_often_as_they_should():
    rng = np.random.default_rng(5)
    first = estimate(rng.normal(math.log(1.1), 0.08, 12).tolist(), 0.05, 0.05)
    wanted = runs_wanted(first, 0.05, 0.01)
    truth, spread = math.log(first.ratio), first.spread
    decided = np.mean([
        estimate(rng.normal(truth, spread, wanted).tolist(), 0.05, 0.01).p_violated <= 0.01
        for _ in range(300)
    ])  # fmt: skip
    assert 0.65 < decided < 0.95
    at_margin = estimate(
        [math.log(1.05) + x for x in (-0.1, 0.1, -0.2, 0.2, 0.3, -0.3)], 0.05, 0.05
    )
    assert runs_wanted(at_margin, 0.05, 0.05) is None


def test_corrections_never_make_a_finding_more_certain():
    p_values = [0.001, 0.04, 0.03, 0.5]
    assert all(q >= p for p, q in zip(p_values, corrected(p_values), strict=True))
    assert corrected([]) == []


# ---- which comparisons there are ------------------------------------------------------------


def measured(times, runs=6):
    """Rows of native: {(collective, count): us}, without noise to speak of."""
    rng = np.random.default_rng(1)
    return [
        sample(collective, "native", count, run, time * rng.lognormal(0, 0.001))
        for run in range(1, runs + 1)
        for (collective, count), time in times.items()
    ]


def verdicts(times, guideline):
    found = of(judge_rows(measured(times)), guideline)
    return {count: str(each.verdict) for count, each in found.items()}


def test_a_mockup_of_parts_takes_the_counts_that_its_whole_implies():
    # 16 ranks: a broadcast of 1600 is a scatter of blocks of 100 and an allgather of these.
    fast = {("bcast", 1600): 90, ("scatter", 100): 50, ("allgather", 100): 50, ("scatter", 1600): 1}
    slow = {**fast, ("bcast", 1600): 150}
    assert verdicts(fast, "bcast <= scatter + allgather") == {1600: "HOLDS"}
    assert verdicts(slow, "bcast <= scatter + allgather") == {1600: "VIOLATED"}
    without = {key: time for key, time in slow.items() if key != ("allgather", 100)}
    assert verdicts(without, "bcast <= scatter + allgather") == {}
    grown = {("allgather", 10): 100, ("gather", 10): 30, ("bcast", 160): 40}
    assert verdicts(grown, "allgather <= gather + bcast") == {10: "VIOLATED"}


def test_every_rule_is_found_where_its_parts_were_measured():
    for rule in RULES:
        if any(part.scale is Scale.LONGEST for part in rule.parts):
            continue
        parts = {(p.collective, p.scale.count(160, 16)): 100 for p in rule.parts}
        times = {(rule.left, 160): 1, **parts}
        assert verdicts(times, rule.name) == {160: "HOLDS"}, rule.name
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert Scale.OVER_P.count(17, 16) == 2


def laid_out(times, runs=6, **more):
    """Rows of native: {(collective, count, layout, longest block): us}."""
    return [
        sample(collective, "native", count, run, time * (1 + run / 1e4), layout=layout,
               longest=longest, **(more if layout and layout.startswith("file:") else {}))
        for run in range(1, runs + 1)
        for (collective, count, layout, longest), time in times.items()
    ]  # fmt: skip


@pytest.mark.parametrize("vector", REGULAR)
def test_equal_blocks_are_held_against_the_regular_collective(vector):
    regular = REGULAR[vector]
    rows = laid_out({
        (vector, 100, "equal", 100): 15,
        (vector, 100, "ramp", 200): 99,
        (regular, 100, None, None): 10,
    })  # fmt: skip
    found = [each for each in judge_rows(rows) if each.guideline == f"{vector} <= {regular}"]
    assert [(each.axes["layout"], str(each.verdict)) for each in found] == [("equal", "VIOLATED")]


@pytest.mark.parametrize("vector", REGULAR)
def test_other_blocks_are_held_against_the_regular_collective_of_the_longest(vector):
    regular = REGULAR[vector]
    rows = laid_out({
        (vector, 100, "equal", 100): 99,
        (vector, 100, "ramp", 200): 15,  # and 200 was measured
        (vector, 100, "random", 180): 25,  # more than 180 was
        (vector, 100, "single", 1600): 99,  # so much was not
        (vector, 70, "file:x", 150): 22,
        (regular, 100, None, None): 1,
        (regular, 200, None, None): 20,
        (regular, 400, None, None): 1,
    }, layout_digest="aa")  # fmt: skip
    guideline = f"{vector} <= {regular} of the longest"
    judged = judgement(rows)
    found = [each for each in judged.findings if each.guideline == guideline]
    assert {each.axes["layout"]: str(each.verdict) for each in found} == {
        "ramp": "HOLDS",
        "random": "VIOLATED",
        "file:x": "VIOLATED",
    }
    assert {each.right for each in found} == {f"native {regular} 200"}
    left = [each for each in judged.left_out if each.guideline == guideline]
    assert [(each.points, each.reason) for each in left] == [
        (1, f"no {regular} of the longest block")
    ]


def test_more_of_a_layout_takes_no_less_than_less_of_it():
    rows = laid_out({
        ("allgatherv", 100, "ramp", 200): 20, ("allgatherv", 200, "ramp", 400): 10,
        ("allgatherv", 400, "single", 6400): 5,
    })  # fmt: skip
    found = [each for each in judge_rows(rows) if each.guideline == MONOTONY]
    assert [(each.count, str(each.verdict)) for each in found] == [(100, "VIOLATED")]


def test_more_data_take_no_less_time_and_parts_no_less_than_the_whole():
    times = {("bcast", 100): 200, ("bcast", 200): 100, ("bcast", 400): 500}
    assert verdicts(times, MONOTONY) == {100: "VIOLATED", 200: "HOLDS"}
    assert verdicts(times, SPLITTING) == {200: "HOLDS", 400: "VIOLATED"}


def test_processes_take_no_longer_than_the_next_power_of_two():
    rows = [
        sample(
            "allreduce", "native", 10, run, time * (1 + run / 1000), nodes=nodes, ranks=4 * nodes
        )
        for nodes, time in ((2, 100), (3, 150), (4, 120), (5, 100), (6, 500))
        for run in range(1, RUNS + 1)
    ]
    found = [each for each in judge_rows(rows) if each.guideline == POWERS_OF_TWO]
    # 2 and 4 nodes of 4 processes are powers themselves; for 5 and 6, none was measured.
    assert [(each.axes["nodes"], str(each.verdict)) for each in found] == [(3, "VIOLATED")]


def test_what_was_measured_under_other_conditions_is_not_compared():
    rows = [
        sample(collective, "native", 10, run, time, op=op, root=root, sync=sync)
        for run in range(1, 7)
        for collective, time, op, root, sync in (
            ("reduce", 200, "sum", 0, "barrier"),
            ("allreduce", 100, "sum", None, "barrier"),
            ("allreduce", 1, "max", None, "barrier"),
            ("allreduce", 1, "sum", None, "clock"),
        )
    ]
    found = [each for each in judge_rows(rows) if each.guideline == "reduce <= allreduce"]
    assert [each.ratio for each in found] == [pytest.approx(2)]


def test_a_wrong_result_decides_nothing():
    rows = measured({("reduce", 8): 10, ("allreduce", 8): 5})
    rows.append({"kind": "error", "collective": "allreduce", "algorithm": "native", "count": 8,
                 "message": "wrong result on rank 1"})  # fmt: skip
    (finding,) = judge_rows(rows)
    assert finding.verdict is GuidelineVerdict.INVALID
    assert "wrong result: native allreduce 8" in finding.reason


def test_a_wrong_result_is_found_in_a_column_of_whole_and_other_numbers():
    rows = [
        sample("bcast", name, 8, run, time, pause=pause)
        for run in range(1, 9)
        for name, time in (("native", 20), ("lane", 10))
        for pause in (0, 0.5)
    ]
    rows.append({**sample("bcast", "lane", 8, 1, 0, pause=0), "kind": "error",
                 "message": "wrong result on rank 1"})  # fmt: skip
    found = {each.axes["pause"]: each.verdict for each in judge_rows(rows, Terms(subject="lane"))}
    assert found == {0: "INVALID", 0.5: "HOLDS"}


def test_runs_without_a_partner_are_left_out():
    rows = [sample("bcast", "native", 8, run, 10) for run in range(1, 5)]
    rows += [sample("bcast", "lane", 8, run, 5) for run in range(4, 9)]
    (finding,) = judge_rows(rows)
    assert finding.runs == 1
    apart = [row for row in rows if row["run"] != 4]
    (finding,) = judge_rows(apart)
    assert finding.verdict is GuidelineVerdict.INVALID
    assert judge_rows([]) == []


def test_other_algorithms_can_be_judged_too():
    rows = [
        sample("bcast", name, 8, run, time * (1 + run / 1e4))
        for run in range(1, 7)
        for name, time in (("native", 10), ("lane", 20))
    ]
    (finding,) = judge_rows(rows, Terms(subject="lane"))
    assert (finding.guideline, finding.verdict) == ("lane <= native", "VIOLATED")
    assert finding.to_json()["verdict"] == "VIOLATED"


def test_native_is_judged_against_each_algorithm_by_case():
    rows = [
        sample("bcast", name, count, run, time * (1 + run / 1e4))
        for run in range(1, 7)
        for count in (8, 16)
        for name, time in (("native", 10), ("lane", 5), ("chain", 20))
    ]
    found = Contest(collect(rows), rows).against_native
    key = CaseKey("bcast", "lane", 8, "int", 32, 4, 4, 2, "Sham 1.0", "lane")
    assert len(found) == 4
    assert found[key].verdict is GuidelineVerdict.VIOLATED


def test_native_counts_under_the_better_of_its_bindings():
    rows = [
        sample("bcast", name, 8, run, time * (1 + run / 1e4), binding=binding)
        for run in range(1, 9)
        for name, binding, time in (
            ("native", "lane", 20),
            ("native", "all", 9),
            ("lane", "lane", 10),
        )
    ]
    (finding,) = Contest(collect(rows), rows).against_native.values()
    assert (finding.verdict, finding.axes["binding"]) == ("HOLDS", "all")


def standing(times, runs=8, errors=(), apart=""):
    """The standing of algorithms: [run] is the factor of that run; `apart` has other runs."""
    rows = [
        sample("bcast", name, 8, run + runs * (name == apart), 100 * of_run(run))
        for run in range(1, runs + 1)
        for name, of_run in times.items()
    ]
    (found,) = Contest(collect(rows), [*rows, *errors]).standings()
    return found.best.algorithm, found.runner_up.algorithm, found.verdict, found.more_runs


def test_the_fastest_is_one_when_each_other_is_shown_to_be_slower():
    def twice(run):
        return 2 + run / 1e3

    def same(run):
        return 1.01 + run / 1e4

    def noisy(run):
        return 1.3 + 0.35 * (-1) ** run

    def one(run):
        return 1 + run % 3 / 1e3

    assert standing({"a": one, "b": twice}) == ("a", "b", "VIOLATED", None)
    assert standing({"a": one, "b": same}) == ("a", "b", "HOLDS", None)
    best, _, verdict, more = standing({"a": one, "b": twice, "c": noisy})
    assert (best, verdict) == ("a", "UNDECIDED"), "not all others are slower in pairs"
    assert more
    proven = standing({"a": one, "b": same, "c": noisy, "d": twice})
    assert proven[2:] == ("HOLDS", None), "no runs of c can show that b is slower"
    assert standing({"a": one, "b": twice}, runs=3)[2:] == ("UNDECIDED", 2), "three show nothing"
    wrong = {**sample("bcast", "a", 8, 1, 0), "kind": "error", "message": "wrong result"}
    assert standing({"a": one, "b": twice, "c": noisy}, errors=[wrong])[0] == "c"
    for other, verdict in ((same, "HOLDS"), (noisy, "UNDECIDED"), (twice, "INVALID")):
        found = standing({"a": one, "b": other, "c": twice}, apart="c")
        assert found[2] == verdict, "c shares no run with a"


def test_a_wrong_result_is_one_of_its_datatype_and_library_alone():
    kinds = [("int", "Sham 1.0"), ("double", "Sham 1.0"), ("int", "Other 2")]
    rows = [
        sample("bcast", name, 100, run, time, datatype=datatype, library=library, cold=False)
        for run in range(1, 7)
        for datatype, library in kinds
        for name, time in (("native", 10 + run / 1e4), ("lane", 5))
    ]
    rows.append({**sample("bcast", "lane", 100, 1, 0, datatype="double", cold=False),
                 "kind": "error", "message": "wrong result on rank 1"})  # fmt: skip
    found = {
        (each.axes["datatype"], each.axes["library"]): each.verdict
        for each in judge_rows(rows)
        if each.guideline == "native <= lane"
    }
    assert found == dict(zip(kinds, ("VIOLATED", "INVALID", "VIOLATED"), strict=True))


@pytest.mark.parametrize("runs", [51, 60, 200])
def test_many_runs_have_a_confidence_too(runs):
    rng = np.random.default_rng(1)
    found = estimate(rng.normal(0, 0.1, runs).tolist(), 0.05, 0.05)
    assert 0.9 <= found.confidence < 0.905
    assert found.low < found.ratio < found.high


def test_advice_after_many_runs_is_quick_and_valid():
    rows = [
        sample("bcast", name, 8, run, time)
        for run in range(1, 56)
        for name, time in (("native", 10 * (1.05 + 0.3 * (-1) ** run)), ("lane", 10))
    ]
    for finding in judge_rows(rows):
        json.dumps(finding.to_json(), allow_nan=False)
