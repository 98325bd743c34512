# SPDX-License-Identifier: BSD-3-Clause
"""The tables of figures, against what is computed here from the same rows."""

import csv
import json
import math
import statistics
from collections import defaultdict

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import campaigns
from laneway import rows
from laneway.choosing.recommendation import recommendations
from laneway.errors import Misuse, Problem
from laneway.modelling.floor import Wire, collective_us
from laneway.results import reference
from laneway.results.measurements import Measured, read
from laneway.showing import figures, plot
from laneway_studies.figures import TRAEFF


@pytest.fixture(scope="module")
def taken():
    """Rows of a small campaign on one lane and on two."""
    return list(
        campaigns.campaign(("bcast", "allreduce"), sizes=4, runs=5, samples=3, lanes=(1, 2))
    )


@pytest.fixture(scope="module")
def measured(taken):
    return Measured(taken)


@pytest.fixture(scope="module")
def medians(taken):
    """[lanes, collective, algorithm, bytes]: the medians of the runs."""
    times = defaultdict(lambda: defaultdict(list))
    for row in taken:
        if row["kind"] == "sample":
            case = row["lanes"], row["collective"], row["algorithm"], row["bytes"]
            times[case][row["run"]].append(row["time_us"])
    return {case: [statistics.median(run) for run in own.values()] for case, own in times.items()}


def case(line):
    return line["lanes"], line["collective"], line["algorithm"], line["bytes"]


def test_times_have_the_median_of_runs_and_a_band_of_their_quantiles(measured, medians):
    table = figures.times(measured)
    assert {case(line) for line in table} == set(medians)
    for line in table:
        own = medians[case(line)]
        assert line["median_us"] == statistics.median(own)
        assert (line["low_us"], line["high_us"]) == pytest.approx(np.quantile(own, (0.1, 0.9)))
        assert min(own) <= line["low_us"] <= line["median_us"] <= line["high_us"] <= max(own)
        assert line["runs"] == 5
        assert line["repetitions"] == 15


def test_the_floor_stands_at_every_size(measured):
    wire = Wire(campaigns.RATE, campaigns.BURST)
    for line in figures.times(measured):
        facts = {name: line[name] for name in ("lanes", "binding")}
        assert line["floor_us"] == collective_us(
            wire, line["collective"], line["bytes"], processes=[4] * 4, **facts
        )


def test_ratios_and_verdicts_are_those_of_the_runs(measured, medians):
    table = figures.ratios(measured)
    assert {case(line) for line in table} == {key for key in medians if key[2] != "native"}
    for line in table:
        lanes, collective, _, size = case(line)
        native = medians[lanes, collective, "native", size]
        assert line["ratio_to_native"] == pytest.approx(paired(native, medians[case(line)]))
        told = {"lane": "VIOLATED", "hierarchical": None}[line["algorithm"]]
        if told:
            assert line["verdict"] == told, "twice as fast in each of five runs"
            assert line["low"] <= line["ratio_to_native"] <= line["high"]


def paired(left, right):
    """How many times as long the left takes, by the ratios of runs."""
    logs = np.log(np.divide(left, right))
    both = np.add.outer(logs, logs)[np.triu_indices(len(logs))] / 2
    return np.exp(np.median(both))


def test_there_is_one_number_for_a_gain(measured):
    """It is in the table, the map, the sentence and what is tested."""
    shown = {each.key: each.ratio_to_native for each in measured.summaries}
    judged = {key: finding.ratio for key, finding in measured.verdicts.items()}
    assert judged == {key: shown[key] for key in judged}
    assert {line["ratio_to_native"] for line in figures.ratios(measured)} == {*judged.values()}
    told = {gain.ratio for each in recommendations(measured) for gain in each.gains}
    assert told
    assert told <= {*judged.values()}


def test_lanes_scale_by_the_medians_beside_the_ideal(measured, medians):
    table = figures.lanes(measured)
    assert table
    for line in table:
        key = line["operation"], line["curve"], line["bytes"]
        one = statistics.median(medians[1, *key])
        own = statistics.median(medians[line["lanes"], *key])
        assert line["speedup"] == pytest.approx(one / own)
        assert line["ideal"] == line["lanes"]
    largest = max(line["bytes"] for line in table)
    by_curve = {line["curve"]: line["speedup"] for line in table
                if line["bytes"] == largest and line["lanes"] == 2}  # fmt: skip
    assert by_curve["native"] == pytest.approx(1, rel=0.1), "planted: it gains nothing by lanes"
    assert by_curve["lane"] == pytest.approx(2, rel=0.1)


