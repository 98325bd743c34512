# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on a cluster: that they start as asked, and that nothing outlives them."""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter

import pytest

from jobs import LIMIT, wait_for
from laneway.cluster import job, launch, namespaces, state, switch
from laneway.cluster.cluster import Cluster
from laneway.cluster.spec import BINDINGS, ClusterSpec
from laneway.commands.cluster import told_to_ranks

from .conftest import (
    CLI,
    cluster_namespaces,
    cluster_processes,
    interfaces,
    laneway_cluster,
    leftover_files,
    name_of,
    processes_in,
)

pytestmark = pytest.mark.xdist_group("jobs")  # they share a cluster

BYTES = 2_000_000


def run(library, *arguments, name="shared", ppn=2):
    options = ("--name", name, "--mpi", library.mpiexec, "--ppn", ppn, "--timeout", LIMIT)
    return laneway_cluster("run", *options, *arguments)


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_binding_decides_which_lanes_carry_a_message(
    cluster, library, exchange, binding, tmp_path
):
    if binding == "all" and library.transport == "ofi":
        pytest.skip("libfabric's tcp provider gives a rank one device")
    record = tmp_path / "record.json"
    ran = run(library, "--binding", binding, "--record", record, "--", exchange, BYTES)
    assert ran.returncode == 0, ran.stderr

    lanes = {"lane": ("lane0", "lane1"), "one": ("lane0",) * 2, "all": ("lane0,lane1",) * 2}
    said = sorted(line for line in ran.stdout.splitlines() if line.startswith("node"))
    assert said == [f"node{rank // 2} {rank} {lanes[binding][rank % 2]}" for rank in range(4)]

    recorded = json.loads(record.read_text())
    assert recorded["library"]["version"] == library.version
    assert recorded["binding"] == binding
    assert recorded["status"] == 0
    for node in range(2):
        sent = [
            after["tx"] - before["tx"]
            for before, after in zip(
                recorded["traffic_before"][node], recorded["traffic_after"][node], strict=True
            )
        ]
        assert sum(sent) >= 2 * BYTES
        if binding == "lane":
            assert min(sent) >= BYTES
        if binding == "one":
            assert sent[0] >= 2 * BYTES
            assert sent[1] < 0.05 * BYTES


@pytest.mark.parametrize(("binding", "lanes"), [("lane", 2), ("one", 1)])
def test_ranks_know_that_their_nodes_are_emulated(cluster, library, binding, lanes):
    words = (
        "sh",
        "-c",
        'echo "$LANEWAY_EMULATED $LANEWAY_EMULATED_LANES $LANEWAY_EMULATED_BINDING"',
    )
    ran = run(library, "--binding", binding, "--", *words)
    assert (ran.returncode, ran.stdout) == (0, f"1 {lanes} {binding}\n" * 4), ran.stderr
    told = told_to_ranks(["--name", "shared", "--binding", binding, "--", "./app"])
    assert told == {"LANEWAY_EMULATED": "1", "LANEWAY_EMULATED_LANES": str(lanes),
                    "LANEWAY_EMULATED_BINDING": binding}  # fmt: skip


RECEIVED = "tr : ' ' < /proc/net/dev | awk '{bytes += $2} END {printf(\"%.0f\", bytes)}'"
"""Bytes that came on all devices of a node, its own loopback included."""


