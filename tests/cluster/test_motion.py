# SPDX-License-Identifier: BSD-3-Clause
"""Clusters whose lanes have a latency and a gap.

They are judged by least times alone: how late frames are is the machine's business, see
test_trust.py.
"""

import contextlib
import hashlib
import json
import os
import selectors
import signal
import socket
import subprocess
import time

import pytest

from jobs import LIMIT, wait_for
from laneway.cluster import check, namespaces, shaper, switch
from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.spec import ClusterSpec
from laneway.libraries import native

from .conftest import (
    CLI,
    cluster_namespaces,
    cluster_processes,
    laneway_cluster,
    name_of,
    processes_in,
)

pytestmark = [
    pytest.mark.usefixtures("can_make_clusters"),
    pytest.mark.xdist_group("motion"),  # they share a cluster
]

LATENCY, GAP, RATE = 2 * 10**6, 10**5, 10**8
HEADERS = 66
"""Bytes of Ethernet, IPv4 and TCP before the data of a frame."""


@pytest.fixture(scope="module", params=["separate", "joint"])
def slow(request, can_make_clusters):
    """Three nodes in slow motion."""
    pace = {"latency": LATENCY, "gap": GAP, "rate": RATE, "slower": 2000}
    spec = ClusterSpec("slow", 3, 2, fabric=request.param, **pace)
    with Cluster.up(spec) as made:
        yield made


@contextlib.contextmanager
def connected(described, *streams):
    """Both ends of a connection for each stream; they wait for data."""
    ends = [check.connect(described, stream) for stream in streams]
    try:
        for end in (end for pair in ends for end in pair):
            end.setblocking(True)
            end.settimeout(60)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield ends
    finally:
        for end in (end for pair in ends for end in pair):
            end.close()


def receive(end, length):
    """So many bytes, as they come."""
    found = b""
    while len(found) < length:
        found += end.recv(length - len(found))
    return found


