# SPDX-License-Identifier: BSD-3-Clause
"""The recommendations: only what is confirmed, only between sizes that were measured."""

import math
import re
from types import SimpleNamespace

import pytest

import campaigns
from campaigns import RUNS
from laneway.choosing.profile import command, profile_text, profiles
from laneway.choosing.recommendation import Where, _ranges, recommendations
from laneway.modelling.floor import Wire, collective_us
from laneway.results.measurements import Measured


def found(factors, **more):
    return recommendations(Measured([*campaigns.versus(factors, **more)]))


def ranges(recommended):
    return [(each.algorithm, each.least, each.most) for each in recommended]


def test_a_win_at_all_sizes_is_one_range():
    (one,) = found({"lane": {100: 0.5, 1000: 0.25, 10000: 0.5}})
    assert ranges([one]) == [("lane", 400, 40000)]
    assert (one.collective, one.where.nodes, one.where.ppn, one.where.lanes) == ("bcast", 4, 4, 2)
    assert (one.library, one.datatypes, one.runs) == ("Open MPI 4.1.4", ("int",), RUNS)
    assert one.best.bytes == 4000
    assert one.best.low <= one.best.ratio <= one.best.high
    assert one.best.ratio == pytest.approx(4, rel=0.03)
    gain, interval = one.sentence().split(" (")
    own = "Open MPI 4.1.4's own bcast from 400 B to 39.1 KiB"
    assert re.fullmatch(rf"lane is up to (4.0|3.9)\d times as fast as {own}", gain)
    assert re.fullmatch(r"3\.9\d to 4\.\d\d at 3\.91 KiB\)", interval)


def test_a_size_at_which_it_loses_splits_the_range():
    lost = found({"lane": {100: 0.5, 1000: 2, 10000: 0.5, 100000: 0.5}})
    assert ranges(lost) == [("lane", 400, 400), ("lane", 40000, 400000)]
    gain = r"lane is \d\.\d\d times as fast as Open MPI 4.1.4's own bcast at 400 B"
    assert re.fullmatch(gain + r" \(1\.9\d to 2\.\d\d\)", lost[0].sentence())


def test_the_floor_stands_beside_the_gain_where_it_is_known():
    (one,) = found({"lane": {100000: 0.5}})
    floor = collective_us(
        Wire(campaigns.RATE, campaigns.BURST), "bcast", 400000, processes=[4] * 4, lanes=2,
        binding="lane",
    )  # fmt: skip
    assert one.best.over_floor == pytest.approx(0.5 * 101000 / floor, rel=0.03)
    assert one.sentence().endswith(
        f"; {one.best.over_floor:.2f} times the least time that the lanes allow)"
    )


@pytest.mark.parametrize("runs", [3, 4])
def test_what_few_runs_cannot_show_is_not_recommended(runs):
    assert found({"lane": {100: 0.5, 1000: 0.5}}, runs=runs) == []


def test_as_fast_as_native_is_no_reason_to_change():
    assert found({"lane": {100: 1.0, 1000: 0.98}}) == []


def test_each_size_has_its_winner_and_gaps_one_confirmed_on_both_sides():
    lane = {100: 0.5, 1000: 0.5, 10000: 0.9}
    both = found({"lane": lane, "chain": {100: 2, 1000: 2, 10000: 0.2}})
    assert ranges(both) == [("lane", 400, 39999), ("chain", 40000, 40000)]
    later = found({"lane": {100: 0.5, 1000: 2}, "chain": {100: 0.8, 1000: 0.2}})
    assert ranges(later) == [("lane", 400, 400), ("chain", 401, 4000)]
    neither = found({"lane": {100: 0.5, 1000: 2}, "chain": {100: 2, 1000: 0.2}})
    assert ranges(neither) == [("lane", 400, 400), ("chain", 4000, 4000)]
    third = found({"lane": {100: 0.5, 1000: 2}, "chain": {100: 2, 1000: 0.2},
                   "tree": {100: 0.7, 1000: 0.6}, "ring": {100: 0.6, 1000: 0.8}})  # fmt: skip
    assert ranges(third) == [("lane", 400, 400), ("tree", 401, 3999), ("chain", 4000, 4000)]
    assert [each.between for each in third] == [False, True, False]
    assert [gain.bytes for gain in third[1].gains] == [400, 4000]


def test_nothing_lies_between_sizes_next_to_each_other():
    def gains(*names):
        return {name: SimpleNamespace(ratio=2.0, median_us=9 - (name in "ab")) for name in names}

    ranges_ = [*_ranges({4: gains("a", "t"), 5: gains("b", "t")}, math.inf)]
    assert [(least, most) for least, most, *_ in ranges_] == [(4, 4), (5, 5)]


def test_native_counts_at_its_better_binding():
    fast = [
        campaigns.sample("bcast", "native", 100, run, 400 + run, binding="all")
        for run in range(1, RUNS + 1)
    ]
    assert recommendations(Measured([*campaigns.versus({"lane": {100: 0.5}}), *fast])) == []


def test_an_algorithm_must_win_for_all_datatypes_since_rules_cannot_tell_them():
    double = [*campaigns.versus({"lane": {50: 2}}, datatype="double")]
    for row in double:
        if row["kind"] == "sample":
            row["bytes"] = 400
    whole = [*campaigns.versus({"lane": {100: 0.5}}), *double]
    assert recommendations(Measured(whole)) == []


