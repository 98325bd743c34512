# SPDX-License-Identifier: BSD-3-Clause
"""No process of Laneway takes a file of the current folder for a module."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import laneway
from jobs import LIMIT
from laneway import helpers
from laneway.cluster import cluster as clusters
from laneway.cluster.cluster import Cluster, ClusterError, borrowed
from laneway.cluster.spec import ClusterSpec
from laneway.errors import Problem
from laneway.launching import batch

from .conftest import laneway_cluster

HOST_NAME = "/proc/sys/kernel/hostname"
SPEC = ClusterSpec(f"planted-{os.getpid()}", nodes=2, lanes=1, rate=10**8)


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """The current folder, where each module that anybody may import leaves its name in `taken`."""
    taken = tmp_path / "taken"
    for name in ("laneway", "click", "psutil", "pyroute2", *sys.stdlib_module_names):
        text = f"with open({str(taken)!r}, 'a') as file: file.write('{name} ')\nprint('{name}')\n"
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return taken


def called(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False)


def test_commands_of_a_cluster_run_no_file_of_the_current_folder(
    can_make_clusters, library, planted
):
    command = [sys.executable, "-P", "-m", "laneway", "cluster"]
    name = ("--name", SPEC.name)
    size = ("--nodes", "2", "--lanes", "1")
    try:
        said = [
            called(*command, "up", *name, *size),
            called(*command, "shell", *name, "1", "cat", HOST_NAME),
            called(*command, "run", *name, "--mpi", library.family, "--ppn", "1", "echo", "rank"),
        ]
    finally:
        said.append(called(*command, "down", *name))
    assert [one.returncode for one in said] == [0] * 4, said
    assert (said[1].stdout, said[2].stdout) == ("node1\n", "rank\nrank\n")
    assert not planted.exists(), planted.read_text()


def test_a_cluster_for_the_occasion_is_taken_down_by_no_file_of_the_current_folder(
    can_make_clusters, planted
):
    with borrowed(SPEC) as made:
        assert Cluster.attach(SPEC.name).spec == made.spec
    assert not planted.exists(), planted.read_text()


@pytest.mark.parametrize("system", batch.SYSTEMS)
def test_a_job_script_runs_no_file_of_the_folder_that_the_job_starts_in(system, planted):
    script = batch.Script(batch.SYSTEMS[system], ["--version"], 1, 1).text()
    line = script.splitlines()[-1].split(" --launcher")[0]
    said = called("sh", "-c", line)
    assert said.stdout.startswith("laneway"), said
    assert not planted.exists(), planted.read_text()


def test_the_interpreter_is_started_in_one_place_alone():
    package = Path(laneway.__file__).parent
    elsewhere = [
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if file.name != "helpers.py" and "sys.executable" in file.read_text()
    ]
    assert elsewhere == []


@pytest.mark.parametrize(("said", "shown"), [("hello\n", "'hello'"), ("7\n", "'7'")])
def test_what_a_helper_says_that_is_no_json_is_shown(
    can_make_clusters, monkeypatch, tmp_path, said, shown
):
    impostor = tmp_path / "impostor"
    impostor.write_text(f"#!/bin/sh\nprintf '{said}'\nexec sleep 60\n")
    impostor.chmod(0o755)
    monkeypatch.setattr(clusters.helpers, "module", lambda *_: [str(impostor)])
    with pytest.raises(ClusterError, match=f"the holder answered {shown}, which is no object of"):
        Cluster.up(SPEC)
    assert "was not up" in laneway_cluster("down", "--name", SPEC.name).stdout
    with pytest.raises(Problem, match=f"laneway-profile answered {shown}"):
        helpers.answer("laneway-profile", said)
