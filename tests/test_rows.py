# SPDX-License-Identifier: BSD-3-Clause
"""Rows: reading what a job left, and summaries. No MPI."""

import json
import math
import random
import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark import misfits
from laneway import rows
from laneway.commands.shared import measuring
from laneway.showing.caveats import caveats

KEYS = [
    "machine", "collective", "algorithm", "count", "datatype", "bytes", "nodes", "ppn", "lanes",
    "library", "binding", "runs", "min_us", "median_us", "mean_us", "ratio_to_native",
    "native_binding", "floor_us", "over_floor", "lane_rate", "lane_burst", "served_by",
]  # fmt: skip


def sample(time, algorithm="native", run=1, repetition=0, count=10):
    return {
        "kind": "sample",
        "run": run,
        "collective": "bcast",
        "algorithm": algorithm,
        "count": count,
        "datatype": "int",
        "bytes": 4 * count,
        "served_by": algorithm,
        "nodes": 2,
        "ppn": 2,
        "lanes": None,
        "library": "Open MPI 4.1.4",
        "binding": "all",
        "repetition": repetition,
        "time_us": time,
    }


def environment(hosts=("a", "a", "a", "a"), run=1, library="Open MPI 4.1.4"):
    return {
        "kind": "environment",
        "run": run,
        "library": library,
        "library_version": f"{library}, in full",
        "laneway": "0.1.0",
        "ranks": len(hosts),
        "nodes": 2,
        "ppn": 2,
        "hosts": list(hosts),
        "settings": {"LANEWAY_NODE_SIZE": "2"},
    }


def test_what_a_row_lacks_or_says_otherwise_is_told():
    assert [*misfits(sample(1.5))] == []
    assert [*misfits({**sample(1.5), "lanes": "two"})] == ["sample: lanes 'two'"]
    assert [*misfits({**sample(1.5), "cold": 0, "colour": "red"})] == [
        "sample: cold 0",
        "sample: colour 'red'",
    ]
    own = environment()
    assert [*misfits(own)] == []
    own["hosts"].append(None)
    del own["settings"]
    assert [*misfits(own)] == [
        "environment without settings",
        f"environment: hosts {own['hosts']!r}",
    ]


def comparison(oversubscribed=False):
    return {
        "kind": "campaign",
        "command": "laneway compare",
        "job": "mpirun -np 4 laneway-bench",
        "date": "2026-01-01T00:00:00+00:00",
        "oversubscribed": oversubscribed,
        "machine": {"cpu": "a processor", "cores": 2, "system": "Linux"},
    }


times = st.floats(min_value=0.001, max_value=1e6)
runs_of_times = st.lists(st.lists(times, min_size=1, max_size=6), min_size=1, max_size=4)


def samples_of(algorithm, runs):
    return [
        sample(time, algorithm, run, repetition)
        for run, own in enumerate(runs, 1)
        for repetition, time in enumerate(own)
    ]


@given(runs_of_times, runs_of_times, st.randoms(use_true_random=False))
def test_a_summary_is_that_of_its_samples_in_any_order(native, lane, generator: random.Random):
    mixed = samples_of("native", native) + samples_of("lane", lane)
    generator.shuffle(mixed)
    first, second = rows.summarise(mixed)

    assert (first.key.algorithm, second.key.algorithm) == ("native", "lane")
    for summary, runs in ((first, native), (second, lane)):
        medians = [statistics.median(run) for run in runs]
        assert summary.runs == len(runs)
        assert summary.repetitions == sum(map(len, runs))
        assert summary.min_us == min(map(min, runs))
        assert summary.median_us == statistics.median(medians)
        assert summary.mean_us == pytest.approx(statistics.fmean(map(statistics.fmean, runs)))
        assert summary.spread_us == (min(medians), max(medians))
    assert first.ratio_to_native == 1
    assert second.ratio_to_native == pytest.approx(paired_ratio(native, lane))


def paired_ratio(native, own):
    """By the definition: runs that only one side has are left out."""
    pairs = zip(native, own, strict=False)
    logs = [math.log(statistics.median(one) / statistics.median(two)) for one, two in pairs]
    means = [(a + b) / 2 for place, a in enumerate(logs) for b in logs[place:]]
    return math.exp(statistics.median(means))


