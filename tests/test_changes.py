# SPDX-License-Identifier: BSD-3-Clause
"""Two measurements side by side: is the new one slower than the old one?"""

import json
import math
import random
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from commands import laneway
from laneway.cli import cli
from laneway.commands.changed import exit_code
from laneway.guideline import Terms
from laneway.guideline.unpaired import _null, differences, least_runs
from laneway.libraries import native
from laneway.results.changes import changes
from laneway.results.measurements import sound


def rows(times, library="Sham 1.0", **facts):
    """Samples by collective, a run for each of its times."""
    return [
        {
            "kind": "sample", "collective": name, "algorithm": "native", "count": 256,
            "datatype": "int", "bytes": 1024, "nodes": 2, "ppn": 4, "lanes": None,
            "library": library, "binding": "all", "run": run, "time_us": time, **facts,
        }
        for name, own in times.items()
        for run, time in enumerate(own, 1)
    ]  # fmt: skip


def changed(old, new):
    return changes(sound(old), sound(new), Terms())


def verdicts(old, new):
    return {each.key.collective: str(each.difference.change) for each in changed(old, new).cases}


AS_IT_WAS = [100.0, 101.0, 102.0, 103.0, 104.0]
JUST_AS_FAST = [100.5, 101.5, 102.5, 103.5, 99.5]


def test_runs_of_both_sides_decide():
    old = rows(dict.fromkeys(("bcast", "reduce", "scan", "gather"), AS_IT_WAS))
    new = rows({
        "bcast": [1.3 * time for time in AS_IT_WAS], "reduce": [0.7 * time for time in AS_IT_WAS],
        "scan": JUST_AS_FAST, "gather": [80.0, 95.0, 105.0, 120.0, 140.0],
    })  # fmt: skip
    assert verdicts(old, new) == {
        "bcast": "SLOWER", "reduce": "FASTER", "scan": "NO SLOWER", "gather": "UNDECIDED",
    }  # fmt: skip
    slower = next(each for each in changed(old, new).cases if each.key.collective == "bcast")
    own = slower.difference
    assert own.low <= own.ratio <= own.high
    assert own.ratio == pytest.approx(1.3, rel=0.01)


def test_libraries_that_differ_are_compared_and_what_only_one_has_is_counted():
    old = rows({"bcast": AS_IT_WAS, "scan": AS_IT_WAS}, "Open MPI 4.1.4")
    new = rows({"bcast": AS_IT_WAS, "reduce": AS_IT_WAS}, "Open MPI 5.0.3")
    found = changed(old, new)
    assert [each.key.collective for each in found.cases] == ["bcast"]
    assert (found.only_old, found.only_new) == (1, 1)
    elsewhere = rows({"bcast": AS_IT_WAS}, "Open MPI 5.0.3", nodes=4)
    assert not changed(old, elsewhere).cases, "another shape is another case"


def test_what_is_fast_and_wrong_is_not_faster():
    old, new = rows({"bcast": AS_IT_WAS}), rows({"bcast": [time / 2 for time in AS_IT_WAS]})
    wrong = {"kind": "error", "collective": "bcast", "algorithm": "native", "count": 256,
             "message": "rank 3 has 7 in place of 8"}  # fmt: skip
    found = changed(old, [*new, wrong])
    assert found.cases == []
    (why,) = found.wrong.values()
    assert "rank 3 has 7" in why
    assert exit_code(found) == 1


def test_few_runs_say_that_they_can_never_decide():
    (one,) = changed(rows({"bcast": [1.0]}), rows({"bcast": [9.0]})).cases
    assert one.difference.reason == "one run each: nothing can be said"
    assert str(one.difference.change) == "UNDECIDED"
    (two,) = changed(rows({"bcast": [1.0, 1.1]}), rows({"bcast": [9.0, 9.1]})).cases
    assert "2 and 2 runs can never decide: the least p-value is 1/6; take 3" in (
        two.difference.reason
    )
    assert least_runs(Terms().alpha) == 3


def test_the_distribution_is_that_of_all_orders():
    for old, new in ((1, 1), (2, 3), (4, 2), (4, 4)):
        sums = [
            sum(chosen) - old * (old - 1) // 2 for chosen in combinations(range(old + new), old)
        ]
        counted = [sums.count(value) for value in range(old * new + 1)]
        assert list(_null(old, new)) == pytest.approx([each / len(sums) for each in counted])


def test_what_has_not_changed_is_rarely_called_slower():
    chance = random.Random(7)  # noqa: S311 - times, no secrets

    def run():
        return 100 * math.exp(chance.gauss(0, 0.1))

    sides = [([run() for _ in range(6)], [run() for _ in range(6)]) for _ in range(200)]
    wrong = [each for each in differences(sides, Terms(margin=0)) if str(each.change) == "SLOWER"]
    assert len(wrong) <= 10


def test_equal_times_are_no_slower():
    same = [100.0] * 6
    (one,) = differences([(same, same)], Terms())
    assert str(one.change) == "NO SLOWER"
    assert one.ratio == 1


def written(folder, rows):
    folder.mkdir()
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(folder)


