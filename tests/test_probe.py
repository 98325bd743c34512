# SPDX-License-Identifier: BSD-3-Clause
"""Probes: the floor, the summary and the verdict."""

import os
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laneway import files
from laneway.commands import probe
from laneway.launching.place import Place
from laneway.libraries import native, profile
from laneway.modelling.floor import Wire, busiest_lane
from laneway.probe import show, verdict
from laneway.probe.lane_rates import LaneRates, names_of_nodes
from laneway.probe.summary import summarise

# ---- the floor ------------------------------------------------------------------------------

sizes = st.integers(0, 10**7)


@given(
    packets=st.lists(st.integers(1, 9000), min_size=1, max_size=200),
    rate=st.integers(10**6, 10**10),
    burst=st.integers(9000, 10**5),
)
def test_a_token_bucket_never_beats_the_floor_and_comes_close(packets, rate, burst):
    tokens, now = float(burst), 0.0
    for packet in packets:  # always waiting: sent as soon as there are tokens for it
        wait = max(0.0, packet - tokens) * 8 / rate
        now += wait
        tokens = min(burst, tokens + wait * rate / 8) - packet
    floor = Wire(rate, burst).floor_us(sum(packets))
    assert now * 1e6 >= floor * (1 - 1e-9)
    assert now * 1e6 <= floor + 1e-3


@given(network_bytes=st.lists(sizes, min_size=1, max_size=16), lanes=st.integers(1, 8))
def test_sharing_lanes_better_never_makes_the_busiest_one_busier(network_bytes, lanes):
    spread, own, single = (
        busiest_lane(network_bytes, lanes, binding) for binding in ("all", "lane", "one")
    )
    assert spread <= own <= single == sum(network_bytes)
    assert busiest_lane(network_bytes, 1, "lane") == single


def test_processes_share_lanes_in_turn():
    assert busiest_lane([10, 1, 1, 1], 2, "lane") == 11
    assert busiest_lane([10, 1, 1, 1], 3, "lane") == 11
    assert busiest_lane([10, 1, 1, 1], 4, "lane") == 10
    assert busiest_lane([10, 1, 1, 1], 2, "all") == 7
    assert Wire(200_000_000, 18432).floor_us(400_000) == pytest.approx(15262.72)


# ---- the number of lanes --------------------------------------------------------------------

# Average times in us by count and k. Source: Traeff and Hunold, "Decomposing collectives for
# exploiting multi-lane communication", 2020: Tables 2 and 3 (two rails), Appendix D (one).
HYDRA = {
    11520: {1: 697.84, 2: 387.72, 4: 324.32, 8: 188.89, 16: 165.29, 32: 157.93},
    115200: {1: 3377.29, 2: 2040.01, 4: 1842.07, 8: 1384.20, 16: 1441.00, 32: 1373.89},
    1152000: {1: 26025.29, 2: 13760.84, 4: 11191.25, 8: 10518.30, 16: 10272.04, 32: 10646.15},
    11520000: {1: 203868.07, 2: 105835.37, 4: 101349.99, 8: 101106.96, 16: 100646.86},
}
VSC3 = {
    160000: {1: 25752.80, 2: 17478.72, 4: 17273.14, 8: 15398.98, 16: 27259.58},
    1600000: {1: 240925.21, 2: 132452.19, 4: 151751.88, 8: 132714.86, 16: 134652.29},
}
JUPITER = {
    560000: {1: 43333.85, 2: 44350.01, 4: 45020.53, 8: 44864.57, 16: 53223.24},
    5600000: {1: 457877.05, 2: 452755.73, 4: 451086.13, 8: 457505.72, 16: 515301.02},
}


def speedups(times):
    return {count: {k: by_k[1] / time for k, time in by_k.items()} for count, by_k in times.items()}


@pytest.mark.parametrize(
    ("times", "lanes", "from_count"),
    [(HYDRA, 2, 1152000), (VSC3, 2, 1600000), (JUPITER, 1, 560000)],
    ids=["hydra", "vsc3", "jupiter"],
)
def test_published_machines_have_the_lanes_they_are_known_for(times, lanes, from_count):
    found = verdict.count_lanes(speedups(times))
    assert (found.lanes, found.from_count, found.from_bytes) == (lanes, from_count, 4 * from_count)
    assert set(found.more) == {k for k in times[max(times)] if k > lanes}


