# SPDX-License-Identifier: BSD-3-Clause
"""Clusters for tests, in a state folder of their own."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path

import pytest

from jobs import LIMIT
from laneway.cluster import launch
from laneway.cluster.cluster import Cluster
from laneway.cluster.namespaces import SHARED_MEMORY
from laneway.cluster.spec import ClusterSpec

HERE = Path(__file__).parent
CLI = (sys.executable, "-c", "from laneway.commands.cluster import cluster; cluster()")


def laneway_cluster(*arguments, timeout=LIMIT):
    """Run a command of the group; returns the completed process."""
    return subprocess.run(
        [*CLI, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False
    )


def interfaces():
    """Names of this machine's own network interfaces."""
    return sorted(entry.name for entry in Path("/sys/class/net").iterdir())


def namespaces_of(pid):
    """The pid and net namespaces of a process; empty if it is gone."""
    try:
        return {str(Path(f"/proc/{pid}/ns/{kind}").readlink()) for kind in ("pid", "net")}
    except OSError:
        return set()


def processes_in(namespaces):
    """Pids of the processes that are in one of these namespaces."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in pids if namespaces_of(pid) & namespaces]


def cluster_processes(cluster):
    """Pids of all processes of a cluster: in the pid namespace of its holder or below."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    inside = namespaces_of(cluster.state.holder)
    found = {pid for pid in parents if namespaces_of(pid) & inside}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


class Held(frozenset):
    """Names of namespaces, none of which is another's while this is kept.

    The kernel gives the number of a namespace that has gone to the next one that anybody makes, so
    they are open for as long.
    """

    def __new__(cls, processes):
        opened = {}
        for pid in processes:
            for kind in ("pid", "net"):
                with contextlib.suppress(OSError):
                    descriptor = os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY)
                    name = str(Path(f"/proc/self/fd/{descriptor}").readlink())
                    if opened.setdefault(name, descriptor) != descriptor:
                        os.close(descriptor)
        held = super().__new__(cls, opened.keys() - namespaces_of("self"))
        weakref.finalize(held, lambda: [*map(os.close, opened.values())])
        return held


def cluster_namespaces(cluster):
    """All namespaces that the processes of a cluster are in, but not this process's own."""
    return Held(cluster_processes(cluster))


def name_of(pid):
    """A process's command name, empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def leftover_files():
    """Files of MPI libraries on nodes that escaped to this machine's own temporary folders."""
    folders = (Path(SHARED_MEMORY), Path(tempfile.gettempdir()))
    patterns = ("*.login*", "*.node[0-9]*")
    return {file for folder in folders for pattern in patterns for file in folder.glob(pattern)}


@pytest.fixture(scope="session")
def can_make_clusters(missing_for_clusters):
    """Skips where there can be no clusters."""
    if missing_for_clusters:
        pytest.skip(f"no clusters here: {missing_for_clusters}")


@pytest.fixture(scope="module")
def cluster(can_make_clusters):
    """Two nodes, two lanes; fast lanes, so that jobs of other tests don't wait."""
    with Cluster.up(ClusterSpec("shared", nodes=2, lanes=2, rate=10**8)) as made:
        yield made


@pytest.fixture(scope="session", params=["openmpi", "mpich"])
def library(request):
    """Each MPI library whose launcher is on PATH."""
    try:
        return launch.find(request.param)
    except launch.LaunchError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def exchange(library, tmp_path_factory):
    """exchange.c, compiled with this library: `exchange BYTES SECONDS STATUS`."""
    beside = Path(library.mpiexec).parent
    compilers = (beside / f"mpicc.{library.family}", beside / "mpicc")
    compiler = next(filter(shutil.which, map(str, compilers)), None)
    if compiler is None:
        pytest.skip(f"no mpicc of {library.family}")
    program = tmp_path_factory.mktemp(library.family) / "exchange"
    subprocess.run([compiler, "-O2", "-o", program, HERE / "exchange.c"], check=True)
    program.parent.chmod(0o755)
    return program
