# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons on emulated clusters: where they run, over which lanes, and what they leave."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

from cluster.conftest import leftover_files
from jobs import wait_for
from laneway import compare, demo, native, place
from laneway.cluster import state
from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.spec import ClusterSpec
from laneway.errors import Misuse, Problem
from laneway.launch import processes_of
from laneway.place import Place, Setting, Wanted
from test_cli import gone

pytestmark = pytest.mark.xdist_group("clusters")  # they look at what all of them leave

BUILDS = [pytest.param(build, id=build.id) for build in native.installed()]

COMMAND = [sys.executable, "-m", "laneway"]

SMALL = ["--nodes", 2, "--ppn", 2, "--runs", 1, "--time", 0.2, "--repetitions", 4,
         "--collective", "bcast", "--count", "50000"]  # fmt: skip


@pytest.fixture(autouse=True)
def own_clusters(tmp_path_factory, monkeypatch):
    """No cluster is up but those of the test."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    monkeypatch.delenv("LANEWAY_CLUSTER", raising=False)
    yield
    for cluster in Cluster.all():
        cluster.down()


@pytest.fixture
def can_make_clusters(own_clusters):
    """Skips where the kernel lacks what a cluster needs; says what that is."""
    try:
        Cluster.up(ClusterSpec("trial", nodes=1, lanes=1)).down()
    except (ClusterError, OSError) as error:
        pytest.skip(f"no clusters here: {error}")


@pytest.fixture
def two_lanes(can_make_clusters):
    with Cluster.up(ClusterSpec("up", nodes=2, lanes=2, rate=10**8)) as cluster:
        yield cluster


def laneway(*words, timeout=240):
    return subprocess.run(
        [*COMMAND, *map(str, words)], capture_output=True, text=True, timeout=timeout, check=False
    )


def kept_in(folder):
    rows = defaultdict(list)
    for line in (folder / "rows.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows[row["kind"]].append(row)
    return rows


# ---- where it runs --------------------------------------------------------------------------


def settled(**wanted):
    """The settings, and what was said about them."""
    said = []
    with place.settings(Wanted(**wanted), said.append) as settings:
        up = {cluster.spec.name for cluster in Cluster.all()}
    return settings, said, up


def test_without_namespaces_it_falls_back_to_virtual_nodes_and_says_why(monkeypatch):
    def refuse(spec):
        raise ClusterError("the kernel refuses network namespaces")

    monkeypatch.setattr(Cluster, "up", refuse)
    (setting,), (said,), _ = settled(nodes=3, ppn=2)
    assert setting.place == Place(3, 2)
    assert setting.place.machine == "3 virtual nodes on this machine, without a network"
    assert said.startswith("virtual nodes instead of a cluster")
    assert "the kernel refuses network namespaces" in said
    with pytest.raises(Problem, match="--realtime needs a cluster"):
        settled(realtime=True)
    with pytest.raises(Problem, match="--latency needs a cluster"):
        settled(pace={"latency": 10**6})
    with pytest.raises(Misuse, match="--gap: only an emulated cluster's lanes"):
        settled(cluster="none", pace={"gap": 10**5})


def test_a_launcher_with_options_of_the_users_gets_no_cluster():
    (setting,), said, up = settled(options=("--hostfile", "hosts"), ppn=2, binding="pinned")
    assert setting.place.cluster is None
    assert setting.place.machine == "2 nodes, as the launcher's options say"
    assert setting.binding == "pinned"
    assert not said
    assert not up


def test_clusters_made_for_it_are_taken_down_even_after_an_error(can_make_clusters):
    settings, said, up = settled(nodes=1, lanes=(1, 2))
    assert [setting.lanes for setting in settings] == [1, 2]
    assert [setting.binding for setting in settings] == ["lane", "lane"]
    assert len(up) == 2
    assert not said
    assert not Cluster.all()
    with pytest.raises(KeyboardInterrupt):
        _interrupted_on_a_cluster()
    assert not Cluster.all()


def _interrupted_on_a_cluster():
    with place.settings(Wanted(nodes=1), print):
        assert Cluster.all()
        raise KeyboardInterrupt


def test_a_cluster_that_is_up_is_used_where_it_fits(two_lanes):
    (setting,), said, up = settled()
    assert setting.place.cluster.spec == two_lanes.spec
    assert (setting.place.nodes, setting.lanes, setting.binding) == (2, 2, "lane")
    assert not said
    assert up == {"up"}

    control, both = settled(lanes=(1, 2))[0]
    assert (control.lanes, control.binding) == (1, "one")
    assert (both.lanes, both.binding) == (2, "lane")

    with pytest.raises(Misuse, match="cluster 'up' has rate 100mbit, not 50mbit"):
        settled(cluster="up", pace={"rate": 5 * 10**7})
    (setting,), (said,), up = settled(nodes=1)
    assert setting.place.cluster.spec.name != "up"
    assert "cluster 'up' has 2 nodes, not 1" in said
    assert len(up) == 2
    assert [cluster.spec.name for cluster in Cluster.all()] == ["up"]
    with pytest.raises(Misuse, match="has 2 nodes, not 3"):
        settled(cluster="up", nodes=3)
    with pytest.raises(Misuse, match="--lanes can be 2, or 1"):
        settled(cluster="up", lanes=(4,))


# ---- what is measured -----------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
def test_native_is_measured_under_the_bindings_asked_for(build, two_lanes):
    on_two = Setting(Place(2, 2, two_lanes), 2, "lane")
    control = Setting(Place(2, 2, two_lanes), 1, "one")
    virtual = Setting(Place(2, 2))

    def chosen(native_binding, algorithms=("all",), settings=(on_two,)):
        arms = compare.arms(settings, algorithms, native_binding, build, print)
        return [(arm.setting.lanes, arm.setting.binding, [*arm.algorithms]) for arm in arms]

    both = [(2, "lane", ["all", "native"][:1]), (2, "all", ["native"])]
    assert chosen("best") == both
    assert chosen("lane") == chosen(None) == both[:1]
    assert chosen("best", ["lane"]) == [(2, "lane", ["lane", "native"]), both[1]]
    assert chosen("all", ["lane"]) == [(2, "lane", ["lane"]), both[1]]
    assert chosen("all", ["native"]) == both[1:]
    (_, _, names), _ = chosen("all")
    assert "lane" in names
    assert "native" not in names
    assert chosen("best", settings=[control]) == [(1, "one", ["all"])]
    assert chosen("best", settings=[virtual]) == [(None, "all", ["all"])]


def test_a_binding_that_a_library_cannot_have_is_left_out_of_best(two_lanes, monkeypatch):
    def refuse(self, build, program, lanes, binding):
        if binding == "all":
            raise Problem("one device for each rank")

    monkeypatch.setattr(Place, "job", refuse)
    setting = Setting(Place(2, 2, two_lanes), 2, "lane")
    said = []
    (arm,) = compare.arms([setting], ["all"], "best", native.find(), said.append)
    assert arm.setting == setting
    assert "binding lane only: one device" in said[0]
    with pytest.raises(Problem, match="one device"):
        compare.arms([setting], ["all"], "all", native.find(), said.append)


def test_what_no_binding_mends_is_said_once(two_lanes, monkeypatch):
    def refuse(self, build, program, lanes, binding):
        raise Problem("needs root")

    monkeypatch.setattr(Place, "job", refuse)
    said = []
    with pytest.raises(Problem, match="needs root"):
        compare.arms(
            [Setting(Place(2, 2, two_lanes), 2, "lane")],
            ["all"],
            "best",
            native.find(),
            said.append,
        )
    assert said == []


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
        assert set(environment["hosts"]) == {"node0", "node1"}
        assert environment["cluster"]["lanes"] == 2
        assert environment["launched"]["library"]["version"] == build.version
        assert environment["launched"]["env"]
    assert {row["binding"] for row in kept["counters"]} == {"lane", "all"}
    (own,) = [row for row in kept["counters"] if row["binding"] == "lane"]
    assert min(own["tx_bytes"][0]) > 4 * 100_000, "the root's node sends half by each lane"
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
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_takes_the_cluster_down(how, can_make_clusters, tmp_path):
    counts = ",".join(str(50_000 + i) for i in range(200))  # what is complete is kept
    words = [*SMALL, "--time", 0.5, "--count", counts, "--out", tmp_path / "rows"]
    job = subprocess.Popen(
        [*COMMAND, "compare", *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    kept = tmp_path / "rows" / "rows.jsonl"
    try:
        assert wait_for(lambda: kept.exists() and '"sample"' in kept.read_text())
        (cluster,) = Cluster.all()
        job.send_signal(how)
        _, errors = job.communicate(timeout=120)
    finally:
        job.kill()
        job.wait()
    assert job.returncode == 130
    assert "samples are kept" in errors
    assert not Cluster.all()
    assert gone(cluster.state.holder)


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
    """What comes from a command: name and command line of every process, by pid."""
    found = {}
    for process in processes_of(command.pid):
        with contextlib.suppress(OSError):
            entry = Path("/proc", str(process.id))
            name = (entry / "comm").read_text().strip()
            found[process.id] = name, (entry / "cmdline").read_bytes()
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
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = entry.read_bytes()
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
        command.wait(120)
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
    [("node", [0, 0, 1, 1]), ("cyclic", [0, 1, 0, 1])],
    ids=["node", "cyclic"],
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


def test_an_emulated_cluster_has_no_sockets(two_lanes, tmp_path):
    said = laneway("compare", *SMALL, "--placement", "socket", "--out", tmp_path / "out")
    assert said.returncode == 2
    assert "an emulated cluster has no sockets" in said.stderr