@given(
    lanes=st.sampled_from([1, 2, 4, 8]),
    latency=st.floats(0, 1e-3),
    rate=st.floats(1e6, 1e10),
    counts=st.sets(st.integers(1, 10**6), min_size=1, max_size=6),
)
def test_a_machine_of_latency_and_lanes_is_seen_through(lanes, latency, rate, counts):
    largest = int(latency * rate * 10**4) + 10**7  # where latency no longer matters
    times = {
        count: {k: latency + count / (min(k, lanes) * rate) for k in (1, 2, 4, 8)}
        for count in {*counts, largest}
    }
    found = verdict.count_lanes(speedups(times))
    assert found.lanes == lanes
    assert found.speedup == pytest.approx(lanes, rel=0.01)
    close = [count for count in times if speedups(times)[count][lanes] >= verdict.CLOSE * lanes]
    assert found.from_count == min(close), "more data never feels latency more"


def test_nothing_to_compare_gives_no_verdict():
    assert verdict.count_lanes({}) is None
    assert verdict.count_lanes({100: {}}) is None


# ---- summaries ------------------------------------------------------------------------------

CAMPAIGN = {"kind": "campaign", "cluster": {"rate": 200_000_000, "burst": 18432}}


def row(kind, k, **more):
    share = 400_000 // k
    return {
        "kind": kind,
        "run": 1,
        "probe": "lane-pattern",
        "collective": "sendrecv",
        "algorithm": "native",
        "count": 100_000,
        "datatype": "int",
        "bytes": 400_000,
        "communicator": "world",
        "virtual_lanes": k,
        "processes": 16,
        "inner_repetitions": 1,
        "network_bytes": [share] * k,
        "nodes": 4,
        "ppn": 4,
        "lanes": 2,
        "library": "Open MPI 4.1.4",
        "binding": "lane",
        **more,
    }


def sample(k, time, run=1, **more):
    return row("probe", k, run=run, repetition=0, time_us=time, **more)


def test_a_summary_compares_within_each_run_and_takes_the_median_of_runs():
    rows = [CAMPAIGN]
    for run, slow in ((1, 1.0), (2, 5.0), (3, 1.1)):  # one bad run, bad for every k
        rows += [sample(1, slow * time, run) for time in (16_000, 17_000, 30_000)]
        rows += [sample(2, slow * time, run) for time in (8_000, 8_500, 9_000)]
    one, two = summarise(rows)
    assert (one.runs, one.repetitions) == (3, 9)
    assert one.median_us == pytest.approx(18_700)
    assert one.min_us == 16_000
    assert one.mean_us == pytest.approx(21_000 * 7.1 / 3)
    assert one.speedup == 1
    assert two.speedup == pytest.approx(2)
    assert one.bytes_per_second == pytest.approx(400_000 / 18_700e-6)
    assert one.floor_us == pytest.approx(15262.72)
    assert two.floor_us == pytest.approx(7262.72)
    assert one.over_floor == pytest.approx(18_700 / 15262.72)


def test_k_collectives_in_the_time_of_one_are_k_times_as_fast():
    one = sample(1, 100.0, network_bytes=[3000], probe="multi-collective")
    four = sample(4, 200.0, network_bytes=[3000] * 4, probe="multi-collective")
    assert [summary.speedup for summary in summarise([CAMPAIGN, one, four])] == [1, 2]


def test_the_lane_is_compared_with_the_node():
    shared = {"probe": "node-vs-lane", "virtual_lanes": None}
    node = sample(1, 50.0, communicator="node", **shared) | {"network_bytes": []}
    lane = sample(1, 200.0, communicator="lane", **shared) | {"network_bytes": [10**6]}
    first, second = summarise([CAMPAIGN, lane, node])
    assert (first.key.communicator, first.speedup, first.floor_us) == ("node", 1, None)
    assert (second.key.communicator, second.speedup) == ("lane", 0.25)
    assert first.bytes_per_second is None
    (found,) = verdict.verdicts([first, second], virtual=False)
    assert "100000: 4 times slower" in found.text


