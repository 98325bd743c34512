# SPDX-License-Identifier: BSD-3-Clause
"""Rows: reading what a job left, and summaries. No MPI."""

import json
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laneway import rows
from laneway.caveats import caveats
from laneway.report import render

KEYS = [
    "collective", "algorithm", "count", "datatype", "bytes", "nodes", "ppn", "lanes", "library",
    "binding", "runs", "min_us", "median_us", "mean_us", "ratio_to_native",
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


def comparison(oversubscribed=False):
    return {
        "kind": "comparison",
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
    assert second.ratio_to_native == pytest.approx(first.median_us / second.median_us)


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


def test_caveats_of_nothing():
    assert caveats([comparison()]) == ["Nothing was measured."]


def test_a_report_holds_everything_and_needs_no_network():
    measured = [
        comparison(),
        environment(hosts=("<script>", "a")),
        *(sample(5.0 * count, count=count) for count in (0, 10, 1000)),
        *(sample(2.5 * count, "lane", count=count) for count in (10, 1000)),
        {**sample(0, "ring"), "kind": "note", "message": "not eligible: served by native"},
        {**sample(0, "bad"), "kind": "error", "message": "wrong result on rank 3"},
    ]
    html = render(measured)
    assert html.count("<svg") == 1
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "2.00" in html, "lane is twice as fast as native"
    assert "not eligible" in html
    assert "wrong result on rank 3" in html
    assert "laneway compare" in html
    for reference in ("src=", 'href="http', "@import", "url(http"):
        assert reference not in html
    assert render(measured) == html, "the same rows give the same report"