def test_one_number_of_lanes_is_no_scaling():
    assert figures.lanes(Measured(list(campaigns.campaign(("bcast",), sizes=2, runs=1)))) == []


def test_winners_have_the_lowest_median_and_the_next_ones_over_it(measured, medians):
    table = figures.winners(measured)
    assert len(table) == len({(lanes, what, size) for lanes, what, _, size in medians})
    for line in table:
        lanes = 1 if line["place"].endswith("1 lane") else 2
        own = sorted(
            (statistics.median(runs), algorithm, runs)
            for (number, collective, algorithm, size), runs in medians.items()
            if (number, collective, size) == (lanes, line["operation"], line["bytes"])
        )
        assert (line["winner"], line["runner_up"]) == (own[0][1], own[1][1])
        assert line["margin"] == pytest.approx(paired(own[1][2], own[0][2]))
        if line["margin"] > 1.5 and own[-1][0] > 1.5 * own[0][0]:
            assert line["verdict"] == "VIOLATED", "by half and more in each of five runs"
        assert line["verdict"] in ("VIOLATED", "HOLDS", "UNDECIDED")


def test_samples_are_all_there_in_their_order(measured, taken):
    table = figures.samples(measured)
    expected = defaultdict(list)
    for row in taken:
        if row["kind"] == "sample":
            place = figures.place_name(row["library"], row["nodes"], row["ppn"], row["lanes"])
            expected[place, row["collective"], row["algorithm"], row["bytes"], row["run"]].append(
                row["time_us"]
            )
    found = defaultdict(list)
    for line in table:
        key = line["place"], line["operation"], line["curve"], line["bytes"], line["run"]
        assert line["order"] == len(found[key])
        found[key].append(line["time_us"])
    assert found == expected


def test_counters_are_summed_over_runs_by_lane(measured):
    table = figures.counters(measured)
    assert len(table) == 4 * (1 + 2)
    for line in table:
        assert line["sent_bytes"] == 5 * (1000 * (line["node"] + 1) + line["lane"])
        assert line["received_bytes"] == line["sent_bytes"] + 5 * 7
        assert line["dropped_packets"] == 0


def test_carried_is_a_calls_part_of_what_each_lane_did():
    """Two runs of 10 and 30 repetitions: of native on one lane, of lane half on each."""
    facts = {"nodes": 4, "ppn": 4}
    taken = [
        campaigns.environment(1),
        *(campaigns.sample("bcast", name, 100_000, 1, 20_000.0) for name in ("native", "lane")),
        *(
            campaigns.carried("bcast", name, 100_000, run, repetitions=repetitions, **facts)
            for name in ("native", "lane")
            for run, repetitions in ((1, 10), (2, 30))
        ),
    ]
    table = figures.carried(Measured(taken))
    assert [(line["curve"], line["lane"]) for line in table] == [
        (name, lane) for name in ("native", "lane") for lane in ("lane0", "lane1")
    ], "in the order of all figures, and without the device that is no lane"
    wire = Wire(campaigns.RATE, campaigns.BURST)
    expected = {("native", "lane0"): 408_000, ("native", "lane1"): 0,
                ("lane", "lane0"): 204_000, ("lane", "lane1"): 204_000}  # fmt: skip
    for line in table:
        own = expected[line["curve"], line["lane"]]
        assert line["busiest_bytes"] == own
        assert line["sent_bytes"] == 4 * own
        assert line["share"] == own / 408_000
        assert line["least_bytes"] == 200_000, "half of the message by each"
        assert line["busy"] == pytest.approx(wire.floor_us(own) / 20_000)


def test_what_a_lane_received_counts_where_it_is_more():
    row = campaigns.carried("reduce", "lane", 100_000, 1, repetitions=1)
    row["tx_bytes"] = [[0, 0, 0], *([[100_000, 100_000, 0]] * 3)]
    row["rx_bytes"] = [[300_000, 300_000, 0], *([[0, 0, 0]] * 3)]
    taken = [campaigns.environment(1), campaigns.sample("reduce", "lane", 100_000, 1, 9e3), row]
    table = figures.carried(Measured(taken))
    assert [line["busiest_bytes"] for line in table] == [300_000, 300_000], "at the root"
    assert [line["sent_bytes"] for line in table] == [300_000, 300_000]


