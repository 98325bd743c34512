# SPDX-License-Identifier: BSD-3-Clause
"""`laneway verify --against OLD`: whether times are what they were, held against known truth."""

import itertools
import json
import math
import random
import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import campaigns
from campaigns import environment, heading, sample
from commands import laneway
from jobs import BUILDS
from laneway.campaign import Folder
from laneway.campaign.task import meaning
from laneway.commands.shared import against
from laneway.guideline.change import ChangeVerdict, changes
from laneway.guideline.judge import Terms
from laneway.guideline.statistics import ONE_RUN
from laneway.guideline.unpaired import least_runs, p_value, shifts
from laneway.plans.again import Earlier, OtherLauncher, again
from laneway.rows import CaseKey
from laneway.tuning.progress import Tuning
from laneway.tuning.stage import Stage, TuningPoint

ONE_BUILD = BUILDS[:1]


def key(count):
    return CaseKey("bcast", "lane", count, "int", 4 * count, 4, 4, 2, "Sham 1.0", "lane")


def drawn(rng, factors, *, runs=8, noise=0.03):
    """Cases, each with medians of runs then and now, which takes a factor of then's time."""

    def times(middle):
        return {run: middle * rng.lognormal(0, noise) for run in range(1, runs + 1)}

    return [(key(number), times(1000.0), times(1000.0 * factor))
            for number, factor in enumerate(factors, 1)]  # fmt: skip


# ---- the statistic -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_what_is_as_it_was_does_not_fail_and_what_is_slower_does_not_pass(seed):
    found = changes(drawn(np.random.default_rng(seed), [1.0] * 60 + [1.2] * 60), Terms(), {})
    same, slower = found[:60], found[60:]
    assert sum(each.verdict is ChangeVerdict.FAIL for each in same) <= 3
    assert sum(each.verdict is ChangeVerdict.PASS for each in slower) == 0
    assert sum(each.verdict is ChangeVerdict.FAIL for each in slower) >= 55
    assert sum(each.verdict is ChangeVerdict.PASS for each in same) >= 30


def test_the_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(7)
    sides = [(rng.lognormal(0, 0.1, 6), 1.1 * rng.lognormal(0, 0.1, 5)) for _ in range(800)]
    found, *_ = shifts(sides, Terms())
    covered = np.mean([each.low <= 1.1 <= each.high for each in found])
    assert covered == pytest.approx(found[0].confidence, abs=0.03)
    assert found[0].confidence >= 0.9


def test_p_values_are_those_of_all_ways_to_divide_the_runs():
    before, now, margin = [10.0, 11.0, 12.5], [11.4, 13.0, 14.0, 15.0], 0.05
    ((found,), *_) = shifts([(before, now)], Terms(margin))
    pooled = [*before, *(value / (1 + margin) for value in now)]
    count = sum(b > a for a, b in itertools.product(pooled[:3], pooled[3:]))
    larger = [
        sum(b > a for a, b in itertools.product(
            [pooled[i] for i in chosen], [v for i, v in enumerate(pooled) if i not in chosen]))
        for chosen in itertools.combinations(range(7), 3)
    ]  # fmt: skip
    assert found.p_slower == pytest.approx(sum(each >= count for each in larger) / len(larger))
    assert found.p_kept == pytest.approx(sum(each <= count for each in larger) / len(larger))
    ratios = sorted(b / a for a, b in itertools.product(before, now))
    assert found.ratio == pytest.approx(math.sqrt(ratios[5] * ratios[6]))


@pytest.mark.parametrize(("old", "new"), [(1, 1), (1, 4), (3, 2), (6, 5)])
def test_exact_p_values_are_those_of_scipy(old, new):
    rng = np.random.default_rng(old + new)
    for _ in range(5):
        left, right = rng.normal(0.3, 1, old), rng.normal(0, 1, new)
        for way in ("greater", "less"):
            known = stats.mannwhitneyu(left, right, alternative=way, method="exact").pvalue
            assert p_value(left, right, way) == pytest.approx(known, rel=1e-12)


