# SPDX-License-Identifier: BSD-3-Clause
import contextlib
import errno
import fcntl
import itertools
import json
import os
import shlex
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from pyroute2.netlink.exceptions import NetlinkError

from commands import NO_ROOM, room_for
from jobs import LIMIT, wait_for
from laneway.cluster import check, namespaces, shaper, state
from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.namespaces import SHARED_MEMORY
from laneway.cluster.spec import ClusterSpec

from .conftest import (
    CLI,
    cluster_namespaces,
    cluster_processes,
    interfaces,
    laneway_cluster,
    processes_in,
)

pytestmark = [
    pytest.mark.usefixtures("can_make_clusters"),
    pytest.mark.xdist_group("cluster"),  # they share a cluster
]


def on_node(cluster, node, *command):
    """Run a command on a node; returns its output."""
    argv = cluster.shell_command(f"node{node}", list(command))
    return subprocess.run(argv, capture_output=True, text=True, check=True, timeout=LIMIT).stdout


def test_up_and_down_leave_nothing():
    before = interfaces()
    assert laneway_cluster("up", "--name", "trace").returncode == 0
    inside = cluster_namespaces(Cluster.attach("trace"))
    assert len(processes_in(inside)) == 1 + 4
    assert interfaces() == before
    assert laneway_cluster("down", "--name", "trace").returncode == 0
    assert not processes_in(inside)
    assert not state.folder("trace").exists()


def _seconds(*arguments):
    """How long a command takes, undisturbed by others on this machine where that is possible."""
    undisturbed = ["chrt", "--rr", "1"] if namespaces.is_privileged() else []
    start = time.monotonic()
    subprocess.run([*undisturbed, *CLI, *arguments], check=True, capture_output=True, timeout=LIMIT)
    return time.monotonic() - start


@pytest.mark.timed
def test_up_and_down_are_quick():
    times = [
        (_seconds("up", "--name", "quick"), _seconds("down", "--name", "quick")) for _ in range(3)
    ]
    ups, downs = zip(*times, strict=True)
    assert min(ups) < 3  # the best of three: others may use this machine as well
    assert min(downs) < 2


def test_a_cluster_that_cannot_be_written_down_is_not_there(can_make_clusters, runtime_folder):
    with room_for(10), pytest.raises(ClusterError, match=f"{runtime_folder}.*/crowded: {NO_ROOM}"):
        Cluster.up(ClusterSpec("crowded", nodes=2))
    assert not [*runtime_folder.rglob("crowded*")]
    Cluster.up(ClusterSpec("crowded", nodes=2)).down()


def test_a_second_up_says_what_exists(cluster):
    same = ("up", "--name", "shared", "--nodes", 2, "--lanes", 2, "--rate", "100mbit")
    again = laneway_cluster(*same)
    assert again.returncode == 0
    assert "was up already" in again.stdout
    assert Cluster.attach("shared").state == cluster.state
    different = laneway_cluster(*same, "--fabric", "joint")
    assert different.returncode == 1
    assert "is up and different: 2 nodes, 2 lanes of 100mbit, separate" in different.stderr


def test_a_node_is_a_machine_of_its_own(cluster):
    shown = [
        on_node(
            cluster, node, "sh", "-c", "hostname; ls /sys/class/net; touch $0/mine", SHARED_MEMORY
        )
        for node in range(2)
    ]
    assert [text.split() for text in shown] == [
        [f"node{node}", "lane0", "lane1", "lo", "mgmt"] for node in range(2)
    ]
    assert on_node(cluster, 0, "ls", SHARED_MEMORY) == ""
    assert "node1" in on_node(cluster, 0, "cat", "/etc/hosts")
    assert socket.gethostname() not in ("node0", "node1", "login")