def test_calls_that_move_little_tell_nothing_about_lanes():
    taken = [campaigns.environment(1), campaigns.sample("bcast", "lane", 1000, 1, 100.0)]
    assert figures.carried(Measured([*taken, campaigns.carried("bcast", "lane", 1000, 1)])) == []


def test_lanes_of_a_real_machine_are_the_devices_that_carried_something():
    row = campaigns.carried("bcast", "lane", 100_000, 1)
    row["devices"] = ["ib0", "ib1", "eth0"]
    taken = [
        campaigns.environment(1, cluster=None),
        campaigns.sample("bcast", "lane", 100_000, 1, 9),
    ]
    table = figures.carried(Measured([*taken, row]))
    assert [line["lane"] for line in table] == ["ib0", "ib1"]
    assert {line["busy"] for line in table} == {None}, "their rate is not known"


def test_what_was_set_differently_is_never_mixed():
    warm = [campaigns.sample("bcast", "native", 1, 1, 10.0, cold=False, op=None)]
    cold = [campaigns.sample("bcast", "native", 1, 1, 90.0, cold=True, op=None)]
    table = figures.times(Measured([campaigns.environment(1), *warm, *cold]))
    assert {line["operation"]: line["median_us"] for line in table} == {
        "bcast (cold=False)": 10.0,
        "bcast (cold=True)": 90.0,
    }


