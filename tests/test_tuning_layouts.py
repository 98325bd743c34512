# SPDX-License-Identifier: BSD-3-Clause
"""`laneway tune --layout`: vector collectives tuned for blocks that differ."""

from dataclasses import replace

import pytest

import commands
from imagined import SIZES, TUNED, Imagined, one_library, sample
from laneway.commands.shared import tunings
from laneway.errors import Misuse
from laneway.launching.place import Place, Setting
from laneway.results.measurements import Measured
from laneway.tuning import race
from laneway.tuning.budget import RUNS
from laneway.tuning.costs import Costs
from laneway.tuning.progress import Tuning
from laneway.tuning.stage import Stage, StagePlan, TuningPlace, TuningPoint, hopeful
from laneway.tuning.tuner import Tuner

LAYOUTS = ("equal", "ramp")
POINT = TuningPoint("allgatherv", 1024)


def place(build, layouts=LAYOUTS):
    return TuningPlace(build, Setting(Place(4, 4), 2, "lane"), layouts)


@one_library
def test_a_point_of_a_vector_collective_is_measured_with_each_layout(build):
    points = {POINT: ("lane",), TuningPoint("bcast", 64): ("lane",)}
    stage = Stage("screen", points, 0.02, RUNS["screen"])
    (task,) = StagePlan(place(build), stage).tasks(1)
    asked = [(block.options["collective"], block.options.get("layout")) for block in task.blocks]
    assert sorted(asked, key=str) == [
        ("allgatherv", "equal"),
        ("allgatherv", "ramp"),
        ("bcast", None),
    ]


@one_library
def test_contestants_are_those_of_any_layout(build):
    assert {*hopeful(POINT, place(build, ("equal",)))} <= {*hopeful(POINT, place(build))}


@one_library
def test_a_point_takes_as_long_as_its_layouts_together(build):
    known = {POINT: {"native": 1e6}}
    chosen = {POINT: ("lane",)}
    one = Costs(known).of(chosen)
    assert Costs(known, place(build).cases).of(chosen) == pytest.approx(2 * one)
    assert place(build).cases("bcast") == 1


def rows(times):
    """Samples of three runs: microseconds by layout and contestant."""
    return [
        {**sample(POINT, name, "lane", run, time), "layout": layout}
        for layout, field in times.items()
        for name, time in field.items()
        for run in (1, 2, 3)
    ]


def test_the_race_goes_by_all_layouts_and_the_check_by_the_worst():
    times = {
        "equal": {"native": 100.0, "lane": 25.0, "tuned": 50.0, "ring": 10.0},
        "ramp": {"native": 400.0, "lane": 400.0, "tuned": 500.0},
    }
    summaries = Measured(rows(times)).summaries
    found = race.fields(summaries)[POINT]
    assert "ring" not in found, "not measured with all layouts"
    assert found["native"] == pytest.approx(200)
    assert found["lane"] == pytest.approx(100)
    assert race.least_ratios(summaries) == {POINT: pytest.approx(0.8)}


class WorseWhenLong(Imagined):
    """`lane` is slower than native for long blocks, unless these go straight."""

    def time(self, point, name, run):
        short = {"native": 100, "tuned": 50, "lane": 50, "lane(straight=16384)": 50}
        long = {"native": 100, "tuned": 101, "lane": 130, "lane(straight=16384)": 101}
        return (short if point.bytes <= 1024 else long).get(name, 200) * (1 + 0.001 * run)


@one_library
def test_an_algorithm_that_gains_at_some_sizes_and_loses_at_none_serves_all(build, tmp_path):
    points = [TuningPoint("gatherv", size) for size in SIZES]
    tuning = Tuning.begin(tmp_path, {"a": 1})
    own = Tuner(tuning, points, 600.0, place(build, ("equal",)), WorseWhenLong(), print)
    outcome = own.outcome(replace(TUNED, collectives=["gatherv"]))
    (rule,) = outcome.rules
    assert rule.algorithm == "lane(straight=16384)"
    assert outcome.profile.splitlines()[-2] == (
        "gatherv    nodes=4 ppn=4 lanes=2  use lane(straight=16384)"
    )
    assert outcome.failed == []


@one_library
def test_a_choice_says_what_decides_where_a_rule_cannot_ask_for_bytes(build):
    words = ("explain", "choice", "alltoallv", "--nodes", 4, "--ppn", 4, "--mpi", build.id)
    said = commands.laneway(*words, LANEWAY_ALGORITHM="alltoallv=lane(straight=64K)").stdout
    assert said.splitlines()[2] == (
        "a rule for all sizes; blocks of one node for another: up to 4K go by one lane, from 64K "
        "on go straight"
    )


@pytest.mark.parametrize(
    ("layout", "complaint"),
    [("file:counts.txt", "a file has counts of its own"), ("uneven", "uneven")],
)
def test_layouts_that_cannot_be_tuned_for(layout, complaint):
    outcome = commands.laneway("tune", "allgatherv", "--layout", layout)
    assert outcome.returncode == 2
    assert complaint in outcome.stderr


def test_a_tuning_goes_on_with_its_layouts_alone(tmp_path):
    asked = {
        "collectives": ("allgatherv",), "budget": 60, "min_bytes": 4, "max_bytes": 64, "mpi": None,
        "elsewhere": "ignore", "output": None, "install": False, "out": tmp_path, "report": None,
        "shapes": "one", "program": None,
    }  # fmt: skip
    setting = Setting(Place(2, 2), 2, None)

    def begun(layouts):
        options = tunings.TuneOptions(**asked, layouts=layouts)
        (part,) = tunings.parts(options, setting)
        return tunings.ShapeTuning(options, part, setting, alone=True)

    own = begun(LAYOUTS)
    own.tuning.add(Stage("screen", {}, 0.1, 1))
    begun(LAYOUTS)
    with pytest.raises(Misuse, match="begun with other options: --layout was"):
        begun(("ramp",))
