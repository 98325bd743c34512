# SPDX-License-Identifier: BSD-3-Clause
import os
import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from jobs import LIMIT
from laneway.cluster import state
from laneway.cluster.cluster import Cluster, ClusterError, take_down
from laneway.cluster.namespaces import SHARED_MEMORY
from laneway.cluster.spec import ClusterSpec

from .conftest import CLI, laneway_cluster


def _written(name, holder, started):
    made = state.State(ClusterSpec(name), holder, started, nodes=(2, 3), privileged=True)
    made.folder.mkdir(parents=True)
    state.write(made)
    return made


def test_a_state_is_read_as_it_was_written():
    made = _written("as-written", os.getpid(), state.start_time(os.getpid()))
    assert state.read("as-written") == made
    assert made.is_alive()
    assert [file.name for file in made.folder.iterdir()] == ["state.json"]
    state.remove("as-written")


def test_a_holder_that_ended_is_recognised():
    with subprocess.Popen(["true"]) as process:
        started = state.start_time(process.pid)
    made = _written("ended", process.pid, started or 0)
    assert not made.is_alive()
    with pytest.raises(ClusterError, match="no cluster 'ended' is up"):
        Cluster.attach("ended")
    assert "was killed" in laneway_cluster("status").stderr
    assert take_down("ended")
    assert not made.folder.exists()


def test_another_process_with_the_holders_pid_is_not_the_holder():
    made = _written("reused", os.getpid(), state.start_time(os.getpid()) - 1)
    assert not made.is_alive()
    assert take_down("reused")  # and this process lives


def test_a_zombie_is_dead():
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert state.start_time(process.pid) is None
    process.wait()


def test_a_damaged_state_can_be_taken_down():
    folder = state.folder("damaged")
    folder.mkdir(parents=True)
    (folder / "state.json").write_text('{"spec": ')
    assert state.read("damaged") is None
    assert laneway_cluster("down", "--name", "damaged").returncode == 0
    assert not folder.exists()


def test_a_job_finds_the_state_where_its_caller_wrote_it(monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    outside = state.base()
    monkeypatch.setenv("TMPDIR", SHARED_MEMORY)
    assert state.base() == outside


def test_another_users_runtime_folder_is_left_alone(monkeypatch, tmp_path):
    """`su` keeps the variable; and in a container the folder may never have been made."""
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    without = state.base()
    others = [tmp_path / "not-there"]
    if os.getuid() == 0:
        others.append(tmp_path / "another-users")
        others[-1].mkdir()
        os.chown(others[-1], 4711, 4711)
    for folder in others:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
        assert state.base() == without
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert state.base() == tmp_path / "laneway-cluster"


AS_A_USER = ("unshare", "--user", "--map-user=1234", "--map-group=1234")
"""A process without root's rights, which may still read the files that the caller may."""


def test_a_user_without_a_runtime_folder_runs_jobs(can_make_clusters):
    """In a cluster's user namespace the number of a user is another than outside."""
    if subprocess.run([*AS_A_USER, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces with other numbers of users here")
    command, name = shlex.join(CLI), f"--name user-{os.getpid()}"
    script = (
        f"{command} up {name} --nodes 2 && {command} shell {name} node1 hostname; "
        f"{command} down {name}"
    )
    done = subprocess.run(
        [*AS_A_USER, "env", "-u", "XDG_RUNTIME_DIR", "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert "node1" in done.stdout.splitlines(), done.stderr
    assert "is down" in done.stdout


def test_one_at_a_time_may_change_the_clusters():
    inside = []

    def change(number):
        for _ in range(50):
            with state.locked():
                inside.append(number)
                time.sleep(0)
                assert inside == [number]
                inside.pop()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(change, range(8)))  # raises what a thread raised
    assert not state.base().exists()