@pytest.mark.parametrize(
    ("factors", "served"),
    [
        ({100: 0.5, 1000: 1.0}, [("lane", 0, math.inf)]),
        ({100: 0.5, 1000: 1.1}, []),
        ({100: 1.0, 1000: 1.0}, []),
    ],
    ids=("as fast at one", "slower at one", "faster at none"),
)
def test_a_rule_for_all_sizes_gains_at_one_and_loses_at_none(factors, served):
    recommended = found({"lane": factors}, collective="gatherv")
    assert ranges(recommended) == served
    for one in recommended:
        assert [gain.confirmed for gain in one.gains] == [True, False]
        assert "Rules of alltoallv, gatherv and scatterv hold at all sizes." in profile_text([one])
        assert one.rule() == "gatherv    nodes=4 ppn=4  use lane"


@pytest.mark.parametrize("name", ["native#b", "native:chain", "OSU's other"])
def test_names_that_no_profile_knows_are_left_out(name):
    assert found({name: {100: 0.5}}) == []


def test_times_of_other_benchmarks_recommend_nothing():
    assert found({"lane": {100: 0.5}}, statistic="mean over ranks") == []


def test_a_wrong_result_is_never_recommended():
    wrong = {"kind": "error", "collective": "bcast", "algorithm": "lane", "count": 1000,
             "message": "element 3 is 4"}  # fmt: skip
    measured = Measured([*campaigns.versus({"lane": {100: 0.5, 1000: 0.5, 10000: 0.5}}), wrong])
    assert ranges(recommendations(measured)) == [("lane", 400, 400), ("lane", 40000, 40000)]


def test_the_profile_says_where_it_comes_from():
    measured = Measured([*campaigns.versus({"lane": {100: 0.5, 1024: 0.25}})])
    lines = profile_text(recommendations(measured), measured).splitlines()
    assert lines[0] == "laneway profile 1"
    assert "lanes 2" in lines
    assert "measured 2026-01-01" in lines
    assert lines[-2] == "bcast      nodes=4 ppn=4 bytes=400..4K  use lane"
    assert lines[-3].startswith("# 4096 bytes: ")
    comments = " ".join(lines[1:-4])
    for told in ("Open MPI 4.1.4, 4 nodes x 4 ranks, 2 lanes", "Laneway 0.1.0", "2026-01-01",
                 "laneway compare --collective bcast", "an emulated cluster: 4 nodes"):  # fmt: skip
        assert told in comments


def test_the_profile_has_the_weights_with_which_was_measured():
    rows = [*campaigns.versus({"lane": {100: 0.5}})]
    for row in rows:
        if row["kind"] == "environment":
            row["settings"] = {**row["settings"], "LANEWAY_LANE_WEIGHTS": "2:1"}
    measured = Measured(rows)
    lines = profile_text(recommendations(measured), measured).splitlines()
    assert "lanes 2 weights 2:1" in lines
    rows[1]["settings"]["LANEWAY_LANE_WEIGHTS"] = "3:1"
    other = profile_text(recommendations(measured), measured).splitlines()
    assert "lanes 2" in other, "runs differ"


def test_rules_for_several_numbers_of_lanes_name_them():
    both = [row for lanes in (1, 2) for row in campaigns.versus({"lane": {100: 0.5}}, lanes=lanes)]
    text = profile_text(recommendations(Measured(both)))
    assert [line for line in text.splitlines() if not line.startswith("#")][1:] == [
        "library Open MPI 4.1.4",
        "",
        "bcast      nodes=4 ppn=4 lanes=1 bytes=400  use lane",
        "",
        "bcast      nodes=4 ppn=4 lanes=2 bytes=400  use lane",
    ]


def test_rules_for_unequal_nodes_hold_on_such_nodes():
    where = Where("Open MPI 4.1.4", 4, 4, 2, unequal=(4, 4, 4, 1))
    assert where.conditions == ["ranks=13", "nodes=4", "ppn=1..4"]
    assert str(where) == "Open MPI 4.1.4, 4 nodes of 4,4,4,1 ranks, 2 lanes"
    assert Where("", 4, 4, 2).conditions == ["nodes=4", "ppn=4"]


def test_a_profile_is_about_one_library():
    both = [row for library in ("Open MPI 4.1.4", "MPICH 4.0.2")
            for row in campaigns.versus({"lane": {100: 0.5}}, library=library)]  # fmt: skip
    measured = Measured(both)
    with pytest.raises(ValueError, match="one MPI library"):
        profile_text(recommendations(measured))
    assert {each.name for each in profiles(measured)} == {
        "profile-open-mpi-4.1.4.conf",
        "profile-mpich-4.0.2.conf",
    }


def test_of_two_libraries_that_gain_nothing_the_other_keeps_its_name():
    both = [
        *campaigns.versus({"lane": {100: 0.5}}),
        *campaigns.versus({"lane": {100: 1}}, library="MPICH 4.0.2"),
    ]
    assert [each.name for each in profiles(Measured(both))] == ["profile-open-mpi-4.1.4.conf"]


def test_virtual_nodes_are_named_in_the_command():
    own = [*campaigns.versus({"lane": {100: 0.5}})]
    for row in own:
        if row["kind"] == "environment":
            row |= {"settings": {"LANEWAY_NODE_SIZE": "4"}, "cluster": None}
    (one,) = recommendations(Measured(own))
    assert command(one, "a b/profile.conf") == (
        "laneway exec --node-size 4 --profile 'a b/profile.conf' -- mpirun -np 16 ./app"
    )
