# SPDX-License-Identifier: BSD-3-Clause
"""`laneway tune`: what its race decides, its stages within a budget, and a whole run."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

import commands
import test_decisions_read
from imagined import TUNED, Imagined, one_library, tuner, written
from jobs import BUILDS
from laneway.campaign import Folder, Result
from laneway.choosing.profile import profile_text
from laneway.choosing.recommendation import Where
from laneway.cluster.spec import ClusterSpec
from laneway.collectives import WITH_VECTORS
from laneway.commands.shared import tunings
from laneway.errors import Misuse, Problem
from laneway.files import SEAL
from laneway.launching.place import Place, Setting
from laneway.libraries import profile
from laneway.libraries.registry import Algorithm, Tunable
from laneway.tuning import race
from laneway.tuning.bindings import verdicts
from laneway.tuning.budget import RUNS
from laneway.tuning.outcome import undecided
from laneway.tuning.progress import Tuning
from laneway.tuning.shapes import JobShape, ShapePart
from laneway.tuning.sizes import grid
from laneway.tuning.stage import Stage, StagePlan, TuningPlace, TuningPoint
from laneway.tuning.tuner import Tuner

CHAIN = Algorithm(
    *("bcast", "chain", "", "", "", "", "", ""),
    flat=True,
    tunables=(
        Tunable("segment", "bytes", 8192, 1, 16384, ""),
        Tunable("ahead", "segments", 1, 0, 8, ""),
    ),
)


def test_sizes_end_at_both_ends_and_count_all_blocks():
    assert [point.bytes for point in grid("bcast", 16, 1, 4 << 20)] == [
        *(4, 64, 1024, 16384, 262144, 4 << 20)
    ]
    assert [point.bytes for point in grid("alltoall", 16, 4, 4 << 20)][-1] == 256 << 10
    assert grid("barrier", 16, 4, 1 << 20) == [TuningPoint("barrier", 0)]
    assert [point.bytes for point in grid("bcast", 16, 1000, 1000)] == [512]
    assert grid("alltoall", 16, 1024, 8192) == [], "no block is as large"


def test_only_what_looks_faster_stays_in_the_race():
    field = {"native": 100.0, "lane": 50.0, "chain": 60.0, "ring": 98.0, "linear": 300.0}
    assert race.ranked(field) == ["lane", "chain"]
    assert race.survivors(field, 1.15, 4) == ["lane"]
    assert race.survivors(field, 1.5, 1) == ["lane"]
    assert race.survivors({"native": 1.0, "lane": 2.0}, 9, 9) == []


def test_of_an_algorithm_one_goes_on():
    field = {"native": 9.0, "chain(segment=4096)": 2.0, "chain": 2.1, "lane": 2.2}
    assert race.survivors(field, 2, 4) == ["chain(segment=4096)", "lane"]


def test_tunables_move_a_step_within_their_range():
    assert [*race.neighbours("chain", CHAIN, 4, 2)] == [
        *("chain(segment=16384)", "chain(segment=4096)", "chain(ahead=2)")
    ]
    assert [*race.neighbours("chain(segment=16384,ahead=8)", CHAIN, 4, 2)] == [
        *("chain(ahead=8)", "chain(segment=16384,ahead=4)")
    ]


def test_a_tunable_in_bytes_that_is_off_is_switched_on():
    straight = replace(CHAIN, tunables=(Tunable("straight", "bytes", 0, 0, 1 << 20, ""),))
    assert [*race.neighbours("chain", straight, 4, 2)] == [
        *("chain(straight=16384)", "chain(straight=131072)")
    ]
    assert [*race.neighbours("chain(straight=16384)", straight, 4, 2)] == [
        *("chain(straight=32768)", "chain(straight=8192)")
    ]


def test_where_a_rule_holds_at_all_sizes_the_race_goes_by_all_of_them():
    small, large = TuningPoint("gatherv", 64), TuningPoint("gatherv", 1024)
    other = TuningPoint("bcast", 64)
    found = {
        small: {"native": 100.0, "lane": 25.0, "ring": 10.0},
        large: {"native": 1000.0, "lane": 1000.0},
        other: {"native": 10.0, "ring": 5.0},
    }
    seen = race.as_rules_see(found)
    assert seen[small] == {"native": 100.0, "lane": pytest.approx(50)}
    assert seen[large] == {"native": 1000.0, "lane": pytest.approx(500)}
    assert seen[other] == found[other], "a rule that can ask for bytes"


def test_from_all_processes_of_a_node_the_step_is_to_one_a_lane_of_the_network():
    leaders = Tunable("leaders", "processes", 0, 0, 1 << 20, "")
    led = replace(CHAIN, tunables=(leaders,))
    assert [*race.neighbours("chain", led, 8, 2)] == ["chain(leaders=2)"]
    assert [*race.neighbours("chain", led, 8, 0)] == [], "unknown"
    assert [*race.neighbours("chain", led, 2, 2)] == [], "these are all"


@pytest.mark.parametrize(
    ("leaders", "ppn", "steps"),
    [(2, 8, [4, 1]), (1, 8, [2]), (4, 8, [0, 2]), (2, 4, [0, 1]), (2, 3, [0, 1])],
)
def test_more_than_half_of_a_node_as_leaders_are_followed_by_all(leaders, ppn, steps):
    led = replace(CHAIN, tunables=(Tunable("leaders", "processes", 9, 0, 1 << 20, ""),))
    found = race.neighbours(f"chain(leaders={leaders})", led, ppn, 2)
    assert [*found] == [f"chain(leaders={step})" for step in steps]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ({"lane": 2.0}, {"chain": 2.0}, ("lane", "chain")),
        ({"lane": 2.0}, {"lane": 2.0}, None),
        ({"lane": 20.0}, {"lane": 20.0}, None),
        ({"lane": 20.0}, {"lane": 2.0}, ("lane",)),
    ],
    ids=("another winner", "the same winner", "native at both", "native at one"),
)
def test_looks_between_sizes_where_the_winner_changes(low, high, expected):
    found = {
        TuningPoint("bcast", 64): {"native": 10.0, **low},
        TuningPoint("bcast", 1024): {"native": 10.0, **high},
    }
    between = race.between(found)
    assert between == ({TuningPoint("bcast", 256): expected} if expected else {})


def test_sizes_next_to_each_other_are_not_divided_again():
    found = {
        TuningPoint("bcast", 64): {"native": 10.0, "lane": 2.0},
        TuningPoint("bcast", 256): {"native": 10.0, "chain": 2.0},
    }
    assert race.between(found) == {}


def test_winners_of_neighbouring_sizes_are_confirmed_at_both():
    chosen = {
        TuningPoint("bcast", 4): ["a"],
        TuningPoint("bcast", 64): ["b", "c"],
        TuningPoint("bcast", 1024): ["d"],
        TuningPoint("scan", 64): ["e"],
    }
    assert race.with_neighbouring_winners(chosen) == {
        TuningPoint("bcast", 4): ("a", "b"),
        TuningPoint("bcast", 64): ("b", "a", "d", "c"),
        TuningPoint("bcast", 1024): ("d", "b"),
        TuningPoint("scan", 64): ("e",),
    }


def test_what_serves_without_a_profile_takes_part_if_it_looks_faster():
    field = {"native": 100.0, "a": 50.0, "b": 60.0, "c": 99.0}
    assert race.with_standing(["a", "d"], "b", field) == ("a", "b", "d")
    assert race.with_standing(["a", "b"], "b", field) == ("a", "b")
    assert race.with_standing([], "b", field) == ("b",)
    assert race.with_standing(["a"], "c", field) == ("a",), "slower than it is worth"
    assert race.with_standing(["a"], "native", field) == ("a",)


@one_library
def test_what_is_built_in_takes_part_in_every_stage(build, tmp_path):
    measure = Imagined(fast=("lane", "chain", "binomial", "two_tree", "lane_pipeline"))
    measure.times = {"lane_regular": 90.0}
    tuning = tuner(tmp_path, build, measure)
    point = TuningPoint("bcast", 16384)
    assert tuning.standing(point) == "lane_regular"
    tuning.outcome(TUNED)
    took_part = {plan.stage.name: plan.stage.contestants for plan in measure.plans}
    for name in ("screen", "race", "closer", "confirm"):
        assert "lane_regular" in took_part[name][point]


def test_what_is_left_open_is_said_nothing_of():
    points = [TuningPoint("bcast", size) for size in (64, 1024, 16384)]
    scan = [TuningPoint("scan", 4), TuningPoint("scan", 64)]
    assert undecided([*points, *scan], [points[1]]) == {"bcast": [(0, 63), (65, 16383)]}
    assert undecided([*points, *scan], points[:2]) == {"bcast": [(0, 16383)]}
    assert undecided([*points, *scan], [scan[1]])["scan"] == [(5, math.inf)]
    assert undecided(scan, scan) == {"scan": [(0, math.inf)]}
    assert undecided(scan, []) == {}
    assert undecided([TuningPoint("barrier", 0)], [TuningPoint("barrier", 0)]) == {
        "barrier": [(0, math.inf)]
    }


def rule(algorithm, least, most, *sizes):
    gains = [SimpleNamespace(bytes=size) for size in sizes]
    return SimpleNamespace(collective="bcast", algorithm=algorithm, least=least, most=most,
                           gains=gains, between=gains[0].bytes < least)  # fmt: skip


def test_between_sizes_with_different_rules_nothing_is_decided():
    points = [TuningPoint("bcast", size) for size in (4, 64, 1024, 4096)]
    apart = [rule("a", 4, 64, 4, 64), rule("b", 1024, 1024, 1024)]
    assert undecided(points, [], apart) == {"bcast": [(65, 1023)]}
    assert undecided(points, [points[3]], apart) == {"bcast": [(65, 1023), (1025, math.inf)]}
    bridged = [apart[0], rule("c", 65, 1023, 64, 1024), apart[1]]
    assert undecided(points, [], bridged) == {}
    over = [rule("a", 4, 1024, 4, 1024)]
    assert undecided(points, [points[1]], over) == {}, "a rule serves that"


def test_above_the_largest_size_with_a_rule_nothing_is_decided():
    points = [TuningPoint("bcast", 4), TuningPoint("bcast", 64), TuningPoint("barrier", 0)]
    assert undecided(points, [], [rule("a", 64, 64, 64)]) == {"bcast": [(65, math.inf)]}
    assert undecided(points, [], [rule("a", 4, 4, 4)]) == {}, "native is best at the largest"
    barrier = rule("a", 0, 0, 0)
    barrier.collective = "barrier"
    assert undecided(points, [], [barrier]) == {}


@one_library
def test_what_the_race_saw_counts_where_it_was_not_confirmed(build, tmp_path):
    """The fastest takes part in the last stage alone, and native is as fast there."""
    measure = Imagined(fast=("lane", "lane_regular"))

    def without_standing(plan, folder):
        found = measure(plan, folder)
        if plan.stage.name != "confirm":
            return found
        rows = []
        for row in found.rows:
            if row.get("bytes") == 16384 and row.get("algorithm") == "lane":
                rows.append({**row, "time_us": 100.0})
            elif row.get("bytes") != 16384 or row.get("algorithm") != "lane_regular":
                rows.append(row)
        return written(folder, rows)

    outcome = tuner(tmp_path, build, without_standing).outcome(TUNED)
    assert 16384 in [point.bytes for point in outcome.open]
    assert outcome.left["bcast"][-1] == (1025, math.inf), "what is built in is not forgotten"


def test_native_serves_besides_what_is_left_open():
    left = {"bcast": [(0, 63), (65, 16383)], "scan": [(0, math.inf)], "exscan": [(5, math.inf)]}
    names = ["allreduce", *left]
    assert replace(TUNED, collectives=names, left=left).elsewhere() == [
        "",
        "allreduce  nodes=4 ppn=4 lanes=2  use native",
        "undecided bcast nodes=4 ppn=4 lanes=2 bytes=..63",
        "undecided bcast nodes=4 ppn=4 lanes=2 bytes=65..16383",
        "bcast      nodes=4 ppn=4 lanes=2 bytes=64  use native",
        "bcast      nodes=4 ppn=4 lanes=2 bytes=16K..  use native",
        "undecided scan nodes=4 ppn=4 lanes=2",
        "undecided exscan nodes=4 ppn=4 lanes=2 bytes=5..",
        "exscan     nodes=4 ppn=4 lanes=2 bytes=..4  use native",
    ]


@one_library
def test_what_is_confirmed_is_a_rule_though_it_was_not_checked(build, tmp_path):
    measure = Imagined(fast=("lane", "lane_regular"))

    def without_check(plan, folder):
        found = measure(plan, folder)
        rows = [row for row in found.rows
                if plan.stage.name != "check" or row.get("bytes") != 16384]  # fmt: skip
        return written(folder, rows)

    outcome = tuner(tmp_path, build, without_check).outcome(TUNED)
    assert outcome.unchecked == [TuningPoint("bcast", 16384)]
    assert not outcome.open
    (last,) = (row for row in outcome.rows() if row["bytes"] == 16384)
    assert (last["checked_ratio"], last["runs"]) == (None, RUNS["confirm"])
    assert "bytes=1K..16K  use lane" in outcome.profile


@one_library
def test_what_is_open_is_left_to_what_serves_without_the_profile(build, tmp_path):
    """Lane looks faster at two sizes, and there was no time to confirm it at the larger one."""
    measure = Imagined()

    def without_confirmation(plan, folder):
        found = measure(plan, folder)
        rows = [row for row in found.rows
                if plan.stage.name != "confirm" or row.get("bytes") != 16384]  # fmt: skip
        return written(folder, rows)

    outcome = tuner(tmp_path, build, without_confirmation).outcome(TUNED)
    assert 16384 in [point.bytes for point in outcome.open]
    assert outcome.left == {"bcast": [(0, 63), (1025, math.inf)]}
    rows = [*outcome.undecided_rows(Where("Open MPI 4.1.4", 4, 4, 2))]
    assert [(row["bytes"], row["most_bytes"], row["algorithm"]) for row in rows] == [
        *((0, 63, None), (1025, None, None))
    ]
    assert "bytes=64..1K  use native" in outcome.profile
    assert "bytes=1K  use lane" in outcome.profile


def test_what_serves_as_many_sizes_as_possible_is_confirmed():
    fields = {
        TuningPoint("bcast", 4): {"native": 100.0, "a": 50.0, "b": 52.0},
        TuningPoint("bcast", 64): {"native": 100.0, "b": 51.0, "a": 50.0, "c": 49.0},
        TuningPoint("bcast", 1024): {"native": 100.0, "b": 30.0, "a": 60.0, "d": 29.0},
        TuningPoint("bcast", 4096): {"native": 100.0, "a": 120.0},
        TuningPoint("bcast", 9999): {"native": 100.0, "a": 60.0},
        TuningPoint("scan", 64): {"native": 100.0, "a": 50.0, "e": 40.0},
    }
    assert race.serving(fields) == {
        TuningPoint("bcast", 4): ["b", "a"],
        TuningPoint("bcast", 64): ["b", "c", "a"],
        TuningPoint("bcast", 1024): ["b", "d", "a"],
        TuningPoint("bcast", 4096): [],
        TuningPoint("bcast", 9999): ["a"],
        TuningPoint("scan", 64): ["e", "a"],
    }


def test_a_stage_is_read_as_it_was_kept():
    point = TuningPoint("bcast", 64)
    names = ("lane", "chain(segment=4096)")
    stage = Stage("race", {point: names}, 0.02, 2)
    assert Stage.of_json(json.loads(json.dumps(stage.to_json()))) == stage


@one_library
def test_rules_for_what_is_confirmed_and_nothing_else(build, tmp_path):
    outcome = tuner(tmp_path, build, Imagined()).outcome(TUNED)
    (rule,) = outcome.rules
    assert (rule.algorithm, rule.least, rule.most) == ("lane", 1024, 16384)
    assert outcome.profile.splitlines()[:1] == ["laneway profile 1"]
    told = [line for line in outcome.profile.splitlines() if not line.startswith("#")]
    assert [*filter(None, told)] == [
        "laneway profile 1",
        "library Open MPI 4.1.4",
        "shape nodes=4 ppn=4 lanes=2",
        "elsewhere use",
        "lanes 2",
        "undecided bcast nodes=4 ppn=4 lanes=2 bytes=..63",
        "undecided bcast nodes=4 ppn=4 lanes=2 bytes=16385..",
        "bcast      nodes=4 ppn=4 lanes=2 bytes=64..16K  use native",
        "bcast      nodes=4 ppn=4 lanes=2 bytes=1K..16K  use lane",
    ]
    assert not outcome.failed
    assert {point.bytes for point in outcome.checked} == {1024, 16384}


@one_library
def test_what_does_not_hold_end_to_end_is_taken_back(build, tmp_path):
    outcome = tuner(tmp_path, build, Imagined(tuned=110.0)).outcome(TUNED)
    assert outcome.rules == []
    assert "use lane" not in outcome.profile, "native is what is left"
    assert {point.bytes for point in outcome.failed} == {1024, 16384}


@one_library
def test_a_profile_is_written_for_whatever_was_confirmed(build, tmp_path):
    measure = Imagined()
    broken = tuner(tmp_path, build, measure)

    def without_check(plan, folder):
        found = measure(plan, folder)
        if plan.stage.name == "check":
            (folder / "rows.jsonl").write_text('{"kind": "end", "seconds": 1.0}\n')
        return found

    broken.measure = without_check
    outcome = broken.outcome(TUNED)
    assert {point.bytes for point in outcome.unchecked} == {1024, 16384}
    assert not outcome.checked
    assert "bytes=1K..16K  use lane" in outcome.profile


@one_library
def test_nothing_is_decided_where_nothing_is_confirmed(build, tmp_path):
    measure = Imagined()

    def without_confirmation(plan, folder):
        found = measure(plan, folder)
        nothing = [{"kind": "end", "seconds": 1.0}]
        return written(folder, nothing) if plan.stage.name == "confirm" else found

    outcome = tuner(tmp_path, build, without_confirmation).outcome(TUNED)
    assert outcome.rules == []
    assert {point.bytes for point in outcome.open} >= {1024, 16384}
    assert outcome.profile is None, "native is not what was found to be best"


def test_an_earlier_profile_keeps_what_it_says_of_other_collectives():
    earlier = (
        "laneway profile 1\n# told\nlibrary Open MPI 4.1.4\nshape nodes=4 ppn=4 lanes=2\n\n"
        "bcast      nodes=4  use native\nscan       nodes=4  use native\n\n"
        "# 64 bytes: ...\nbcast      nodes=4 bytes=64  use chain\n\n"
        f"# 4 bytes: ...\nscan       nodes=4 bytes=4  use linear\n{SEAL}0123\n"
    )
    assert TUNED.keeping(earlier).kept == [
        *("scan       nodes=4  use native", ""),
        *("# 4 bytes: ...", "scan       nodes=4 bytes=4  use linear"),
    ]
    before = "# {}: not decided, what serves without this profile does"
    for form in ("undecided {}", before):
        of_scan, of_bcast = (form.format(f"{name} nodes=4 bytes=..3") for name in ("scan", "bcast"))
        told = earlier.replace(
            "scan       nodes=4  use", f"{of_bcast}\n{of_scan}\nscan       nodes=4  use"
        )
        kept = TUNED.keeping(told).kept
        assert "undecided scan nodes=4 bytes=..3" in kept
        assert not [line for line in kept if "bcast" in line]
    assert TUNED.keeping(earlier.replace("4.1.4", "4.1.5")).kept == ()
    assert TUNED.keeping(earlier.replace("ppn=4 lanes", "ppn=8 lanes")).kept == ()
    assert TUNED.keeping("").kept == ()


@one_library
def test_goes_on_where_it_stopped(build, tmp_path):
    first = Imagined()
    stopped = tuner(tmp_path, build, first)
    stopped.measure = lambda plan, folder: replace(
        first(plan, folder), interrupted=plan.stage.name == "race"
    )
    assert stopped.outcome(TUNED) is None
    second = Imagined()
    again = tuner(tmp_path, build, lambda plan, folder: second(plan, folder)
                  if not Folder(folder).raw.exists() else Result(folder))  # fmt: skip
    assert again.outcome(TUNED).rules
    assert [plan.stage.name for plan in second.plans] == ["closer", "confirm", "check"]


@one_library
def test_the_folder_of_another_tuning(build, tmp_path):
    tuner(tmp_path, build, Imagined()).outcome(TUNED)
    with pytest.raises(Misuse, match="begun with other options: --a was 1"):
        tuner(tmp_path, build, Imagined(), options=(("a", 2),))
    (tmp_path / "tune.json").write_text("{")
    with pytest.raises(Problem, match=r"tune\.json is damaged"):
        tuner(tmp_path, build, Imagined())
    (tmp_path / "tune.json").unlink()
    with pytest.raises(Misuse, match="holds something else"):
        tuner(tmp_path, build, Imagined())


@one_library
def test_a_run_of_a_stage_is_a_job_with_one_binding(build):
    setting = Setting(Place(4, 4), 2, "lane")
    stage = Stage("check", {TuningPoint("bcast", 64): ("tuned", "lane")}, 0.02, RUNS["check"])
    (task,) = StagePlan(TuningPlace(build, setting), stage).tasks(2)
    assert task.blocks[0].options["algorithm"] == "native,tuned,lane"
    assert task.blocks[0].options["time"] == "0.06"


# ---- bindings -----------------------------------------------------------------------------------


def test_the_binding_that_serves_best_is_named_with_its_factor():
    one, other = ((JobShape(4, 4), TuningPoint(name, 64)) for name in ("bcast", "scan"))
    times = {"lane": {one: 10.0, other: 40.0}, "all": {one: 40.0, other: 20.0}}
    (found,) = verdicts(times, {})
    assert (found.best, found.other, found.points) == ("lane", "all", 2)
    assert (found.factor, found.least, found.most) == pytest.approx((2**0.5, 0.5, 4.0))
    (found,) = verdicts(times, {one: 1.0, other: 3.0})
    assert (found.best, found.factor) == ("all", pytest.approx(2**0.25)), "by what a program does"
    assert verdicts({"lane": times["lane"]}, {}) == []
    assert verdicts({"lane": {one: 1.0}, "all": {other: 1.0}}, {}) == [], "nothing to compare"


def tuned_shape(shape, binding, took, spent=None):
    """The tuning of a shape with a binding, at one point where a program spends some seconds."""
    point = TuningPoint("bcast", 64)
    calls = {} if spent is None else {(point,): spent}
    return SimpleNamespace(
        part=ShapePart(shape, [point], 1.0, calls),
        setting=Setting(Place(*shape), 2, binding),
        outcome=SimpleNamespace(times={point: took}),
        environment={},
    )


def test_the_best_binding_of_a_program_is_that_of_all_its_communicators():
    """Its jobs have one, be it the slower one on some of them."""
    large, small = JobShape(4, 4), JobShape(2, 4)
    took = [(large, "lane", 10.0), (large, "all", 40.0)]
    took += [(small, "lane", 40.0), (small, "all", 10.0)]
    of_machine = [*tunings.best_bindings([tuned_shape(*each) for each in took])]
    assert [line.split(" serves")[0] for line in of_machine[::2]] == [
        "4 x 4: binding lane", "2 x 4: binding all"
    ]  # fmt: skip
    assert all("jobs with that binding: laneway exec" in line for line in of_machine[1::2])
    spent = {large: 1.0, small: 3.0}
    own = [tuned_shape(*each, spent[each[0]]) for each in took]
    verdict, start = tunings.best_bindings(own)
    assert verdict.startswith("the program: binding all serves best: calls are 2.00 times as fast")
    assert "over 2 points (0.25 to 4.00)" in verdict
    assert "jobs with that binding: laneway exec" in start


def on_cluster(binding):
    cluster = SimpleNamespace(spec=ClusterSpec())
    return Setting(Place(4, 4, cluster), 2, binding)


@one_library
def test_rules_are_for_jobs_with_the_binding_that_was_measured(build, tmp_path):
    machine = TuningPlace(build, on_cluster("lane"))
    points = [TuningPoint("bcast", size) for size in (64, 1024, 16384)]
    own = Tuner(Tuning.begin(tmp_path, {}), points, 600.0, machine, Imagined(), print)
    told = replace(TUNED, shape="nodes=4 ppn=4 lanes=2 binding=lane")
    # No job starts, and no cluster is there to ask about costs.
    own._screened = lambda: dict.fromkeys(points, ("lane",))
    own._standing = lambda _: "native"
    outcome = own.outcome(told)
    assert [rule.where.binding for rule in outcome.rules] == ["lane"]
    assert "bcast      nodes=4 ppn=4 lanes=2 binding=lane bytes=1K..16K  use lane" in (
        outcome.profile.splitlines()
    )
    path = tmp_path / "tuned.conf"
    path.write_text(outcome.profile)
    facts = profile.check(build, [path])
    assert {fact["where"]["binding"] for fact in facts} == {"lane"}


def options(tmp_path, **more):
    asked = {
        "collectives": (), "budget": 600, "min_bytes": 4, "max_bytes": 64, "mpi": None,
        "elsewhere": "ignore", "output": None, "install": False, "out": tmp_path, "report": None,
        "shapes": "all", "program": None,
    }  # fmt: skip
    return tunings.TuneOptions(**{**asked, **more})


def test_each_binding_is_tuned_by_itself_unless_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(Place, "job", lambda *_: None)

    def tuned(wanted=None, setting=None, **more):
        asked = options(tmp_path, **more)
        found = tunings.bindings(asked, wanted, setting or on_cluster("lane"))
        return [each.binding for each in found]

    assert tuned() == ["lane", "all"]
    assert tuned("lane") == ["lane"]
    assert tuned(setting=VIRTUAL) == ["all"], "nobody knows any"
    paths = {options(tmp_path).path(on_cluster(name)).name for name in ("lane", "all")}
    assert {path.partition("-4x4-")[2] for path in paths} == {
        "2-lanes-lane-emulated.conf", "2-lanes-all-emulated.conf",
    }  # fmt: skip
    report = tmp_path / "report"
    report.mkdir()
    of_all = {"binding": "all", "bytes_from": 4, "bytes_to": 7, "seconds": 1.0}
    test_decisions_read.written(report, test_decisions_read.calls_row(**of_all))
    assert tuned(program=report) == ["all", "lane"], "the program's own first"
    assert tuned(program=report, budget=120) == ["all"], "and alone if there is little time"


# ---- the command --------------------------------------------------------------------------------

SMALL = ("bcast", "--cluster", "none", "--nodes", "2", "--ppn", "1", "--max-bytes", "4K")


@pytest.mark.parametrize("build", BUILDS)
def test_a_whole_run_and_its_repetition(build, tmp_path):
    words = ["tune", *SMALL, "--mpi", build.id, "--budget", "2s", "--out", tmp_path / "t"]
    config = {"XDG_CONFIG_HOME": str(tmp_path)}
    outcome = commands.laneway(*words, "--json", **config)
    assert outcome.returncode == 0, outcome.stderr
    stages = json.loads((tmp_path / "t" / "tune.json").read_text())["stages"]
    assert [stage["name"] for stage in stages] == ["screen", "race", "closer", "confirm", "check"]
    again = commands.laneway(*words, "--json", **config)
    assert again.stdout == outcome.stdout
    assert not (tmp_path / "laneway").exists()
    assert len([*(tmp_path / "t").glob(f"{build.id}-2x1*-virtual.conf")]) <= 1


VIRTUAL, REAL = (Setting(Place(2, 1, launcher=launcher), lanes=2) for launcher in ("local", "srun"))
SINGLE = Setting(Place(1, 2), lanes=2)


@pytest.mark.parametrize(
    "case",
    [
        (VIRTUAL, False, ["place virtual"], "t/BUILD-2x1-2-lanes-virtual.conf"),
        (VIRTUAL, True, ["place virtual"], "laneway/BUILD-2x1-2-lanes-virtual.conf"),
        (REAL, False, [], "laneway/BUILD-2x1-2-lanes.conf"),
        (SINGLE, False, [], "laneway/BUILD-1x2-2-lanes.conf"),
    ],
)
def test_what_no_real_nodes_say_is_not_found_by_jobs_on_real_ones(
    tmp_path, monkeypatch, capsys, case
):
    setting, install, place, name = case
    shape = f"shape nodes={setting.place.nodes} ppn={setting.place.ppn} lanes=2"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    asked = tunings.TuneOptions(
        collectives=("bcast",), budget=60, min_bytes=4, max_bytes=64, mpi=None, elsewhere="ignore",
        output=None, install=install, out=tmp_path / "t", report=None, shapes="all", program=None,
    )  # fmt: skip
    (part,) = tunings.parts(asked, setting)
    own = tunings.ShapeTuning(asked, part, setting, alone=True)
    assert own.tuned.header == [*place, shape, "elsewhere ignore"]
    text = profile_text([], None, own.tuned)
    own.outcome = SimpleNamespace(profile=text)
    tunings.write_profiles(asked, [own])
    path = tmp_path / name.replace("BUILD", asked.build.id)
    assert path.read_text() == text
    told = capsys.readouterr().err
    assert ("it holds on virtual nodes alone" in told) == bool(place)
    assert ("not installed: --install" in told) == (bool(place) and not install)
    use = "laneway exec" if "laneway/" in name else f"laneway exec --profile {path}"
    assert use in told


def test_all_that_is_tuned_can_be_timed(tmp_path):
    asked = options(tmp_path)
    assert {"bcast", "alltoallv"} <= {*asked.names} <= {*WITH_VECTORS}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--budget", "soon"), "'soon' is no time"),
        (("--max-bytes", "much"), "'much' is no size"),
        (("nothing",), "'nothing' is none of"),
        (("--min-bytes", "8K", "--max-bytes", "4K"), "--min-bytes 8192 is above --max-bytes 4096"),
        (("--nodes", "0"), "0 is not in the range"),
    ],
)
def test_bad_input(words, complaint):
    outcome = commands.laneway("tune", *words)
    assert outcome.returncode == 2
    assert complaint in outcome.stderr


def test_what_will_be_tuned_is_told_before_anything_runs():
    parts = [
        ShapePart(JobShape(nodes, 4), [TuningPoint("bcast", 4), TuningPoint("scan", 64)], 0.5)
        for nodes in (2, 4)
    ]
    assert tunings.foreseen(SimpleNamespace(budget=1200.0), parts) == (
        "to be tuned: 4 points (2 collectives) on 2 x 4, 4 x 4 nodes x ranks; measurements take "
        "20 minutes at most (--budget)"
    )