def test_shell_keeps_folder_arguments_and_exit_status(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = laneway_cluster(
        "shell", "--name", "shared", "1", "--", "sh", "-c", 'pwd; echo "$1"; exit 7', "-", "a  $b"
    )
    assert ran.stdout == f"{tmp_path}\na  $b\n"
    assert ran.returncode == 7
    assert "no node 'node9'" in laneway_cluster("shell", "--name", "shared", "9").stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system, which needs root")
def test_a_node_sees_the_file_systems_of_whoever_starts_the_job(cluster, tmp_path):
    # Mounted after the cluster came up, and for one process alone, as in a container.
    node = shlex.join(cluster.shell_command("node0", ["cat", f"{tmp_path}/file"]))
    script = f"mount -t tmpfs tmpfs {tmp_path} && echo seen > {tmp_path}/file && {node}"
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == ("seen\n", "")
    assert not [*tmp_path.iterdir()]


def test_two_clusters_side_by_side(cluster):
    with Cluster.up(ClusterSpec("other", nodes=2, lanes=1, rate=10**8)) as other:
        assert not cluster_namespaces(cluster) & cluster_namespaces(other)
        before = cluster.counters()
        assert check.check(other).lanes
        assert cluster.counters() == before
        shown = laneway_cluster("status", "--json").stdout.splitlines()
        assert {json.loads(line)["spec"]["name"] for line in shown} >= {"shared", "other"}
    assert Cluster.attach("shared").state.is_alive()


@pytest.mark.parametrize("fabric", ["separate", "joint"])
def test_check_sends_over_every_lane(fabric):
    spec = ClusterSpec("measured", nodes=3, lanes=2, rate=10**8, fabric=fabric)
    with Cluster.up(spec) as cluster:
        ran = laneway_cluster("check", "--name", "measured", "--json")
        report = json.loads(ran.stdout)
        assert ran.returncode == bool(report["problems"])
        assert [(one["lane"], *one["nodes"]) for one in report["lanes"]] == [
            (lane, node, (node + 1) % 3) for lane in range(2) for node in range(3)
        ]
        for row in cluster.counters():
            for lane in row:
                assert lane.tx > 1e6
                assert lane.rx > 1e6


@pytest.mark.timed
@pytest.mark.parametrize("fabric", ["separate", "joint"])
def test_check_measures_the_rate_that_was_asked_for(fabric):
    with Cluster.up(ClusterSpec("rated", nodes=3, lanes=2, rate=10**8, fabric=fabric)) as cluster:
        report = check.check(cluster)
    if report.problems and report.stolen > 0.05:
        pytest.skip(f"the hypervisor takes {report.stolen:.0%} of the processors' time")
    assert report.problems == []
    for one in report.lanes:
        assert 0.95e8 <= one.forth <= 1.02e8
        assert 0.95e8 <= one.back <= 1.02e8


def test_a_lane_may_get_another_rate_while_the_cluster_is_up():
    with Cluster.up(
        ClusterSpec("unlike", nodes=2, lanes=2, lane_rates=(10**8, 5 * 10**7))
    ) as cluster:
        report = check.check(cluster)
        assert report.passed, report.problems
        again = laneway_cluster("set-rate", "--name", "unlike", "1", "lane0", "20mbit")
        assert again.returncode == 0, again.stderr
        changed = Cluster.attach("unlike")
        assert changed.state.rates == ((10**8, 5 * 10**7), (2 * 10**7, 5 * 10**7))
        assert Cluster.up(cluster.spec).state == changed.state, "it is the same cluster"
        report = check.check(changed)
        assert report.passed, report.problems
        forth, back = next((one.forth, one.back) for one in report.lanes if one.lane == 0)
        assert max(forth, back) < 2.2e7
        shown = laneway_cluster("status", "--csv").stdout
        assert "unlike,node1,lane0,10.1.0.2,20mbit," in shown


def test_rates_are_set_by_one_at_a_time(cluster, monkeypatch):
    def set_rate(*_):
        lock = os.open(state.base(), os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    monkeypatch.setattr("laneway.cluster.cluster._set_rate", set_rate)
    before = Cluster.attach("shared")
    before.set_rate("node0", 0, before.state.rates[0][0])
    assert before.state.rates == cluster.state.rates


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("node7", "lane0", "20mbit"), "no node 'node7'; there are node0, node1"),
        (("node1", "lane2", "20mbit"), "no lane2; there are lane0, lane1"),
        (("node1", "eth0", "20mbit"), "LANE 'eth0': expected one of lane0, lane1"),
        (("node1", "lane0", "20"), "expected a number with kbit, mbit or gbit"),
        (("node1", "lane0", "1kbit"), "expected 1mbit to 32gbit"),
    ],
)
def test_rates_that_cannot_be_set_are_refused(cluster, arguments, said):
    ran = laneway_cluster("set-rate", "--name", "shared", *arguments)
    assert ran.returncode
    assert said in ran.stderr
    assert Cluster.attach("shared").state == cluster.state


