# SPDX-License-Identifier: BSD-3-Clause
"""A cluster that is up, for Python programs."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from laneway import helpers
from laneway.cluster import launch, links, namespaces, shaper, state, switch
from laneway.cluster.launch import Launch
from laneway.cluster.links import Traffic
from laneway.cluster.spec import LOGIN, Binding, ClusterSpec, check_rate
from laneway.cluster.state import State
from laneway.cluster.switch import SwitchTiming
from laneway.errors import Problem, similar
from laneway.libraries.native import Family
from laneway.proc import start_time

T = TypeVar("T")

_PATIENCE = 10.0  # seconds for the processes of a cluster to end
_PROGRAMS = ("nsenter", "unshare", "mount", "chrt", "taskset")


class ClusterError(RuntimeError):
    """A cluster that can't be made or used; the message is for the user."""


class NotThereError(ClusterError):
    """Something that was named is not there: no such cluster is up, or it has no such node."""


class Cluster:
    """A cluster that is up. Made by `up` or `attach`.

    with Cluster.up(ClusterSpec(nodes=4, lanes=2)) as cluster:
        launch = cluster.launch_command("openmpi", "4.1.4", "/usr/bin/mpirun.openmpi", ppn=4)
        subprocess.run([*launch.argv, "./program"], env=launch.environment())
    """

    def __init__(self, described: State) -> None:
        self.state = described

    @property
    def spec(self) -> ClusterSpec:
        """The cluster that was asked for."""
        return self.state.spec

    @classmethod
    def up(cls, spec: ClusterSpec) -> Cluster:
        """Make a cluster, or attach to the one of this name if it is the same.

        Raises ClusterError if the kernel refuses, or if one of this name is up and different.
        """
        _need_programs()
        with state.locked():
            found = state.read(spec.name)
            if found is not None and found.is_alive():
                if found.spec != spec:
                    raise ClusterError(
                        f"cluster {spec.name!r} is up and different: {found.spec}; "
                        "take it down first, or choose another name"
                    )
                return cls(found)
            state.remove(spec.name)
            return cls(_start(spec))

    @classmethod
    def attach(cls, name: str = "default") -> Cluster:
        """The cluster of this name. Raises ClusterError if none is up."""
        found = state.read(name)
        if found is None or not found.is_alive():
            raise NotThereError(not_up(name))
        return cls(found)

    @classmethod
    def all(cls) -> list[Cluster]:
        """The clusters of this user that are up."""
        found = map(state.read, state.names())
        return [cls(one) for one in found if one is not None and one.is_alive()]

    def down(self) -> None:
        """End every process of the cluster and remove what describes it."""
        take_down(self.spec.name)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.down()

    def launch_command(
        self,
        mpi_family: Family,
        mpi_version: str,
        mpiexec: str,
        ppn: int = 4,
        binding: Binding = "lane",
        *,
        nodes: int | None = None,
        realtime: bool = False,
        cyclic: bool = False,
        timeout: float = 0,
    ) -> Launch:
        """How to start a program on the nodes with an MPI library; see launch.plan.

        `mpi_version` is empty where it does not matter. Raises LaunchError if `mpiexec` belongs
        to another library than the one named, or if the library can't do what is asked.
        """
        library = launch.identify(mpiexec)
        if library.family != mpi_family or mpi_version not in (library.version, ""):
            raise launch.LaunchError(
                f"{mpiexec} belongs to {library.family} {library.version}, "
                f"not to {mpi_family} {mpi_version}"
            )
        return self.launch(
            library,
            nodes=nodes,
            ppn=ppn,
            binding=binding,
            realtime=realtime,
            cyclic=cyclic,
            timeout=timeout,
        )

    def launch(
        self,
        library: launch.MpiLibrary,
        *,
        nodes: int | None = None,
        ppn: int = 4,
        binding: Binding = "lane",
        realtime: bool = False,
        cyclic: bool = False,
        timeout: float = 0,
    ) -> Launch:
        """How to start a program with a library that launch.find or launch.identify returned."""
        return launch.plan(
            self.state,
            library,
            nodes=nodes,
            ppn=ppn,
            binding=binding,
            realtime=realtime,
            cyclic=cyclic,
            timeout=timeout,
        )

    def shell_command(self, host: str, command: list[str]) -> list[str]:
        """The command line that runs `command` on a node, or on the login node."""
        if host not in (LOGIN, *self.spec.hosts):
            raise NotThereError(
                f"no node {host!r}; there are {LOGIN}, {', '.join(self.spec.hosts)}"
            )
        job = helpers.module("laneway.cluster.job", self.spec.name, "0")
        if host == LOGIN:
            return [*job, *command]
        return [*job, str(self.state.folder / "agent"), host, "exec", shlex.join(command)]

    def counters(self) -> list[list[Traffic]]:
        """Traffic of every lane of every node since the cluster came up, [node][lane].

        Drops are counted at both ends: what the node could not send and what it could not be sent.
        """
        return self.inside(_read_counters)

    def set_rate(self, host: str, lane: int, rate: int) -> None:
        """Give one lane of one node another rate, in both directions, while jobs run.

        Raises NotThereError, SpecError, or ClusterError for lanes whose rate a switch keeps.
        """
        spec = self.spec
        if host not in spec.hosts:
            raise NotThereError(f"no node {host!r}; there are {', '.join(spec.hosts)}")
        if not 0 <= lane < spec.lanes:
            raise NotThereError(f"no lane{lane}; there are {', '.join(spec.devices)}")
        check_rate(rate)
        if spec.timed:
            raise ClusterError("lanes with a latency or a gap keep their rate")
        node = spec.hosts.index(host)
        shaper.prepare()
        with state.locked():  # others who set rates wait: the state has what the lanes have
            latest = state.read(spec.name)
            if latest is None or not latest.is_alive():
                raise NotThereError(not_up(spec.name))
            self.inside(lambda made: _set_rate(made, node, lane, rate))
            rates = [list(each) for each in latest.rates]
            rates[node][lane] = rate
            changed = tuple(map(tuple, rates))
            usual = all(own == spec.rates for own in changed)
            self.state = replace(latest, changed=() if usual else changed)
            state.write(self.state)

    def kept(self) -> SwitchTiming | None:
        """How well the switch kept the times so far; None of a cluster that has bridges."""
        return self.inside(lambda _: switch.ask()) if self.spec.timed else None

    def inside(self, function: Callable[[State], T]) -> T:
        """The value of function(state) in a process on the login node.

        There, /proc shows the cluster's processes, by which `state.nodes` names the nodes. Raises
        ClusterError where the cluster goes down meanwhile.
        """

        def enter() -> T:
            namespaces.enter(self.state.holder, ["user", "mnt", "net"])
            return function(self.state)

        try:
            return namespaces.call(enter)
        except (
            ProcessLookupError,
            ChildProcessError,
            links.LostError,
            switch.SwitchError,
        ) as error:
            raise ClusterError(f"cluster {self.spec.name!r} went down: {error}") from None