def test_campaigns_without_a_common_run_are_compared_by_their_medians():
    apart = [sample(8.0, "native", 1), sample(2.0, "lane", 2), sample(4.0, "lane", 3)]
    _, lane = rows.summarise(apart)
    assert lane.ratio_to_native == pytest.approx(8 / 3)


def test_a_time_of_zero_has_no_ratio():
    _, lane = rows.summarise([sample(8.0, "native", 1), sample(0.0, "lane", 1)])
    assert lane.ratio_to_native is None


def test_a_run_counts_once_however_many_repetitions_it_has():
    long_run = [sample(1.0, run=1, repetition=i) for i in range(100)]
    others = [sample(9.0, run=2), sample(11.0, run=3)]
    (summary,) = rows.summarise(long_run + others)
    assert summary.median_us == 9.0
    assert summary.mean_us == 7.0


def test_a_row_of_a_summary_has_exactly_the_published_keys():
    (summary,) = rows.summarise([sample(1.23456, "lane")])
    assert list(summary.row()) == KEYS
    assert summary.row()["median_us"] == 1.235
    assert summary.row()["ratio_to_native"] is None, "native was not measured"


def test_threads_that_share_processors_are_told():
    def told(**more):
        return any("or threads of ranks" in text for text in caveats([
            comparison(), {**environment(hosts=("a", "b")), "processors": 4, **more}
        ]))  # fmt: skip

    assert not told(threads=4)
    assert told(threads=5)
    assert not told(threads=5, cluster={"rate": 1, "burst": 1, "lanes": 2}), "they always do there"


def on_cluster(lanes=2, **more):
    """The environment of a job on an emulated cluster."""
    spec = {"rate": 200_000_000, "burst": 18432, "lanes": lanes}
    return {**environment(hosts=("node0", "node1")), "cluster": spec, "place": "a cluster", **more}


def over_lanes(time, algorithm="native", binding="lane", **more):
    shape = {"nodes": 4, "ppn": 4, "lanes": 2, "binding": binding, "bytes": 400_000}
    return {**sample(time, algorithm, count=100_000), **shape, **more}


def test_the_better_binding_of_native_counts_and_is_named():
    summaries = rows.summarise(
        [
            on_cluster(),
            over_lanes(30_000.0),
            over_lanes(10_000.0, "lane"),
            on_cluster(),
            over_lanes(20_000.0, binding="all"),
        ]
    )
    found = {(each.key.algorithm, each.key.binding): each for each in summaries}
    assert found["lane", "lane"].ratio_to_native == 2
    assert found["native", "lane"].ratio_to_native == pytest.approx(2 / 3)
    assert found["native", "all"].ratio_to_native == 1
    assert {each.native_binding for each in summaries} == {"all"}


def test_the_control_is_compared_with_its_own_native():
    summaries = rows.summarise(
        [
            on_cluster(),
            over_lanes(10_000.0),
            over_lanes(5_000.0, "lane"),
            on_cluster(lanes=1),
            over_lanes(40_000.0, lanes=1),
            over_lanes(40_000.0, "lane", lanes=1),
        ]
    )
    ratios = {(each.key.lanes, each.key.algorithm): each.ratio_to_native for each in summaries}
    assert ratios == {(2, "native"): 1, (2, "lane"): 2, (1, "native"): 1, (1, "lane"): 1}


def test_a_time_stands_beside_its_floor_and_cannot_lie_below():
    (summary,) = rows.summarise([on_cluster(), over_lanes(8000.0, run=1)])
    assert summary.floor_us == pytest.approx(7262.72)
    assert summary.over_floor == pytest.approx(8000 / 7262.72)
    row = summary.row()
    assert row["machine"] == "a cluster"
    assert (row["lane_rate"], row["lane_burst"]) == (200_000_000, 18432)
    assert rows.impossible([summary]) == []

    fast = rows.summarise([on_cluster(), over_lanes(8000.0), over_lanes(7262.0, repetition=1)])
    (error,) = rows.impossible(fast)
    assert error == "error: bcast 100000, native: 7262 us lies below the floor of 7263 us"
    assert rows.impossible(rows.summarise([environment(), over_lanes(1.0)])) == []

    (*_, formula) = measuring._origin([summary])
    assert formula.startswith("Floor: ")
    (*_, why) = measuring._origin([replace(summary, min_us=7000.0)])
    assert why.startswith("A min us below the floor is no error")


