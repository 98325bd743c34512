# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons on emulated clusters: what they measure, and what they leave."""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest

from cluster.conftest import leftover_files
from commands import COMMAND, process
from jobs import BUILDS, LIMIT, wait_for
from laneway.cluster import state
from laneway.cluster.cluster import Cluster
from laneway.launching.place import Place, Setting
from laneway.launching.run import processes_of
from laneway.libraries import native
from laneway.plans import demo
from test_cli import gone

pytestmark = pytest.mark.usefixtures("own_clusters")

WORDS = ["--runs", 1, "--time", 0.2, "--repetitions", 4,
         "--collective", "bcast", "--count", "50000"]  # fmt: skip
SMALL = ["--nodes", 2, "--ppn", 2, *WORDS]

laneway = partial(process, LANEWAY_CLUSTER="auto")


def _text(path):
    return path.read_text() if path.exists() else ""


def kept_in(folder):
    rows = defaultdict(list)
    for line in (folder / "rows.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows[row["kind"]].append(row)
    return rows


def test_the_demo_shares_its_time_among_all_cases():
    builds = native.installed()
    plans = demo.plans(builds, [Setting(Place(2, 2))], runs=3, seconds=40, say=print)
    assert {plan.build.id for plan in plans} == {build.id for build in builds}
    spent = sum(
        plan.seconds * len(task.blocks)
        for plan in plans
        for run in range(1, plan.runs + 1)
        for task in plan.tasks(run)
    )
    assert spent == pytest.approx(40, rel=0.05)


# ---- the command ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("build", BUILDS)
def test_compare_makes_a_cluster_and_takes_it_down(build, can_make_clusters, tmp_path):
    words = ["--mpi", build.id, "--algorithm", "lane", "--json", "--out", tmp_path / "rows"]
    said = laneway("compare", *SMALL, *words, "--report", tmp_path / "report.html")
    assert said.returncode == 0, said.stderr  # so no time lies below its floor, either
    assert not Cluster.all()

    summaries = [json.loads(line) for line in said.stdout.splitlines()]
    found = {(row["algorithm"], row["binding"]): row for row in summaries}
    assert set(found) == {("native", "lane"), ("native", "all"), ("lane", "lane")}
    best = min(found["native", each]["median_us"] for each in ("lane", "all"))
    for row in summaries:
        assert row["machine"].startswith("an emulated cluster on this machine: 2 nodes, 2 lanes")
        assert row["floor_us"] == pytest.approx((100_000 - 18432) * 8 / 200, abs=0.01)
        assert (row["lane_rate"], row["lane_burst"]) == (200_000_000, 18432)
        assert row["over_floor"] == pytest.approx(row["median_us"] / row["floor_us"], rel=1e-3)
        assert row["ratio_to_native"] == pytest.approx(best / row["median_us"], rel=1e-3)
        assert found["native", row["native_binding"]]["median_us"] == best

    kept = kept_in(tmp_path / "rows")
    assert len(kept["counters"]) == len(kept["environment"]) == 2
    for environment in kept["environment"]:
        assert environment["hosts"] == ["node0", "node0", "node1", "node1"]
        assert environment["cluster"]["lanes"] == 2
        assert environment["launched"]["library"]["version"] == build.version
        assert environment["launched"]["env"]
        own = [] if environment["launched"]["binding"] == "lane" else ["--binding", "all"]
        run = ["--mpi", build.family, "--ppn", "2", *own, "--"]
        assert environment["started"] == ["laneway", "cluster", "run", *run]
    assert {row["binding"] for row in kept["counters"]} == {"lane", "all"}
    (own,) = [row for row in kept["counters"] if row["binding"] == "lane"]
    served = [row for row in kept["sample"] if row["algorithm"] == "lane"]
    assert served, "as many as there was time for"
    half = len(served) * 100_000
    assert min(own["tx_bytes"][0]) > half, "the root's node sends half by each lane"
    for row in kept["carried"]:
        assert row["devices"][:2] == ["lane0", "lane1"]
        message = row["bytes"] * row["repetitions"]
        sent, received = (
            sum(row[name][node][:2]) for name, node in (("tx_bytes", 0), ("rx_bytes", 1))
        )
        assert sent >= message, "the root's node sends it all at least once"
        assert abs(sent - received) < 0.1 * sent, "which the other node receives"
        if row["algorithm"] == "lane":
            assert min(row["tx_bytes"][0][:2]) > 0.45 * message, "half by each lane"
    assert {row["algorithm"] for row in kept["carried"]} == {"native", "lane"}
    assert "lanes of 200mbit with a burst of 18432 B" in (tmp_path / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("build", BUILDS)
def test_compare_uses_the_cluster_that_is_up_and_the_control_one_lane(build, two_lanes, tmp_path):
    words = ["--mpi", build.id, "--lanes", "1,2", "--native", "lane", "--algorithm", "lane"]
    said = laneway("compare", *SMALL, *words, "--out", tmp_path / "rows")
    assert said.returncode == 0, said.stderr
    assert Cluster.attach("up").spec == two_lanes.spec
    assert "lanes 1, binding one: lane0 100%, lane1 0%" in said.stdout
    assert "2 lanes of 100mbit each (burst 18432 B)" in said.stdout
    assert "/ floor" in said.stdout
    for row in kept_in(tmp_path / "rows")["counters"]:
        used = sum(sum(node[1:]) for node in row["tx_bytes"]) > 100_000
        assert used == (row["lanes"] == 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full)]
)
def test_an_interrupt_takes_the_cluster_down(how, can_make_clusters, tmp_path):
    counts = ",".join(str(50_000 + i) for i in range(200))  # complete cases are kept
    words = [*SMALL, "--time", 0.5, "--count", counts, "--out", tmp_path / "rows"]
    job = subprocess.Popen(
        [*COMMAND, "compare", *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    kept = tmp_path / "rows" / "rows.jsonl"
    try:
        assert wait_for(lambda: kept.exists() and '"sample"' in kept.read_text())
        (cluster,) = Cluster.all()
        job.send_signal(how)
        _, errors = job.communicate(timeout=LIMIT)
    finally:
        job.kill()
        job.wait()
    assert job.returncode == 130
    assert "samples are kept" in errors
    assert not Cluster.all()
    assert gone(cluster.state.holder)


def test_a_cluster_that_is_taken_down_under_a_comparison_is_told(two_lanes, tmp_path):
    words = [*SMALL, "--mpi", native.find().id, "--native", "lane", "--algorithm", "lane"]
    words += ["--time", 60, "--repetitions", 10**8, "--out", tmp_path / "rows"]
    with subprocess.Popen(
        [*COMMAND, "compare", *map(str, words)], stderr=subprocess.PIPE, text=True
    ) as job:
        assert wait_for(lambda: '"environment"' in _text(tmp_path / "rows" / "rows.jsonl"))
        two_lanes.down()
        _, errors = job.communicate(timeout=LIMIT)
    assert job.returncode == 1
    assert "cluster 'up' went down" in errors
    assert "Traceback" not in errors


# ---- what a kill leaves ---------------------------------------------------------------------

VICTIMS = {
    "command": lambda name, line: False,  # known without looking
    "holder": lambda name, line: b"laneway.cluster.holder" in line,
    "guard": lambda name, line: b"laneway.cluster.guard" in line,
    "launcher": lambda name, line: name.startswith("mpi"),
    "daemon": lambda name, line: name in ("orted", "prted", "hydra_pmi_proxy"),
    "rank": lambda name, line: name == "laneway-bench",
}


def _started_by(command):
    """The processes that come from a command: name and command line of each, by pid."""
    found = {}
    for each in processes_of(command.pid):
        with contextlib.suppress(OSError):
            entry = Path("/proc", str(each.id))
            name = (entry / "comm").read_text().strip()
            found[each.id] = name, (entry / "cmdline").read_bytes()
    return found


def _kill_a(victim, command, choose):
    """Kill -9 of one process of a command's; of none where it has not come so far."""
    if victim == "command":
        command.kill()
        return
    matches = VICTIMS[victim]
    found = [pid for pid, what in _started_by(command).items() if matches(*what)]
    if found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(choose(found), signal.SIGKILL)


def _left_of(name):
    """Processes in a cluster of this name or made for it, and files."""
    mark = name.encode()
    found = [*map(str, state.base().glob(f"{name}*"))]
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if mark in line:
                found.append(line.replace(b"\0", b" ").decode())
    return found


def _compare_and_kill(build, victim, moment, choose, out):
    """`moment(command)` returns when it is time."""
    words = [*SMALL, "--mpi", build.id, "--time", 60, "--repetitions", 10**8, "--out", out]
    before = leftover_files()
    with subprocess.Popen(
        [*COMMAND, "compare", *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as command:
        name = f"own-{command.pid}-"
        moment(command)
        _kill_a(victim, command, choose)
        time.sleep(0.2)
        command.terminate()
        command.wait(LIMIT)
    wait_for(lambda: not _left_of(name))
    assert _left_of(name) == [], f"after the kill of {victim}"
    assert leftover_files() == before


@pytest.mark.slow
@pytest.mark.parametrize("started", ["holder", "rank"])
def test_a_killed_comparison_leaves_no_cluster(started, can_make_clusters, tmp_path):
    def moment(command):
        assert wait_for(lambda: any(VICTIMS[started](*what)
                                    for what in _started_by(command).values()))  # fmt: skip

    _compare_and_kill(native.find(), "command", moment, min, tmp_path / "rows")


@pytest.mark.full
@pytest.mark.parametrize("build", BUILDS)
def test_twenty_comparisons_with_a_random_kill_leave_nothing(build, can_make_clusters, tmp_path):
    for seed in range(20):
        chance = random.Random(seed)  # noqa: S311 - for a test
        victim, delay = chance.choice([*VICTIMS, "command"]), chance.uniform(0.2, 4)
        print(f"cycle {seed}: kill {victim} after {delay:.2f} s")
        _compare_and_kill(
            build, victim, lambda _, delay=delay: time.sleep(delay), chance.choice,
            tmp_path / str(seed),
        )  # fmt: skip


# ---- where ranks are ------------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    ("placement", "nodes"),
    [
        # In test_compare_makes_a_cluster_and_takes_it_down, too.
        pytest.param("node", [0, 0, 1, 1], id="node", marks=pytest.mark.full),
        pytest.param("cyclic", [0, 1, 0, 1], id="cyclic"),
    ],
)
def test_ranks_are_where_the_placement_says(build, placement, nodes, two_lanes, tmp_path):
    said = laneway("compare", *SMALL, "--mpi", build.id, "--placement", placement,
                   "--algorithm", "lane", "--native", "lane", "--out", tmp_path)  # fmt: skip
    assert said.returncode == 0, said.stderr
    kept = kept_in(tmp_path)
    assert [row["hosts"] for row in kept["environment"]] == [[f"node{node}" for node in nodes]]
    told = None if placement == "node" else placement
    assert {(row["algorithm"], row["placement"]) for row in kept["sample"]} == {
        ("native", told), ("lane", told),
    }, "results are right wherever ranks are"  # fmt: skip
    sent = kept["counters"][0]["tx_bytes"]
    assert all(sum(lane) > 100_000 for lane in zip(*sent, strict=True)), "each carries its half"


@pytest.mark.parametrize("build", BUILDS[:1])
def test_unequal_nodes_are_compared(build, can_make_clusters, tmp_path):
    said = laneway("compare", "--unequal", "2,1", *WORDS, "--mpi", build.id,
                   "--algorithm", "lane", "--native", "lane", "--out", tmp_path)  # fmt: skip
    assert said.returncode == 0, said.stderr
    kept = kept_in(tmp_path)
    assert {(row["nodes"], row["ppn"], row["unequal"]) for row in kept["sample"]} == {(2, 2, "2,1")}
    assert kept["environment"][0]["hosts"] == ["node0", "node0", "node1"]


def test_an_emulated_cluster_has_no_sockets(two_lanes, tmp_path):
    said = laneway("compare", *SMALL, "--placement", "socket", "--out", tmp_path / "out")
    assert said.returncode == 2
    assert "an emulated cluster has no sockets" in said.stderr