def not_up(name: str) -> str:
    """Says that no cluster of this name is up, and what to do about it."""
    told = f"no cluster {name!r} is up"
    if meant := similar(name, [one.spec.name for one in Cluster.all()]):
        return f"{told}, did you mean {' or '.join(meant)}?"
    option = "" if name == ClusterSpec().name else f" --name {shlex.quote(name)}"
    return f"{told}: laneway cluster up{option}"


@contextlib.contextmanager
def borrowed(spec: ClusterSpec) -> Iterator[Cluster]:
    """A cluster for the time of the context. It goes as well when this process is killed.

    Raises what Cluster.up does.
    """
    guard = subprocess.Popen(
        helpers.module("laneway.cluster.guard", spec.name),
        stdin=subprocess.PIPE,
        start_new_session=True,  # a signal to this process's group must not end the guard
    )
    with guard, Cluster.up(spec) as cluster:
        yield cluster


def take_down(name: str) -> bool:
    """End a cluster and remove what describes it; returns whether there was anything to remove.

    Works on the leftovers of a killed cluster as well as on one that is up.
    """
    with state.locked():
        if not state.folder(name).exists():
            return False
        _remove(name)
        return True


def _remove(name: str) -> None:
    """End what is left of a cluster, all of it or a part, and forget it. Clusters are locked."""
    found = state.read(name)
    if found is not None:
        _kill(found)
    state.remove(name)