def test_messages_inside_a_node_go_through_its_memory(cluster, library, exchange):
    """Ranks two apart are on one node here."""
    script = f"before=$({RECEIVED}); {exchange} {BYTES} && echo $(($({RECEIVED}) - before))"
    command = cluster.launch_command(
        library.family, library.version, library.mpiexec, ppn=2, cyclic=True
    )
    ran = subprocess.run(
        [*command.argv, "sh", "-c", script],
        env=command.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    received = [int(line) for line in ran.stdout.splitlines() if line.isdecimal()]
    assert len(received) == 4
    assert max(received) < BYTES


def test_a_setting_of_the_process_manager_does_not_decide_who_shares_a_node(
    monkeypatch, cluster, library, exchange
):
    """Images of containers have it. Without the launch's own the ranks hang."""
    monkeypatch.setenv("PMIX_MCA_gds", "hash")
    assert run(library, "--", exchange, BYTES).returncode == 0


def test_unequal_nodes_and_a_joint_fabric(can_make_clusters, library, exchange):
    spec = ClusterSpec("unequal", nodes=3, lanes=2, rate=10**8, fabric="joint", slots=(2, 2, 1))
    with Cluster.up(spec):
        ran = run(library, "--", "hostname", name="unequal")
        assert sorted(ran.stdout.split()) == ["node0", "node0", "node1", "node1", "node2"]


@pytest.mark.skipif(not namespaces.is_privileged(), reason="real time takes root")
@pytest.mark.parametrize("unequal", [False, True])
def test_ranks_in_real_time_are_spread_evenly_over_the_processors(
    can_make_clusters, library, unequal
):
    usable = sorted(os.sched_getaffinity(0))
    ranks = 4 * len(usable)
    slots = (ranks - 1, 1) if unequal else (ranks // 2, ranks // 2)
    said = "chrt -p $$; taskset -cp $$"
    with Cluster.up(ClusterSpec("even", nodes=2, lanes=1, slots=slots)):
        ran = run(library, "--realtime", "--", "sh", "-c", said, name="even")
    lines = ran.stdout.splitlines()
    policies = Counter(line.split()[-1] for line in lines if "policy" in line)
    places = Counter(int(line.split()[-1]) for line in lines if "affinity" in line)
    assert policies == {"SCHED_RR": ranks}
    assert places == dict.fromkeys(usable, 4)


def test_the_exit_status_is_the_programs(cluster, library, exchange):
    assert run(library, "--", exchange, 0, 0, 3).returncode == 3
    assert run(library, "--", "/does/not/exist").returncode not in (0, 124)


def test_a_job_ends_at_its_time_limit(cluster, library, exchange):
    inside = cluster_processes(cluster)
    ran = laneway_cluster(
        "run", "--name", "shared", "--mpi", library.mpiexec, "--ppn", 1, "--timeout", 2,
        "--", exchange, 8, 600,
    )  # fmt: skip
    assert ran.returncode == 124
    assert "stopped after 2 s" in ran.stderr
    assert cluster_processes(cluster) == inside


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_a_job(cluster, number):
    inside = cluster_processes(cluster)
    argv = cluster.shell_command("node0", ["sleep", "600"])
    with subprocess.Popen(argv) as job:
        assert wait_for(lambda: "sleep" in map(name_of, cluster_processes(cluster)))
        job.send_signal(number)
        assert job.wait(LIMIT) == (128 + number if number != signal.SIGKILL else -number)
    assert wait_for(lambda: cluster_processes(cluster) == inside)


def test_launch_command_is_for_the_library_that_it_names(cluster, library):
    command = cluster.launch_command(library.family, library.version, library.mpiexec, ppn=1)
    ran = subprocess.run(
        [*command.argv, "hostname"],
        env=command.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    assert sorted(ran.stdout.split()) == ["node0", "node1"]
    with pytest.raises(launch.LaunchError, match="belongs to"):
        cluster.launch_command(library.family, "0.1", library.mpiexec)


def test_a_program_that_is_no_launcher_is_refused():
    with pytest.raises(launch.LaunchError, match="starts Open MPI and MPICH alone"):
        launch.identify("true")
    with pytest.raises(launch.LaunchError, match="no such program"):
        launch.identify("/does/not/exist")


VICTIMS = {
    "launcher": lambda name: name in ("mpirun", "mpiexec", "prterun") or name.startswith("mpi"),
    "daemon": lambda name: name in ("orted", "prted", "hydra_pmi_proxy"),
    "rank": lambda name: name == "exchange",
    "switch": lambda name: name == switch.NAME,
}


def _cycle(library, exchange, victim, choose, delay=None, *, latency=0):
    """Up, a job, kill -9 of a victim after a while, down; nothing may be left.

    Without a delay, the kill comes as soon as the victim is there.
    """
    links, files = interfaces(), leftover_files()
    cluster = Cluster.up(ClusterSpec("victim", nodes=2, lanes=2, latency=latency))
    options = ("--name", "victim", "--mpi", library.mpiexec, "--ppn", "2", "--timeout", str(LIMIT))
    with subprocess.Popen(
        [*CLI, "run", *options, "--", str(exchange), "1000", "600"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as job:

        def named():
            known = {"caller": [job.pid], "holder": [cluster.state.holder]}
            return known.get(victim) or [
                pid for pid in cluster_processes(cluster) if VICTIMS[victim](name_of(pid))
            ]

        if delay is None:
            assert wait_for(named)
        else:
            time.sleep(delay)
        inside = cluster_namespaces(cluster)
        if found := named():  # else the job has not come so far
            os.kill(choose(found), signal.SIGKILL)
        time.sleep(0.1)
        assert laneway_cluster("down", "--name", "victim").returncode == 0
        assert job.wait(LIMIT) != 0
    assert wait_for(lambda: not processes_in(inside)), [*map(name_of, processes_in(inside))]
    assert not state.folder("victim").exists()
    assert interfaces() == links
    assert leftover_files() == files


@pytest.mark.parametrize("victim", ["holder", "daemon", "rank"])
def test_a_cycle_with_a_kill_leaves_nothing(can_make_clusters, library, exchange, victim):
    _cycle(library, exchange, victim, min)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("latency", [0, 10**6])
def test_twenty_cycles_with_random_kills_leave_nothing(
    can_make_clusters, library, exchange, latency
):
    for seed in range(20):
        chance = random.Random(seed)  # noqa: S311 - for a test
        there = [victim for victim in VICTIMS if latency or victim != "switch"]
        victim = chance.choice([*there, "holder", "caller"])
        delay = chance.uniform(0.1, 2.5)
        print(f"cycle {seed}: kill {victim} after {delay:.2f} s")
        _cycle(library, exchange, victim, chance.choice, delay, latency=latency)


def test_what_keeps_a_job_from_its_cluster_is_said(cluster):
    hosts = cluster.state.hosts
    kept = hosts.rename(hosts.with_name("kept"))
    try:
        said = laneway_cluster("shell", "--name", "shared", "node1", "true")
    finally:
        kept.rename(hosts)
    assert said.returncode == job.NO_CLUSTER
    assert "cannot enter cluster 'shared': [Errno 2]" in said.stderr