def test_of_one_run_each_nothing_can_be_said():
    (found,) = changes([(key(1), {1: 10.0}, {1: 99.0})], Terms(), {})
    assert (found.verdict, found.reason, found.shift.confidence) == (
        ChangeVerdict.UNDECIDED,
        ONE_RUN,
        0.0,
    )


def test_runs_that_tie_are_judged():
    same = [(key(1), dict.fromkeys(range(8), 10.0), dict.fromkeys(range(8), 10.0))]
    assert changes(same, Terms(), {})[0].verdict is ChangeVerdict.PASS
    assert [least_runs(alpha) for alpha in (0.5, 0.05, 0.001)] == [1, 3, 7]


# ---- the command ---------------------------------------------------------------------------------


def measured(folder, factor=1.0, *, runs=8, seed=1, **more):
    """Three sizes by two algorithms; `factor` slows `lane` at the largest down."""
    generator = random.Random(seed)  # noqa: S311 - noise, not secrets
    library = more.get("library", "Open MPI 4.1.4")
    rows = [heading()]
    for run in range(1, runs + 1):
        rows.append(environment(run, library=library))
        for algorithm, count in itertools.product(("native", "lane"), (16, 256, 4096)):
            slow = factor if (algorithm, count) == ("lane", 4096) else 1.0
            time = slow * (1000 + count) * generator.uniform(0.99, 1.01)
            rows.append(sample("bcast", algorithm, count, run, time, **more))
    return campaigns.write(folder, rows)


def verify(old, *new):
    return laneway("verify", "--against", old, *new)


def test_what_is_as_it_was_passes(tmp_path):
    old, new = measured(tmp_path / "old"), measured(tmp_path / "new", seed=2)
    said = verify(old, new)
    assert said.returncode == 0, said.stdout + said.stderr
    assert said.stdout.count(" PASS ") == 6
    assert said.stdout.splitlines()[-1] == f"PASS: 6 cases as on 2026-01-01, {old}."
    assert "not slower by 5% (the margin)" in said.stdout


def test_what_is_slower_fails_by_size(tmp_path):
    old, new = measured(tmp_path / "old"), measured(tmp_path / "new", 1.3, seed=2)
    said = verify(old, new)
    assert said.returncode == 1
    (line,) = [
        line for line in said.stdout.splitlines() if line.startswith(" bcast") and "FAIL" in line
    ]
    assert line.split()[:4] == ["bcast", "lane", "4096", "16"]
    last = said.stdout.splitlines()[-1]
    assert last.startswith("FAIL: bcast of 16 KiB by lane takes 1.3")
    assert last.endswith("as on 2026-01-01; 1 of 6 cases fail, 5 pass.")
    rows = [json.loads(line) for line in laneway(
        "verify", "--against", old, new, "--json").stdout.splitlines()]  # fmt: skip
    assert {row["kind"] for row in rows} == {"change"}
    (slower,) = [row for row in rows if row["verdict"] == "FAIL"]
    assert (slower["collective"], slower["algorithm"], slower["bytes"]) == ("bcast", "lane", 16384)
    assert slower["low"] < slower["ratio"] < slower["high"]
    assert slower["runs_before"] == slower["runs_now"] == 8
    assert laneway("verify", "--against", old, new, "--margin", 0.5).returncode == 0
    assert laneway("verify", "--against", old, new, "--algorithm", "native").returncode == 0


def test_one_run_each_is_undecided(tmp_path):
    said = verify(measured(tmp_path / "old", runs=1), measured(tmp_path / "new", 9.0, runs=1))
    assert said.returncode == 3
    assert said.stdout.splitlines()[-1] == f"UNDECIDED: 0 of 6 cases pass, none fails; {ONE_RUN}."