def test_probes_show_virtual_lanes_beside_what_the_lanes_allow():
    def probe(k, time):
        return {
            "kind": "probe", "run": 1, "probe": "lane_pattern", "collective": "sendrecv",
            "count": 100, "datatype": "int", "bytes": 400, "communicator": "world",
            "virtual_lanes": k, "inner_repetitions": 10, "nodes": 4, "ppn": 4, "lanes": 2,
            "library": "Open MPI 4.1.4", "binding": "lane", "processes": 16,
            "network_bytes": [400 // k] * k, "time_us": time,
        }  # fmt: skip

    table = figures.lanes(Measured([probe(1, 100.0), probe(2, 50.0), probe(4, 55.0)]))
    assert [line["lanes"] for line in table] == [1, 2, 4]
    assert [line["speedup"] for line in table] == pytest.approx([1, 2, 100 / 55])
    assert [line["ideal"] for line in table] == [1, 2, 2]


# ---- reading --------------------------------------------------------------------------------


def test_runs_of_several_folders_are_different_runs(tmp_path):
    rows_of = list(campaigns.campaign(("bcast",), sizes=2, runs=2, samples=3))
    first = campaigns.write(tmp_path / "first", rows_of)
    second = campaigns.write(tmp_path / "second", rows_of)
    both = read([first, second / "rows.jsonl"])
    assert {line["runs"] for line in figures.times(both)} == {4}
    assert {line["runs"] for line in figures.times(read([tmp_path]))} == {4}, "a folder of folders"


def test_blocks_that_were_cut_short_do_not_count(tmp_path):
    def block(number, time):
        return campaigns.sample("bcast", "native", 1, 1, time, launch=1, block=number)

    end = {"kind": "block", "launch": 1, "block": "a"}
    folder = campaigns.write(tmp_path, [block("a", 1.0), end, block("b", 99.0)])
    (line,) = figures.times(read([folder]))
    assert line["median_us"] == 1.0


DAMAGE = (
    "no row",
    '{"kind": 3}',
    "[1]",
    '{"kind": "sample"}',
    '{"kind": "environment"}',
    "\x00",
    "",
)


@hypothesis.settings(max_examples=25)
@given(st.lists(st.sampled_from(DAMAGE), max_size=8))
def test_damage_is_left_out_and_told(tmp_path_factory, damage):
    path = tmp_path_factory.mktemp("damaged") / "rows.jsonl"
    good = [campaigns.environment(1), campaigns.sample("bcast", "native", 1, 1, 2.0)]
    path.write_text("\n".join([*damage, *map(json.dumps, good), *damage]) + "\n")
    measured = read([path])
    (line,) = figures.times(measured)
    assert line["median_us"] == 2.0
    broken = 2 * sum(bool(text.strip()) for text in damage)
    assert bool(measured.damage) == bool(broken)
    told = sum(int(word) for text in measured.damage for word in text.split() if word.isdigit())
    assert told == broken


@pytest.mark.parametrize("time", [math.nan, math.inf, -1.0, None, "fast"])
def test_a_time_that_cannot_be_is_damage(tmp_path, time):
    sample = campaigns.sample("bcast", "native", 1, 1, time)
    good = campaigns.sample("bcast", "lane", 1, 1, 5.0)
    measured = read([campaigns.write(tmp_path, [sample, good])])
    assert [line["algorithm"] for line in figures.times(measured)] == ["lane"]
    assert '1 incomplete rows of kind "sample", left out' in measured.damage[0]


def test_what_holds_no_rows_is_said(tmp_path):
    with pytest.raises(Problem, match="no such file or folder"):
        read([tmp_path / "nothing"])
    with pytest.raises(Problem, match=r"holds no rows\.jsonl"):
        read([tmp_path])
    (tmp_path / "rows.jsonl").write_text("\n")
    with pytest.raises(Problem, match="holds no rows of laneway"):
        read([tmp_path])


# ---- published figures ----------------------------------------------------------------------


def test_published_figures_are_those_of_the_files():
    everything = reference.load()
    assert {one.name for one in everything} == {"hydra", "jupiter", "vsc-3", "fugaku", "juqueen"}
    (native, lane) = (
        one
        for algorithm in ("native", "lane")
        for one in everything
        if (one.system, one.source, one.ppn) == ("Hydra, Open MPI 4.0.1", TRAEFF, 32)
        and (one.collective, one.algorithm, one.bytes) == ("bcast", algorithm, 4608)
    )
    assert lane.time_us == 52.27
    assert lane.ratio_to_native == pytest.approx(native.time_us / 52.27)
    (barrier,) = (one for one in everything if one.collective == "barrier" and one.nodes == 384)
    assert barrier.time_us == pytest.approx(4.32)
    assert all(one.time_us > 0 and one.bytes >= 0 for one in everything)
    assert {one.name for one in reference.load("jupiter")} == {"jupiter"}
    with pytest.raises(Misuse, match="known: all, hydra"):
        reference.load("summit")


# ---- files ----------------------------------------------------------------------------------


def one_picture_each(lanes):
    """Rows of one operation at one size: drawing takes a while."""
    taken = campaigns.campaign(("bcast",), sizes=2, runs=1, samples=2, lanes=lanes)
    return Measured([row for row in taken if row.get("bytes") != 0])


@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_figure_becomes_files_and_csv_holds_its_numbers(name, tmp_path):
    measured = one_picture_each((1, 2) if name == "lanes" else (2,))
    drawing, numbers = plot.write(measured, [name], ["svg", "csv"], tmp_path)
    assert drawing.name.startswith(name)
    assert "<svg" in drawing.read_text(encoding="utf-8")
    with numbers.open(newline="") as file:
        lines = list(csv.DictReader(file))
    table = figures.FIGURES[name].table(measured)
    assert len(lines) == len(table) > 0
    for line, expected in zip(lines, table, strict=True):
        assert line == {key: written(value) for key, value in expected.items()}


def written(value):
    return "" if value is None else str(value)


def test_a_picture_names_its_curves_and_the_same_rows_give_the_same_file(tmp_path):
    measured, published = one_picture_each((2,)), reference.load("hydra")

    def drawn(folder):
        (path,) = plot.write(measured, ["time"], ["svg"], tmp_path / folder, published=published)
        return path.read_text(encoding="utf-8")

    text = drawn("first")
    for name in ("native", "hierarchical", "lane", "floor", "published: lane, Hydra, Open MPI"):
        assert f">{name}" in text
    assert drawn("second") == text


def test_a_png_is_one(tmp_path):
    (path,) = plot.write(one_picture_each((2,)), ["winners"], ["png"], tmp_path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_axes_of_a_key_are_what_else_was_set():
    facts = campaigns.sample("bcast", "native", 1, 1, 2.0, op="max", in_place=None, skew_us=3.0)
    assert rows.axes_of(facts) == (
        ("cold", False), ("inner_repetitions", 1), ("op", "max"), ("root", 0), ("threads", 1),
    )  # fmt: skip