def _sabotage(cluster, node, change):
    """Change a node's network behind the cluster's back, by change(IPRoute, index of lane1)."""

    def do(described):
        namespaces.enter(described.nodes[node], ["net"])
        with shaper.netlink() as ipr:
            change(ipr, ipr.link_lookup(ifname="lane1")[0])

    cluster.inside(do)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda ipr, lane: ipr.link("set", index=lane, state="down"), "node1: lane1 missing, down"),
        (lambda ipr, lane: ipr.tc("del", index=lane, root=True), "node1: lane1 missing, down"),
        (
            lambda ipr, lane: ipr.tc(
                "replace", "tbf", lane, 0x10000, rate=5 * 10**6, burst=18432, limit=10**6
            ),
            "lane1 from node1 to node0",
        ),
    ],
    ids=["down", "unlimited", "slow"],
)
def test_check_finds_what_is_wrong(change, problem):
    with Cluster.up(ClusterSpec("broken", nodes=2, lanes=2, rate=10**8)) as cluster:
        _sabotage(cluster, 1, change)
        report = check.check(cluster)
    assert not report.passed
    assert any(problem in one for one in report.problems), report.problems


def test_check_judges_a_node_by_the_sum_of_its_lanes(cluster, monkeypatch):
    def run(state, streams):
        node = len(streams) > 1 and streams[0].source == streams[1].source
        return [rate * state.spec.rate for rate in ((0.93, 0.99) if node else (0.99, 0.99))]

    monkeypatch.setattr(check, "_run", lambda *of: run(*of)[: len(of[1])])
    report = check.check(cluster)
    assert report.passed, report.problems


@pytest.mark.parametrize(
    ("spoiled", "stolen", "passed"),
    [(2, False, True), (3, False, False), (9, True, True), (12, True, False)],
)
def test_check_measures_again_what_others_spoil(cluster, monkeypatch, spoiled, stolen, passed):
    trials = {}
    ticks = itertools.count()

    def run(state, streams):
        trials[tuple(streams)] = trials.get(tuple(streams), 0) + 1
        busy = streams[0].lane == 1 and trials[tuple(streams)] <= spoiled
        return [state.spec.rate * (0.93 if busy else 0.99)] * len(streams)

    monkeypatch.setattr(check, "_run", run)
    monkeypatch.setattr(check, "_stolen", lambda: next(ticks) if stolen else 0)
    report = check.check(cluster)
    assert report.passed == passed, report.problems
    assert (report.stolen > 0) == stolen
    assert all("lane1" in problem for problem in report.problems)


@pytest.mark.parametrize(
    ("kind", "module"), [("tbf", "sch_tbf"), ("htb", "sch_htb"), ("u32", "cls_u32")]
)
def test_a_kernel_that_lacks_a_discipline_is_told_by_the_name_of_the_module(kind, module):
    class Kernel:
        def tc(self, _command, asked, *_arguments, **_options):
            if asked == kind:
                raise NetlinkError(errno.ENOENT)

    with pytest.raises(shaper.MissingKernelFeatureError, match=f"{module}.*load or build"):
        shaper.limit(Kernel(), 1, 10**8, 18432)


