# SPDX-License-Identifier: BSD-3-Clause
"""Probes: the floor, the summary and the verdict; and the command, on virtual and real lanes."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laneway import native
from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.spec import ClusterSpec
from laneway.floor import Wire, busiest_lane
from laneway.probe import show, verdict
from laneway.probe.summary import summarise
from test_cli import sham_prefix

BUILDS = [pytest.param(build, id=build.id) for build in native.installed()]

COMMAND = [sys.executable, "-m", "laneway", "probe"]


def probe(*words, cwd=None, **environment):
    inherited = {name: value for name, value in os.environ.items() if name != "LANEWAY_CLUSTER"}
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**inherited, **environment},
        timeout=240,
        check=False,
    )


def by_kind(text):
    found = defaultdict(list)
    for line in text.splitlines():
        row = json.loads(line)
        found[row["kind"]].append(row)
    return found


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


# ---- the command, without a network ---------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ["lane-pattern", "multi-collective", "node-vs-lane"])
def test_a_probe_on_virtual_nodes_measures_and_says_that_there_are_no_lanes(build, name, tmp_path):
    words = ["--cluster", "none", "--mpi", build.id, "--nodes", 2, "--ppn", 2, "--runs", 2]
    words += ["--count", "0,3,1001", "--time", 0.05, "--repetitions", 3, "--json"]
    said = probe(name, *words, "--out", tmp_path)
    assert said.returncode == 0, said.stderr
    printed = by_kind(said.stdout)
    (judged,) = printed["verdict"]
    assert judged["text"].startswith("virtual nodes: no lanes to see")
    assert judged["lanes_found"] is None

    ways = [None, None] if name == "node-vs-lane" else [1, 2]
    shown = [(row["count"], row["virtual_lanes"], row["runs"]) for row in printed["summary"]]
    assert shown == [(count, k, 2) for count in (0, 3, 1001) for k in ways]
    for summary in printed["summary"]:
        assert 0 < summary["min_us"] <= summary["median_us"]
        assert summary["floor_us"] is None
        assert (summary["nodes"], summary["ppn"]) == (2, 2)

    kept = by_kind((tmp_path / "rows.jsonl").read_text())
    assert not kept["failure"]
    assert {row["run"] for row in kept["probe"]} == {1, 2}
    expected = {
        # 1001 elements of 4 bytes, 10 times; the first process takes what is left over
        "lane-pattern": {("world", 1): [40040], ("world", 2): [20040, 20000]},
        # blocks of 501 elements, one of which goes to the other node
        "multi-collective": {("lane", 1): [2004], ("lane", 2): [2004, 2004]},
        "node-vs-lane": {("node", None): [], ("lane", None): [4004]},
    }[name]
    found = {
        (row["communicator"], row["virtual_lanes"]): row["network_bytes"]
        for row in kept["probe"]
        if row["count"] == 1001
    }
    assert found == expected
    ET.parse(tmp_path / "probe.svg")  # noqa: S314 - our own


@pytest.mark.parametrize("collective", ["allgather", "allreduce", "alltoall", "bcast"])
def test_every_collective_can_be_probed(collective, tmp_path):
    words = ["--cluster", "none", "--nodes", 3, "--ppn", 1, "--runs", 1, "--count", "1,100"]
    words += ["--collective", collective, "--time", 0.02, "--repetitions", 2, "--json"]
    for name in ("multi-collective", "node-vs-lane"):
        more = ["--ppn", 3] if name == "node-vs-lane" else []
        said = probe(name, *words, *more, "--out", tmp_path / name)
        assert said.returncode == 0, said.stderr
        rows = by_kind(said.stdout)["summary"]
        assert {row["collective"] for row in rows} == {collective}
        assert {row["processes"] for row in rows} == {3}


CORRUPTING = r"""
#include <mpi.h>
/* The MPI library with a defect: the last element that alltoall brings to rank 1 is wrong. */
int MPI_Alltoall(const void *in, int n, MPI_Datatype in_type, void *out, int m,
                 MPI_Datatype out_type, MPI_Comm comm)
{
    int code = PMPI_Alltoall(in, n, in_type, out, m, out_type, comm), rank, size;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (rank == 1) ((int *)out)[m * size - 1] ^= 1;
    return code;
}
"""


def test_wrong_data_is_an_error_and_is_not_timed(tmp_path):
    build = native.find()
    source, library = tmp_path / "corrupting.c", tmp_path / "corrupting.so"
    source.write_text(CORRUPTING)
    subprocess.run([build.mpicc, "-shared", "-fPIC", "-o", library, source], check=True)
    words = ["--cluster", "none", "--nodes", 2, "--ppn", 1, "--runs", 1, "--count", "10"]
    words += ["--mpi", build.id, "--time", 0.02, "--repetitions", 2, "--json"]
    said = probe("multi-collective", *words, "--out", tmp_path / "bad", LD_PRELOAD=str(library))
    assert said.returncode == 1
    kept = by_kind((tmp_path / "bad" / "rows.jsonl").read_text())
    assert kept["error"][0]["message"] == "the MPI library delivered wrong data"
    assert not kept["probe"]
    assert "wrong data" in said.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["lane-pattern", "--virtual-lanes", "3"], "--virtual-lanes: numbers from 1 to 2"),
        (["lane-pattern", "--virtual-lanes", "0"], "--virtual-lanes: numbers from 1 to 2"),
        (["lane-pattern", "--collective", "bcast"], "runs no --collective"),
        (["multi-collective", "--collective", "scan"], "no probe runs the collective 'scan'"),
        (["lane-pattern", "--realtime"], "--realtime needs a cluster"),
        (["lane-pattern", "--lanes", "1,2"], "need a cluster"),
        (["rails"], "'rails' is not one of"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(words, complaint, tmp_path):
    shape = ["--cluster", "none", "--nodes", 2, "--ppn", 2, "--runs", 1, "--count", 1]
    said = probe(*words, *shape, "--out", tmp_path / "none")
    assert said.returncode == 2
    assert complaint in said.stderr
    assert not said.stdout


def test_a_cluster_that_is_not_up_is_named():
    said = probe("lane-pattern", "--cluster", "no-such")
    assert said.returncode == 2
    assert "no cluster 'no-such' is up" in said.stderr


def test_a_job_that_hangs_after_its_last_row_has_done_its_work(tmp_path):
    lines = [json.dumps(sample(k, 1000.0 / k, lanes=None)) for k in (1, 2)]
    lines.append('{"kind": "environment", "run": 1, "hosts": ["a", "b"]}')
    lines.append('{"kind": "progress", "run": 1, "done": 1.0, "total": 1}')
    for number, line in enumerate(lines):
        (tmp_path / f"{number}.json").write_text(line + "\n")
    prefix = sham_prefix(tmp_path, f"cat {tmp_path}/*.json; exec sleep 200\n")
    said = probe(
        "lane-pattern", "--mpi", "openmpi-9.0", "--cluster", "none", "--runs", 1, "--json",
        "--out", tmp_path / "out",
        LANEWAY_PREFIX=str(prefix),
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    printed = by_kind(said.stdout)
    assert [row["speedup"] for row in printed["summary"]] == [1, 2]
    assert printed["verdict"][0]["lanes_found"] == 2


# ---- the command, over lanes ----------------------------------------------------------------


@pytest.fixture(scope="module")
def two_lanes(tmp_path_factory):
    """Three nodes with two lanes of 100 Mbit/s.

    Between two nodes both directions share a connection: there the library's permission to send
    may wait behind a whole message of the other direction, which says nothing of the lanes.
    """
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        try:
            cluster = Cluster.up(ClusterSpec("probed", nodes=3, lanes=2, rate=10**8))
        except (ClusterError, OSError) as error:
            pytest.skip(f"no clusters here: {error}")
        with cluster:
            yield cluster


@pytest.mark.full  # it judges times: a busy machine fails it
@pytest.mark.parametrize("build", BUILDS)
def test_two_lanes_are_found_and_the_control_has_one(build, two_lanes, tmp_path):
    words = ["--mpi", build.id, "--lanes", "1,2", "--ppn", 2, "--runs", 3, "--count", 100_000]
    words += ["--repetitions", 5, "--time", 4, "--json"]
    if two_lanes.state.privileged:
        words.append("--realtime")
    said = probe("lane-pattern", *words, "--out", tmp_path)
    assert said.returncode == 0, said.stderr  # no time below its floor, either
    printed = by_kind(said.stdout)
    summaries = {(row["lanes"], row["virtual_lanes"]): row for row in printed["summary"]}
    assert set(summaries) == {(2, 1), (2, 2), (1, 1), (1, 2)}
    assert summaries[2, 2]["speedup"] > 1.6
    assert summaries[1, 2]["speedup"] < 1.3
    for (lanes, k), summary in summaries.items():
        used = min(lanes, k)
        assert summary["floor_us"] == pytest.approx((4_000_000 / used - 18432) * 0.08, abs=0.01)
        assert summary["min_us"] >= summary["floor_us"]
        assert summary["binding"] == ("lane" if lanes == 2 else "one")
        expected = {"lane0": 0.5, "lane1": 0.5} if used == 2 else {"lane0": 1.0}
        assert summary["traffic"] == pytest.approx(expected, abs=0.02)
    assert {row["lanes"]: row["lanes_found"] for row in printed["verdict"]} == {2: 2, 1: 1}

    kept = by_kind((tmp_path / "rows.jsonl").read_text())
    two = [row for row in kept["counters"] if row["lanes"] == 2]
    assert len(two) == 3, "one a run"
    for counters in two:
        for node in range(3):
            first, second = counters["tx_bytes"][node]
            assert first > second > 2_000_000, "lane 1 carries its half of k = 2 alone"
            assert counters["drops"][node] == [0, 0]