def _kill(cluster: State) -> None:
    """Kill the holder, and with it every process of the cluster; returns when all are gone."""
    try:
        descriptor = os.pidfd_open(cluster.holder)
    except ProcessLookupError:
        return
    try:
        if cluster.is_alive():  # asked after opening: the pid can't be another's any more
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            select.select([descriptor], [], [], _PATIENCE)
    finally:
        os.close(descriptor)


def _need_programs() -> None:
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if missing:
        raise ClusterError(f"not found: {', '.join(missing)} (package util-linux)")


def _start(spec: ClusterSpec) -> State:
    """Start a holder, write its state down, and let it go."""
    folder = state.folder(spec.name)
    hosts = folder / "hosts"
    arguments = (json.dumps(spec.to_json()), str(hosts))
    try:
        folder.mkdir(mode=0o755)
        hosts.write_text(_hosts_file(spec))
        with subprocess.Popen(
            helpers.module("laneway.cluster.holder", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as holder:
            made = _await(spec, holder)
            _write_agent(made)
            state.write(made)
            holder.communicate("keep\n")
    except OSError as error:
        _remove(spec.name)
        raise ClusterError(f"{error.filename or folder}: {error.strerror or error}") from error
    except BaseException:
        _remove(spec.name)  # the holder, too: once it was let go, it would stay
        raise
    return made


def _await(spec: ClusterSpec, holder: subprocess.Popen[str]) -> State:
    """The state of a cluster that a holder is making, once it is made."""
    line = holder.stdout.readline() if holder.stdout else ""
    if not line:
        raise ClusterError(f"the holder did not start: {holder.communicate()[1].strip()}")
    try:
        answer = helpers.answer("the holder", line)
    except Problem as error:
        holder.kill()  # whatever it is, it is not waited for
        raise ClusterError(str(error)) from None
    if "error" in answer:
        raise ClusterError(answer["error"])
    started = start_time(answer["holder"])
    if started is None:
        raise ClusterError("the holder was killed")
    return State(spec, answer["holder"], started, tuple(answer["nodes"]), answer["privileged"])


def _hosts_file(spec: ClusterSpec) -> str:
    lines = ["127.0.0.1 localhost", f"{spec.management_address(None)} {LOGIN}"]
    lines += [f"{spec.management_address(i)} {host}" for i, host in enumerate(spec.hosts)]
    return "\n".join(lines) + "\n"


def _write_agent(cluster: State) -> None:
    """Put the program that enters nodes, and the table of nodes that it reads, into the folder."""
    agent = cluster.folder / "agent"
    agent.write_text(Path(__file__).with_name("agent.sh").read_text())
    agent.chmod(0o755)
    nodes = zip(cluster.spec.hosts, cluster.nodes, strict=True)
    (cluster.folder / "nodes").write_text("".join(f"{host} {pid}\n" for host, pid in nodes))


def _set_rate(cluster: State, node: int, lane: int, rate: int) -> None:
    links.set_switch_rate(cluster.spec, node, lane, rate)
    namespaces.enter(cluster.nodes[node], ["net"])
    links.set_node_rate(cluster.spec, lane, rate)


def _read_counters(cluster: State) -> list[list[Traffic]]:
    spec = cluster.spec
    traffic = links.switch_traffic(spec)
    dropped = switch.ask().dropped if spec.timed else (0,) * (spec.nodes * spec.lanes)
    for node, pid in enumerate(cluster.nodes):
        namespaces.enter(pid, ["net"])
        for lane, drops in enumerate(links.node_drops(spec)):
            at_switch = traffic[node][lane]
            lost = at_switch.drops + drops + dropped[node * spec.lanes + lane]
            traffic[node][lane] = replace(at_switch, drops=lost)
    return traffic