def test_a_time_below_the_floor_is_an_error():
    possible, impossible = sample(1, 15262.8), sample(1, 15262.6)
    assert verdict.errors(summarise([CAMPAIGN, possible])) == []
    (error,) = verdict.errors(summarise([CAMPAIGN, possible, impossible]))
    assert "error" in error
    assert "15263 us lies below the floor" in error
    assert verdict.errors(summarise([{**CAMPAIGN, "cluster": None}, impossible])) == []


def test_traffic_names_the_devices_that_carried_it():
    traffic = {"devices": ["lane0", "lane1", "mgmt"], "repetitions": 1}
    rows = [
        CAMPAIGN,
        sample(2, 9000.0),
        row("traffic", 2, tx_bytes=[1_200_000, 300_000, 900], **traffic),
        row("traffic", 2, tx_bytes=[1_200_000, 500_000, 0], **traffic),
    ]
    (summary,) = summarise(rows)
    assert summary.traffic == pytest.approx({"lane0": 0.75, "lane1": 0.25}, abs=0.001)

    small = row("traffic", 2, tx_bytes=[3_000_000, 900_000, 0], **traffic)
    (summary,) = summarise([CAMPAIGN, sample(2, 9000.0), small])
    assert summary.traffic == {}, "mostly not the pattern's own"


def test_no_data_has_no_speedup_and_no_floor_to_beat():
    one, two = summarise(
        [CAMPAIGN] + [sample(k, 5.0, count=0, bytes=0, network_bytes=[0] * k) for k in (1, 2)]
    )
    assert one.speedup is None
    assert two.speedup is None
    assert two.floor_us == 0
    assert two.over_floor is None
    (found,) = verdict.verdicts([one, two], virtual=False)
    assert found.text.startswith("no verdict")
    ET.fromstring(show.figure([one, two], Wire(10**6, 0)))  # noqa: S314 - our own


def test_the_control_is_a_table_of_its_own():
    rows = [CAMPAIGN]
    for lanes, binding, gain in ((2, "lane", 2), (1, "one", 1)):
        for k in (1, 2):
            time = 16_000 / min(k, gain)
            rows.append(sample(k, time, lanes=lanes, binding=binding))
    summaries = summarise(rows)
    first, second = verdict.verdicts(summaries, virtual=False)
    assert (first.lanes.lanes, second.lanes.lanes) == (2, 1)
    assert "2 lanes" in first.text
    assert "1 lane " in second.text
    assert first.row()["lanes_found"] == 2
    titles = [title for title, _ in show.tables(summaries, Wire(200_000_000, 18432))]
    assert "2 lanes of 200mbit (burst 18432 B), binding lane" in titles[0]
    assert "1 lane of 200mbit" in titles[1]


def alone(rates):
    """Summaries of each lane of each pair of nodes."""
    return summarise(rows_alone(rates))


def rows_alone(rates):
    """Rows of each lane of each pair of nodes, whose rates in bytes a second are [node][lane]."""
    nodes, lanes = len(rates), len(rates[0])
    rows = [CAMPAIGN]
    for node in range(nodes if nodes > 2 else 1):
        for process in range(2 * lanes):
            other, lane = (node + 1) % nodes, process % lanes
            time = 1e6 * 400_000 / min(rates[node][lane], rates[other][lane])
            place = {"node": node, "process": process, "nodes": nodes, "lanes": lanes}
            rows.append(sample(1, time, probe="lane-rates", network_bytes=[400_000], **place))
    return rows


def test_the_lane_of_a_node_that_is_slow_is_told_and_what_it_costs():
    rates = [[25e6, 25e6], [25e6, 2.5e6], [25e6, 25e6], [25e6, 25e6]]
    (found,) = verdict.verdicts(alone(rates), virtual=False)
    assert found.rates.rates == {(n, lane): rates[n][lane] for n in range(4) for lane in range(2)}
    told = found.row()
    assert told["weights"] == "10:10,1=10:1"
    assert told["slow"] == [{"node": 1, "lane": 1, "bytes_per_second": 2_500_000}]
    assert "which have 200mbit: lane 1 of node 1: 20mbit" in told["text"]
    assert "10.00 times as long as if no lane was slow, shares by weight 1.82 times" in told["text"]
    assert "laneway exec --lane-weights 10:10,1=10:1" in told["text"]