@pytest.fixture
def sides(tmp_path):
    old = written(tmp_path / "old", rows({"bcast": AS_IT_WAS, "scan": AS_IT_WAS}, "Sham 1.0"))
    slow = [1.3 * time for time in AS_IT_WAS]
    new = written(tmp_path / "new", rows({"bcast": slow, "scan": JUST_AS_FAST}, "Sham 2.0"))
    return old, new


def run(*words):
    return CliRunner().invoke(cli, [*words])


def test_compare_of_two_folders_answers_in_sentences(sides):
    old, new = sides
    said = run("compare", old, new)
    assert said.exit_code == 1, said.output
    assert f"Old: {old} (Sham 1.0); new: {new} (Sham 2.0)." in said.stdout
    assert (
        f"{new} is slower than {old} in 1 of 2 cases, most in bcast of 1 KiB: it takes 1.30 times "
        "as long (1.27 to 1.33)." in said.stdout
    )
    assert f"{new} is not slower by 5% in 1 case." in said.stdout
    assert "Runs of different jobs are no pairs" in said.stdout
    assert said.stdout.splitlines()[-1] == f"to see both: laneway report {old} {new}"
    assert run("compare", new, old).exit_code == 0
    lines = [*map(json.loads, run("compare", old, new, "--json").stdout.splitlines())]
    assert [(each["kind"], each["collective"], each["verdict"]) for each in lines] == [
        ("difference", "bcast", "SLOWER"), ("difference", "scan", "NO SLOWER"),
    ]  # fmt: skip
    assert run("compare", "--csv", old, new).stdout.startswith("kind,collective,")


def test_a_report_of_two_ends_with_the_same_sentences(sides):
    old, new = sides
    said = run("report", old, new, "--table")
    assert said.exit_code == 0, said.output
    assert "New against old" in said.stdout
    assert f"{new} is slower than {old} in 1 of 2 cases" in said.stdout
    assert "is slower than" not in run("report", old, "--table").stdout


def test_a_report_of_two_has_the_differences_as_rows(sides):
    said = run("report", *sides, "--json")
    assert said.exit_code == 0, said.output
    rows = [json.loads(line) for line in said.stdout.splitlines()]
    compared = [json.loads(line) for line in run("compare", *sides, "--json").stdout.splitlines()]
    assert [row for row in rows if row.get("kind") == "difference"] == compared


def test_nothing_in_common_is_said(sides, tmp_path):
    other = written(tmp_path / "other", rows({"gather": AS_IT_WAS}))
    said = run("compare", sides[0], other)
    assert said.exit_code == 2
    assert "2 cases left out: only" in said.stdout
    assert "nothing to compare: no collective was measured on both sides" in said.stderr
    one = run("compare", sides[0])
    assert one.exit_code == 2


# ---- which form is meant -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("--alpha", "0.1", "OLD", "NEW"),
        ("OLD", "NEW", "--alpha", "0.1"),
        ("OLD", "--alpha=0.1", "NEW"),
        ("--margin", "0.05", "--json", "OLD", "NEW", "--alpha", "0.1"),
    ],
)
def test_options_may_stand_before_the_folders(sides, words):
    typed = [dict(zip(("OLD", "NEW"), sides, strict=True)).get(word, word) for word in words]
    said = run("compare", *typed)
    assert said.exit_code == 1, said.output
    assert "SLOWER" in said.stdout
    assert run("compare", *typed, "--alpha", "0.5000").exit_code == 2, "options are checked"


def test_without_a_word_nothing_is_meant():
    assert run("compare", "--help").exit_code == 0
    assert "no file or folder" not in run("compare", "--alpha", "0.1").output


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_without_a_measurement_is_none_of_two(here):
    for name in ("alltoallv", "barrier2"):
        (here / name).mkdir()
    (here / "notes").write_text("bcast is slow\n")
    for first in ("alltoallv", "barrier2", "notes"):
        said = run("compare", first, "no_collective")
        assert "does not exist" not in said.output
        assert "holds no rows" not in said.output


def test_a_measurement_is_one_by_whatever_name(here):
    for name in ("alltoallv", "monday"):
        written(here / name, rows({"bcast": AS_IT_WAS}))
    (here / "file").write_text((here / "monday" / "rows.jsonl").read_text())
    for old in ("alltoallv", "file", "./monday", "monday/rows.jsonl"):
        said = run("compare", old, "monday")
        assert said.exit_code == 0, said.output
        assert f"Old: {Path(old)} " in said.stdout
    written(here / "bcast", rows({"bcast": AS_IT_WAS}))
    assert "Old: " not in run("compare", "bcast", "monday", "--cluster", "none").stdout
    assert run("compare", "./bcast", "monday").exit_code == 0
    assert "'nosuch' does not exist" in run("compare", "nosuch", "monday").stderr
    assert "'no/such' does not exist" in run("compare", "no/such", "monday").stderr


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_what_is_no_collective_could_be_meant_as_a_folder(here):
    (here / "empty").mkdir()
    for first in ("nosuch", "empty", "bcats"):
        said = laneway("compare", first, "other", "--cluster", "none", cwd=here)
        assert said.returncode == 2
        assert f"unknown collective '{first}'" in said.stderr
        assert "laneway: no file or folder with a measurement, and an unknown" in said.stderr
    assert "did you mean bcast or ibcast?" in said.stderr