def test_connections_have_queues_of_their_own(cluster):
    def packets_by_queue(described):
        ends = [check.connect(described, check.Stream(0, 1, lane=0)) for _ in range(16)]
        for sender, receiver in ends:
            sender.send(bytes(1000))
            receiver.setblocking(True)
            receiver.recv(1000)
        namespaces.enter(described.nodes[0], ["net"])
        with shaper.netlink() as ipr:
            classes = ipr.get_classes(index=ipr.link_lookup(ifname="lane0")[0])
        return [
            one.get_attr("TCA_STATS2").get_attr("TCA_STATS_BASIC")["packets"]
            for one in classes
            if one.get_attr("TCA_KIND") == "htb"
        ]

    packets = cluster.inside(packets_by_queue)
    assert len(packets) == 16
    assert sum(count > 0 for count in packets) > 4, packets


def test_switches_ask_no_packet_filter(cluster):
    def asked(_):
        return [file.read_text() for file in Path("/proc/sys/net/bridge").glob("*-nf-call-*")]

    if not Path("/proc/sys/net/bridge").exists():
        pytest.skip("nobody has loaded br_netfilter")
    assert {*cluster.inside(asked)} == {"0\n"}


def test_the_end_of_a_node_is_the_end_of_the_cluster():
    cluster = Cluster.up(ClusterSpec("fragile", nodes=2, lanes=1))
    inside = cluster_namespaces(cluster)
    node = max(cluster_processes(cluster) - {cluster.state.holder})
    os.kill(node, signal.SIGKILL)
    assert wait_for(lambda: not processes_in(inside))
    assert wait_for(lambda: not cluster.state.is_alive())  # it leaves its namespaces before
    with pytest.raises(ClusterError):
        Cluster.attach("fragile")
    again = Cluster.up(cluster.spec)  # over the leftovers
    assert again.state.holder != cluster.state.holder
    again.down()
    assert not state.folder("fragile").exists()


def test_lanes_that_go_while_they_are_counted_are_the_end_of_the_cluster():
    """Nodes go before their holder does: counting may still get in, and find no lanes."""
    with Cluster.up(ClusterSpec("fading", nodes=1, lanes=1)) as cluster:

        def lose(described):
            with shaper.netlink() as ipr:
                ipr.link("del", ifname="p0-lane0")

        cluster.inside(lose)
        with pytest.raises(ClusterError, match="cluster 'fading' went down: no interface p0-lane0"):
            cluster.counters()


def _holders(name):
    """Pids of the processes that hold the cluster of this name, or are about to."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if b"laneway.cluster.holder" in line and f'"name": "{name}"'.encode() in line:
                found.append(int(entry.name))
    return found


def _is_held():
    return bool(_holders("half"))


def _is_written_down():
    return state.read("half") is not None


def _after(seconds):
    return lambda: not time.sleep(seconds)


@pytest.mark.parametrize("options", [(), ("--latency", "1ms")], ids=["kernel", "switch"])
@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(lambda: state.folder("half").exists(), id="a folder"),
        pytest.param(_is_held, id="a holder"),
        pytest.param(_is_written_down, id="written down"),
        *(
            pytest.param(_after(number / 10), id=f"{number / 10} s", marks=pytest.mark.full)
            for number in range(1, 9)
        ),
    ],
)
def test_killing_up_half_way_leaves_no_cluster_that_is_not_written_down(moment, options):
    with subprocess.Popen(
        [*CLI, "up", "--name", "half", *options], stdout=subprocess.DEVNULL
    ) as up:
        assert wait_for(lambda: moment() or up.poll() is not None)
        up.kill()
    assert wait_for(lambda: _is_written_down() or not _is_held())
    laneway_cluster("down", "--name", "half")
    assert wait_for(lambda: not _is_held())
    assert not state.folder("half").exists()


def test_an_interrupt_when_the_holder_was_let_go_leaves_no_cluster(monkeypatch):
    class Interrupted(subprocess.Popen):
        def communicate(self, *of, **also):
            super().communicate(*of, **also)
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "Popen", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            Cluster.up(ClusterSpec("let-go", nodes=2, lanes=2, rate=10**8))
    assert not _holders("let-go")
    assert not state.folder("let-go").exists()
