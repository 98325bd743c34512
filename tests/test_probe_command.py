# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway probe`, on virtual nodes and over lanes."""

import json
import subprocess
import xml.etree.ElementTree as ET
from collections import defaultdict
from functools import partial

import pytest

from commands import laneway
from jobs import BUILDS
from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.spec import ClusterSpec
from laneway.commands.probe import busy_with
from laneway.libraries import native
from test_cli import sham_prefix
from test_probe import sample

probe = partial(laneway, "probe", LANEWAY_CLUSTER="auto")


def by_kind(text):
    found = defaultdict(list)
    for line in text.splitlines():
        row = json.loads(line)
        found[row["kind"]].append(row)
    return found


# ---- the command, without a network ---------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ["lane-pattern", "lane-both", "multi-collective", "node-vs-lane"])
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
        # as much to the other neighbour, which is the same node
        "lane-both": {("world", 1): [80080], ("world", 2): [40080, 40000]},
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


@pytest.mark.parametrize(
    ("name", "messages"),
    [("lane-pairs", 1), ("lane-both", 2), ("lane-all", 2), ("lane-hypercube", 2)],
)
def test_lanes_join_other_nodes_than_the_next(name, messages, tmp_path):
    """Three nodes, of which the last has no partner in pairs, nor across one dimension."""
    words = ["--cluster", "none", "--nodes", 3, "--ppn", 2, "--runs", 1, "--count", "100"]
    words += ["--time", 0.02, "--repetitions", 2, "--out", tmp_path]
    said = probe(name, *words)
    assert said.returncode == 0, said.stderr
    rows = by_kind((tmp_path / "rows.jsonl").read_text())["probe"]
    found = {row["virtual_lanes"]: row["network_bytes"] for row in rows}
    assert found == {1: [messages * 4000], 2: [messages * 2000, messages * 2000]}


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
        (["lane-pattern", "bcast"], "lane-pattern runs no collective: leave bcast out"),
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

    Between two nodes both directions share a connection. There the library's permission to send may
    wait behind a whole message of the other direction, which says nothing of the lanes.
    """
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        try:
            cluster = Cluster.up(ClusterSpec("probed", nodes=3, lanes=2, rate=10**8))
        except (ClusterError, OSError) as error:
            pytest.skip(f"no clusters here: {error}")
        with cluster:
            yield cluster


@pytest.mark.timed
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


def test_of_a_busy_machine_a_verdict_says_so():
    heading = {"kind": "campaign", "load": 12.0, "machine": {"cores": 2}, "cluster": {"nodes": 4}}
    told = busy_with([heading])
    assert told[0].startswith("The machine was busy: other processes were at work when it began")
    assert "lanes may be missed" in told[1]
    assert busy_with([{**heading, "load": 0.1}]) == []