def test_a_node_that_is_slow_is_named_and_others_lose_nothing_by_it():
    rates = [[25e6, 24.5e6], [25e6, 25e6], [5e6, 25e6], [25e6, 25e6]]
    hosts = [f"host{rank // 4}.site" for rank in range(16)]
    names = names_of_nodes([{"kind": "campaign"}, {"kind": "environment", "hosts": hosts}])
    found = LaneRates.of(alone(rates), names)
    assert str(found.weights) == "5:5,host2.site=1:5"
    assert found.weights_of_lanes == (1, 5)
    assert str(LaneRates.of(alone(rates[1:3]), names).weights) == "1:5", "either of two"
    out = [[25e6, 25e6], [25e6, 0.1e6], [25e6, 25e6]]
    assert str(LaneRates.of(alone(out)).weights) == "1:1,1=1:0"
    dead = [[25e6, 25e6], [0.1e6, 25e6], [25e6, 25e6], [25e6, 0.1e6], [25e6, 25e6]]
    assert str(LaneRates.of(alone(dead)).weights) == "1:1,1=0:1,3=1:0"


def test_weights_are_installed_as_a_profile_that_the_library_reads(tmp_path):
    rates = LaneRates.of(alone([[25e6, 12.5e6]] * 3))
    path = tmp_path / "weights.conf"
    path.write_text(rates.profile("real", "two lanes"))
    assert files.is_ours(path)
    build = native.installed()[0]
    facts = profile.used(build, {**os.environ, "LANEWAY_PROFILE": str(path)})
    assert [fact["weights"] for fact in facts if "weights" in fact] == [[2, 1]]
    assert "place emulated" in rates.profile("emulated", "").splitlines()


def test_weights_go_where_all_jobs_find_them_and_go_when_the_lanes_have_healed(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    plan = SimpleNamespace(place=Place(3, 4))

    def install(rates):
        probe._install(plan, SimpleNamespace(rows=rows_alone(rates), interrupted=False))
        return " ".join(capsys.readouterr().err.split())

    path = tmp_path / "laneway" / "weights.conf"
    assert "there are no weights to install" in install([[25e6, 25e6]] * 3)
    assert not path.exists()
    assert "all jobs follow these weights" in install([[25e6, 2.5e6], [25e6, 25e6], [25e6, 25e6]])
    assert "lanes 2 weights 10:10,0=10:1" in path.read_text().splitlines()
    assert "all jobs follow these weights" in install([[25e6, 2.5e6]] * 3)
    assert "lanes 2 weights 10:1" in path.read_text().splitlines()
    assert "removed" in install([[25e6, 25e6]] * 3)
    assert not path.exists()


def test_lanes_of_mixed_rates_are_slow_on_all_nodes():
    (found,) = verdict.verdicts(alone([[25.1e6, 12.4e6]] * 3), virtual=False)
    assert found.row()["weights"] == "2:1"
    assert [each["lane"] for each in found.row()["slow"]] == [1, 1, 1]


def test_lanes_that_are_alike_but_for_noise_are_told_to_be():
    (found,) = verdict.verdicts(alone([[25e6, 24e6], [23e6, 25e6], [25e6, 25e6]]), virtual=False)
    assert found.row()["slow"] == []
    assert found.text == "all lanes of 3 nodes are alike: 184mbit at least, 200mbit at most."


def test_of_two_nodes_nobody_can_tell_which_one_is_slow():
    (found,) = verdict.verdicts(alone([[25e6, 5e6], [25e6, 25e6]]), virtual=False)
    assert [each["node"] for each in found.row()["slow"]] == [0, 1]
    assert "no telling which of them it is" in found.text


def test_rates_of_lanes_are_a_table_by_nodes():
    summaries = alone([[25e6, 25e6]] * 3)
    ((_, table),) = show.tables(summaries, None)
    assert [column.header for column in table.columns][:4] == ["nodes", "process", "N", "n"]
    assert all(each.speedup is None for each in summaries)