def test_the_use_of_lanes_is_summed_over_nodes_and_runs():
    counters = {
        "kind": "counters",
        "run": 1,
        "lanes": 2,
        "binding": "lane",
        "tx_bytes": [[2_000_000, 1_000_000], [1_000_000, 1_000_000]],
        "drops": [[0, 1], [0, 0]],
    }
    (line,) = rows.lane_use([counters, {**counters, "run": 2}])
    assert line == ("lanes 2, binding lane: lane0 60%, lane1 40% of 10 MB sent, 2 packets dropped")


def test_cases_that_differ_are_not_mixed():
    other = {**sample(4.0), "library": "MPICH 4.0.2"}
    summaries = rows.summarise([sample(1.0), other, sample(2.0, count=20)])
    assert len(summaries) == 3
    assert all(summary.ratio_to_native == 1 for summary in summaries)


@given(st.lists(times, min_size=1, max_size=20), st.data())
def test_a_file_cut_anywhere_loses_its_last_row_at_most(values, data):
    written = [sample(time, repetition=i) for i, time in enumerate(values)]
    text = "".join(json.dumps(row) + "\n" for row in written)
    cut = data.draw(st.integers(0, len(text)))
    found = list(rows.read(text[:cut].splitlines()))
    complete = text[:cut].count("\n")
    assert found[:complete] == written[:complete]
    assert len(found) <= complete + 1


@pytest.mark.parametrize(
    "line", ["", "mpirun says", "[1, 2]", "3", '{"no": "kind"}', '{"kind": 1}']
)
def test_what_is_no_row_is_passed_over(line):
    assert rows.parse(line) is None


def test_a_note_is_told_once_with_its_number_of_runs():
    def note(run, algorithm):
        return {**sample(0, algorithm, run), "kind": "note", "message": "not eligible"}

    told = rows.notes([note(1, "ring"), note(2, "ring"), note(2, "chain"), sample(1.0)])
    assert told == [
        "bcast 10, ring: not eligible (2 runs)",
        "bcast 10, chain: not eligible (1 run)",
    ]


def test_what_the_first_run_dropped_has_one_note():
    def note(run, message):
        return {**sample(0, "ring", run), "kind": "note", "message": message}

    later = [note(run, rows.LEFT_OUT) for run in (2, 3, 4)]
    assert rows.notes([note(1, "dropped: too slow"), *later]) == [
        "bcast 10, ring: dropped: too slow (1 run, left out of the other 3)"
    ]


def test_caveats_speak_of_virtual_nodes_only_where_there_is_one_host():
    assert any("virtual" in text for text in caveats([comparison(), environment()]))
    spread = environment(hosts=("a", "a", "b", "b"))
    assert not any("virtual" in text for text in caveats([comparison(), spread]))


def test_caveats_speak_of_the_scheduler_only_where_cores_were_short():
    assert any("scheduler" in text for text in caveats([comparison(True), environment()]))
    assert not any("scheduler" in text for text in caveats([comparison(False), environment()]))


@pytest.mark.parametrize(("runs", "word"), [(1, "one run"), (3, "3 runs"), (5, None)])
def test_caveats_count_runs(runs, word):
    told = " ".join(caveats([environment(run=run) for run in range(1, runs + 1)]))
    assert word in told if word else "for a decision" not in told


def test_caveats_of_a_cluster():
    told = " ".join(caveats([comparison(), on_cluster(library="MPICH 4.0.2")]))
    assert "share its 2 cores" in told
    assert "nothing here tells what the latency" in told
    assert "no proof that both were used" in told
    assert "MPICH keeps its core" in told
    assert "nodes are virtual" not in told
    both = " ".join(caveats([comparison(), on_cluster(), on_cluster(lanes=1)]))
    assert "no proof" not in both, "the control was measured"


def test_caveats_of_nothing():
    assert caveats([comparison()]) == ["Nothing was measured."]


def test_a_time_is_possible_if_the_data_travelled_before_the_slowest_rank_started():
    lanes = {"kind": "environment", "cluster": {"rate": 8_000_000, "burst": 0}}
    late = {**sample(400.0), "bytes": 1000, "lanes": 1}
    for skew, possible in ((700.0, True), (500.0, False)):
        (summary,) = rows.summarise([lanes, {**late, "skew_us": skew}])
        assert summary.floor_us == 1000
        assert summary.span_us == 400 + skew
        assert summary.below_floor == (not possible)
        assert bool(rows.impossible([summary])) == (not possible)