@pytest.mark.parametrize(
    ("command", "lines"),
    [("laneway compare bcast", 1), ("laneway verify --against old", 1), ("laneway tune", 0)],
)
def test_where_more_runs_would_decide_the_command_stands_there(command, lines, tmp_path):
    old, new = measured(tmp_path / "old", runs=2), measured(tmp_path / "new", runs=2, seed=2)
    facts = {"format": 1, "command": command, "runs": 2}
    (new / "manifest.json").write_text(json.dumps(facts))
    said = verify(old, new)
    assert said.returncode == 3
    found = [each for each in said.stdout.splitlines() if each.startswith("to add runs of now: ")]
    assert len(found) == lines
    more = re.search(r"(\d+) runs of each side decide", said.stdout)
    again = "" if "verify" in command else f" && laneway verify --against {old} {new}"
    for line in found:
        assert line == (
            f"to add runs of now: laneway campaign resume --runs {more[1]} {new}{again}"
        ), "verify says by itself what it has found then"
    assert said.stdout.splitlines()[-1].startswith("UNDECIDED: ")
    both = verify(old, new, measured(tmp_path / "third", runs=1, seed=3))
    assert "to add runs" not in both.stdout, "which of them is to have more?"


def test_another_version_of_the_library_is_told_and_compared(tmp_path):
    old = measured(tmp_path / "old")
    said = verify(old, measured(tmp_path / "new", seed=2, library="Open MPI 5.0.1"))
    assert said.returncode == 0
    assert "libraries were Open MPI 4.1.4, are Open MPI 5.0.1" in said.stdout


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"library": "MPICH 4.0.2"}, "now MPICH 4.0.2 on 4 nodes x 4 ranks"),
        (
            {"nodes": 2, "ppn": 8},
            "then Open MPI 4.1.4 on 4 nodes x 4 ranks, now Open MPI 4.1.4 on 2 nodes x 8 ranks",
        ),
    ],
)
def test_where_nothing_is_alike_that_is_a_mistake(tmp_path, other, told):
    said = verify(measured(tmp_path / "old"), measured(tmp_path / "new", **other))
    assert said.returncode == 2
    assert told in said.stderr


def test_cases_that_are_missing_are_told(tmp_path):
    old, new = measured(tmp_path / "old"), measured(tmp_path / "new", seed=2)
    rows = [json.loads(line) for line in (new / "rows.jsonl").read_text().splitlines()]
    campaigns.write(new, [row for row in rows if row.get("algorithm") != "lane"])
    said = verify(old, new)
    assert said.returncode == 0
    assert "3 cases of 2026-01-01 not measured now: bcast by lane" in said.stdout


def test_a_wrong_result_fails(tmp_path):
    old, new = measured(tmp_path / "old"), measured(tmp_path / "new", seed=2)
    rows = [json.loads(line) for line in (new / "rows.jsonl").read_text().splitlines()]
    wrong = {"kind": "error", "collective": "bcast", "count": 16, "algorithm": "lane",
             "message": "rank 3 has 7 in place of 8"}  # fmt: skip
    campaigns.write(new, [*rows, wrong])
    said = verify(old, new)
    assert said.returncode == 1
    assert "bcast of 64 B by lane wrong result: rank 3" in said.stdout.splitlines()[-1]


def test_a_wrong_result_of_another_library_or_shape_fails_nothing(tmp_path):
    old, new = measured(tmp_path / "old"), measured(tmp_path / "new", seed=2)
    rows = [json.loads(line) for line in (new / "rows.jsonl").read_text().splitlines()]
    wrong = {"kind": "error", "collective": "bcast", "count": 16, "algorithm": "lane",
             "message": "rank 3 has 7 in place of 8"}  # fmt: skip
    others = [{**wrong, "library": "MPICH 4.0.2"}, {**wrong, "nodes": 2, "ppn": 2}]
    campaigns.write(new, [*rows, *others])
    assert "wrong result" not in verify(old, new).stdout


def test_a_file_that_is_no_measurement_is_not_taken_for_its_folder(tmp_path):
    old, new = measured(tmp_path / "old"), measured(tmp_path / "new", seed=2)
    (old / "other.jsonl").write_text((old / "rows.jsonl").read_text())
    said = verify(old / "other.jsonl", new)
    assert said.returncode == 2
    assert "name the folder" in said.stderr


@pytest.mark.parametrize("content", [None, "", "{}\n"])
def test_what_holds_no_measurement_is_a_mistake(tmp_path, content):
    folder = tmp_path / "old"
    if content is not None:
        folder.mkdir()
        (folder / "rows.jsonl").write_text(content)
    said = verify(folder, measured(tmp_path / "new"))
    assert said.returncode == 2
    assert str(folder) in said.stderr