def may_be_realtime(_):
    """Whether a process of the cluster may run under a real-time policy."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    except PermissionError:
        return False
    return True


def switch_frames(described):
    """How many frames the switch has carried."""
    namespaces.enter(1, ["net"])  # the holder, as seen in the cluster
    return switch.ask().frames


def nanoseconds_of(data):
    return (HEADERS + data) * 8 * 10**9 // RATE


def round_trips(described):
    """The nanoseconds that some round trips take between the first node and the last."""
    times = []
    with connected(described, check.Stream(0, described.spec.nodes - 1, lane=1)) as [ends]:
        sender, receiver = ends
        for _ in range(20):
            start = time.monotonic_ns()
            sender.send(b"!")
            receiver.send(receiver.recv(1))
            sender.recv(1)
            times.append(time.monotonic_ns() - start)
    return times


def test_no_message_is_faster_than_the_latency(slow):
    assert min(slow.inside(round_trips)) >= 2 * (LATENCY + nanoseconds_of(1))


def test_messages_leave_a_lane_and_reach_it_a_gap_apart(slow):
    def spans(described):
        found = []
        for streams in (
            [check.Stream(0, 1 + number % 2, lane=0) for number in range(10)],
            [check.Stream(1 + number % 2, 0, lane=0) for number in range(10)],
        ):
            with connected(described, *streams) as ends:
                start = time.monotonic_ns()
                for sender, _ in ends:
                    sender.send(b"!")
                for _, receiver in ends:
                    receiver.recv(1)
                found.append(time.monotonic_ns() - start)
        return found

    assert min(slow.inside(spans)) >= LATENCY + 9 * GAP + nanoseconds_of(1)


def test_no_message_slips_past_the_rate(slow):
    data = 17_000  # less than a token bucket would let pass at once

    def least(described):
        times = []
        with connected(described, check.Stream(0, 1, lane=0)) as [(sender, receiver)]:
            for _ in range(5):
                start = time.monotonic_ns()
                sender.sendall(bytes(data))
                receive(receiver, data)
                times.append(time.monotonic_ns() - start)
                time.sleep(0.005)  # the bucket is full again
        return min(times)

    assert slow.inside(least) >= LATENCY + nanoseconds_of(data)


def _exchange(ends, data):
    """Send `data` both ways over every connection; returns what arrived, by end."""
    arrived = {end: bytearray() for pair in ends for end in pair}
    left = dict.fromkeys(arrived, memoryview(data))
    with selectors.DefaultSelector() as selector:
        for end in arrived:
            end.setblocking(False)
            selector.register(end, selectors.EVENT_READ | selectors.EVENT_WRITE)
        while any(len(own) < len(data) for own in arrived.values()):
            for key, events in selector.select(60):
                end = key.fileobj
                if events & selectors.EVENT_READ:
                    arrived[end] += end.recv(2**18)
                if events & selectors.EVENT_WRITE:
                    left[end] = left[end][end.send(left[end][:70_000]) :]
                    if not left[end]:
                        selector.modify(end, selectors.EVENT_READ)
    return arrived


def test_nothing_is_lost_or_changed(slow):
    data = os.urandom(300_000)
    streams = [check.Stream(a, b, lane) for a, b in ((0, 1), (1, 2), (2, 0)) for lane in (0, 1)]
    if slow.spec.fabric == "joint":
        streams.append(check.Stream(0, 1, lane=0, target_lane=1))

    def digests(described):
        with connected(described, *streams) as ends:
            return {hashlib.sha256(own).hexdigest() for own in _exchange(ends, data).values()}

    before = slow.counters()
    assert slow.inside(digests) == {hashlib.sha256(data).hexdigest()}
    for rows in zip(before, slow.counters(), strict=True):
        for first, last in zip(*rows, strict=True):
            assert last.drops == 0
            assert last.tx - first.tx >= 2 * len(data)
            assert last.rx - first.rx >= 2 * len(data)


def test_the_switch_tells_how_late_it_was(slow):
    slow.inside(round_trips)
    kept = slow.kept()
    assert kept.frames > 0
    assert kept.quantile_us(0.5) <= kept.quantile_us(0.99) <= 1.125 * kept.worst_ns / 1000 + 1
    assert 0 < kept.most_held_bytes < 5 * 10**7
    assert kept.realtime is slow.inside(may_be_realtime)
    (told,) = map(json.loads, laneway_cluster("status", "--json").stdout.splitlines())
    assert told["switch"]["scheduling"] == kept.scheduling
    assert "late by" in laneway_cluster("status").stdout


def test_large_segments_are_carried_whole_and_take_as_long_as_their_frames(slow):
    data, mtu = 200_000, 1500

    def set_mtu(described, to):
        namespaces.enter(described.nodes[2], ["net"])
        with shaper.netlink() as ipr:
            (lane,) = ipr.link_lookup(ifname="lane0")
            ipr.link("set", index=lane, mtu=to)

    def send(described):
        set_mtu(described, mtu)
        frames = switch_frames(described)
        try:
            with connected(described, check.Stream(2, 1, lane=0)) as [(sender, receiver)]:
                start = time.monotonic_ns()
                sender.sendall(bytes(data))
                assert receive(receiver, data) == bytes(data)
                return time.monotonic_ns() - start, switch_frames(described) - frames
        finally:
            set_mtu(described, shaper.MTU)

    segments = -(-data // (mtu - HEADERS + 14))
    took, frames = slow.inside(send)
    assert took >= LATENCY + nanoseconds_of(data + (segments - 1) * HEADERS)
    assert frames < segments


def test_a_job_runs_in_slow_motion(slow, library, exchange):
    if slow.spec.fabric == "joint":
        pytest.skip("the separate fabric is enough")
    options = ("--name", "slow", "--mpi", library.mpiexec, "--ppn", 2, "--timeout", LIMIT)
    ran = laneway_cluster("run", *options, "--", exchange, 100_000)
    assert ran.returncode == 0, ran.stderr
    hosts = sorted(line.split()[0] for line in ran.stdout.splitlines() if line.startswith("node"))
    assert hosts == ["node0", "node0", "node1", "node1", "node2", "node2"]


def _switch_of(cluster):
    (pid,) = (pid for pid in cluster_processes(cluster) if name_of(pid) == switch.NAME)
    return pid


@pytest.mark.parametrize("victim", ["switch", "node", "holder"])
def test_the_end_of_any_part_is_the_end_of_all(victim):
    cluster = Cluster.up(ClusterSpec("fragile", nodes=2, lanes=1, latency=10**6))
    inside = cluster_namespaces(cluster)
    own, holder = _switch_of(cluster), cluster.state.holder
    nodes = cluster_processes(cluster) - {own, holder}
    os.kill({"switch": own, "node": max(nodes), "holder": holder}[victim], signal.SIGKILL)
    assert wait_for(lambda: not processes_in(inside))
    assert wait_for(lambda: not cluster.state.is_alive())
    Cluster.up(cluster.spec).down()  # over the leftovers


def test_without_the_program_there_is_no_latency(monkeypatch):
    monkeypatch.setattr(native, "described", list)
    with pytest.raises(
        switch.SwitchError, match=r"latency or a gap need laneway-switch.*make build"
    ):
        switch.command(ClusterSpec(latency=1))


def test_a_switch_that_cannot_start_is_told(monkeypatch):
    with pytest.raises(switch.SwitchError, match="laneway-switch: p0-lane0: No such device"):
        switch.start(switch.command(ClusterSpec(latency=1)))
    with pytest.raises(switch.SwitchError, match="does not answer"):
        switch.ask()


def test_a_network_that_needs_too_many_files_is_refused_before_anything_is_made():
    few = ["prlimit", "--nofile=256:256", *CLI]
    words = ["up", "--name", "vast", "--nodes", "64", "--lanes", "16", "--latency", "1ms"]
    ran = subprocess.run([*few, *words], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert ran.returncode == 1
    assert "the network of 1024 lanes needs 1040 open files" in ran.stderr


def test_all_find_each_other_without_asking(slow):
    def asked(described):
        """The hardware addresses that nodes know, or ask for, on their lanes."""
        found = set()
        for pid in described.nodes:
            namespaces.enter(pid, ["net"])
            with shaper.netlink() as ipr:
                lanes = [ipr.link_lookup(ifname=device)[0] for device in described.spec.devices]
                for entry in ipr.get_neighbours():
                    if entry["ifindex"] in lanes:
                        found.add(entry.get_attr("NDA_LLADDR"))
        return found

    def talk(described):
        streams = [check.Stream(a, b, lane) for a, b in ((0, 1), (1, 2), (2, 0)) for lane in (0, 1)]
        with connected(described, *streams) as ends:
            for sender, receiver in ends:
                sender.send(b"!")
                assert receive(receiver, 1) == b"!"

    slow.inside(talk)
    assert len(slow.inside(asked)) == 1  # the router


def test_frames_that_come_while_others_are_under_way_for_long_are_not_lost():
    def send_many(described):
        # 1000 in 50 ms: a ring has 518 slots, and all are under way until 100 ms are over.
        namespaces.enter(described.nodes[1], ["net"])
        with socket.socket(type=socket.SOCK_DGRAM) as receiver:
            receiver.bind((described.spec.address(1, 0), 0))
            namespaces.enter(described.nodes[0], ["net"])
            with socket.socket(type=socket.SOCK_DGRAM) as sender:
                for number in range(1000):
                    sender.sendto(b"!", receiver.getsockname())
                    if number % 20 == 0:
                        time.sleep(0.001)
            assert wait_for(lambda: switch_frames(described) >= 1000)
            return switch.ask()

    with Cluster.up(ClusterSpec("deep", 2, 1, rate=10**9, latency=10**8)) as cluster:
        if not cluster.inside(lambda _: switch.ask()).realtime:
            pytest.skip("a switch without priority may come too late")
        kept = cluster.inside(send_many)
    assert sum(kept.dropped) == 0


def test_a_cluster_in_slow_motion_comes_up_without_root():
    without = "-sys_admin,-sys_nice,-sys_resource"
    as_user = ["setpriv", f"--bounding-set={without}", f"--inh-caps={without}"]
    command = [*(as_user if os.geteuid() == 0 else []), *CLI]

    def said(verb, *words):
        ran = subprocess.run(
            [*command, verb, "--name", "rootless", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr

    said("up", "--nodes", "2", "--latency", "2ms", "--rate", "100mbit")
    with Cluster.attach("rootless") as cluster:
        inside = cluster_namespaces(cluster)
        assert not cluster.state.privileged
        assert min(cluster.inside(round_trips)) >= 2 * (LATENCY + nanoseconds_of(1))
        assert cluster.kept().scheduling == "SCHED_OTHER"
        said("down")
        assert wait_for(lambda: not processes_in(inside))


def test_a_cluster_of_another_latency_is_another_cluster(slow):
    with pytest.raises(ClusterError, match=r"is up and different: .* latency 2ms, gap 100us"):
        Cluster.up(ClusterSpec("slow", nodes=3))