def test_guidelines_are_another_question(tmp_path):
    old = measured(tmp_path / "old")
    said = laneway("verify", "--against", old, old, "--guideline", "monotony")
    assert said.returncode == 2
    assert "--guideline goes without --against" in said.stderr


def test_what_others_have_measured_cannot_be_measured_again(tmp_path):
    old = measured(tmp_path / "old")
    (old / "manifest.json").write_text(json.dumps({"format": 1, "files": ["a"], "runs": 1}))
    said = verify(old)
    assert said.returncode == 2
    assert f"laneway verify --against {old} NEW" in said.stderr


def test_of_a_tuning_it_is_what_was_confirmed(tmp_path):
    for shape in ("4x4", "2x4"):
        tuning = Tuning.begin(tmp_path / shape, {"mpi": "openmpi-4.1"})
        for name in ("screen", "confirm", "check"):
            stage = Stage(name, {TuningPoint("bcast", 64): ("lane",)}, 0.1, 6)
            tuning.add(stage)
            measured(tuning.of(stage))
    found = [folder.path for folder in against.campaigns(tmp_path)]
    assert found == [tmp_path / "2x4" / "2-confirm", tmp_path / "4x4" / "2-confirm"]
    assert against.campaigns(tmp_path / "4x4")[0].path == tmp_path / "4x4" / "2-confirm"


@pytest.mark.parametrize(
    ("rates", "wanted"),
    [
        ({}, ({"rate": campaigns.RATE, "lane_rates": ()}, ())),
        ({"rates": [[200, 100]] * 2}, ({"rate": campaigns.RATE, "lane_rates": (200, 100)}, ())),
        ({"rates": [[200, 200], [200, 20]]}, ({}, ((200, 200), (200, 20)))),
    ],
)
def test_lanes_are_those_of_then(rates, wanted):
    cluster = {"name": "then", "rate": campaigns.RATE, "lanes": 2, **rates}
    rows = [environment(1, task="a", cluster=cluster),
            sample("bcast", "native", 16, 1, 9.0, launch=0, block="b", binding="lane")]  # fmt: skip
    folder = SimpleNamespace(manifest={"blocks": {"a": []}, "runs": 1}, rows=lambda: rows)
    found = Earlier(folder).wanted("a", OtherLauncher())
    assert (dict(found.pace), found.rates) == wanted


@pytest.mark.parametrize("build", ONE_BUILD)
def test_the_same_points_are_measured_again(build, tmp_path):
    words = ["compare", "bcast", "-m", "64,4K", "--algorithm", "binomial,chain(segment=1K)",
             "--mpi", build.id, "--cluster", "none", "--nodes", 1, "--ppn", 2, "--runs", 2,
             "--time", 0.02, "--out", tmp_path / "old"]  # fmt: skip
    assert laneway(*words).returncode == 0
    old = Folder(tmp_path / "old")
    with again([old], OtherLauncher(), print) as plan:
        assert plan.runs == 2
        before, now = old.manifest["blocks"], meaning(plan)["blocks"]
        assert before.keys() == now.keys()
        points = [[sorted(line.split()[:-1] for line in own) for own in each.values()]
                  for each in (before, now)]  # fmt: skip
        assert points[0] == points[1]
    said = laneway("verify", "--against", old, "--json", cwd=tmp_path)
    rows = [json.loads(line) for line in said.stdout.splitlines()]
    assert said.returncode in (0, 1, 3), said.stderr
    assert not [row for row in rows if row["kind"] != "change"]
    assert {(row["algorithm"], row["bytes"]) for row in rows} == {
        *itertools.product(("native", "binomial", "chain(segment=1K)"), (64, 4096))
    }
    (new,) = (tmp_path / "laneway-results").iterdir()
    more = laneway("campaign", "resume", "--runs", 3, new, "--json", cwd=tmp_path)
    assert more.returncode in (0, 1, 3), more.stderr
    rows = [json.loads(line) for line in more.stdout.splitlines()]
    assert {(row["runs_before"], row["runs_now"]) for row in rows} == {(2, 3)}
