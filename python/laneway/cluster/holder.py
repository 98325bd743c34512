# SPDX-License-Identifier: BSD-3-Clause
"""The processes that a cluster consists of: `python -m laneway.cluster.holder SPEC HOSTS`.

The holder is process 1 of a new pid namespace and holds the login node's namespaces; one child
each holds those of a node. When the holder ends, by whatever signal, the kernel kills every process
in its pid namespace, jobs included. With the last of them go namespaces, interfaces and mounts:
nothing has to be cleaned up. When a node's process ends, or the switch's, the holder ends, too.

SPEC is a cluster's description as JSON, HOSTS the file that /etc/hosts shall be. Prints one line of
JSON, {"holder", "nodes", "privileged"} or {"error"}, and waits for a line of input. Only then does
the holder go into the background. Until then it dies with this process, and this one with its
parent, so that no cluster can be up that nobody wrote down.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laneway.cluster import links, namespaces, switch
from laneway.cluster.spec import LOGIN, ClusterSpec

_READY = b"ready"


class HolderError(RuntimeError):
    """A cluster that could not be made; the message is for the user."""


@dataclass(frozen=True)
class _Node:
    """A node as the login node's process knows it."""

    pid: int
    channel: socket.socket

    def wait_until_ready(self) -> None:
        answer = self.channel.recv(65536)
        if answer != _READY:
            raise HolderError(answer.decode() or "the process of a node was killed")


def _fork_node(spec: ClusterSpec, node: int) -> _Node:
    """Start the process of a node, which waits for its cables."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid:
        theirs.close()
        return _Node(pid, ours)
    try:
        ours.close()
        _be_node(spec, node, theirs)
    except Exception as error:  # noqa: BLE001 - the login node reports it
        theirs.send((str(error) or repr(error)).encode())
    finally:
        os._exit(1)


def _be_node(spec: ClusterSpec, node: int, login: socket.socket) -> None:
    """Hold a node's namespaces; returns if the login node gave up on the cluster."""
    namespaces.unshare(namespaces.NODE_KINDS)
    socket.sethostname(spec.hosts[node])
    links.prepare_node(spec)
    login.send(_READY)
    if not login.recv(1):
        return
    links.configure_node(spec, node)
    login.send(_READY)
    _detach()
    while True:
        signal.pause()


def _make_cluster(spec: ClusterSpec, hosts: Path) -> dict[str, Any]:
    """Make the login node here and start the others; returns the pids of what must not end."""
    switching = switch.command(spec) if spec.timed else []
    if switching:
        switch.check(switching)  # before anything is made
    namespaces.mount_for_login(hosts)
    socket.sethostname(LOGIN)
    nodes = [_fork_node(spec, node) for node in range(spec.nodes)]
    for node in nodes:
        node.wait_until_ready()
    links.build_switches(spec, [node.pid for node in nodes])
    ours = [switch.start(switching)] if switching else []
    for node in nodes:
        node.channel.send(b"!")
    for node in nodes:
        node.wait_until_ready()
    return {"nodes": [node.pid for node in nodes], "switches": ours}


def _detach() -> None:
    """Let go of the files, pipes, terminal and folder of whoever asked for the cluster."""
    for entry in list(Path("/proc/self/fd").iterdir()):
        with contextlib.suppress(OSError):  # the descriptor that listed them
            os.close(int(entry.name))
    os.open(os.devnull, os.O_RDWR)
    os.dup2(0, 1)
    os.dup2(0, 2)
    os.chdir("/")


def _watch(needed: list[int]) -> None:
    """Reap what is left to process 1; returns when one that is needed has ended."""
    while os.waitpid(-1, 0)[0] not in needed:
        pass


def _be_holder(spec: ClusterSpec, hosts: Path, report: int, keep: int) -> int:
    """Hold the login node's namespaces until a node, or the switch, ends."""
    try:
        answer = _make_cluster(spec, hosts)
    except Exception as error:  # noqa: BLE001 - whoever asked for the cluster reports it
        answer = {"error": str(error) or repr(error)}
    os.write(report, json.dumps(answer).encode() + b"\n")
    if os.read(keep, 1):
        namespaces.live_without_parent()
        _detach()  # closes the report, by which the parent knows that it may go
        _watch(answer["nodes"] + answer["switches"])
    return 1


def start(spec: ClusterSpec, hosts: Path) -> None:
    """Start a holder from a process that has nothing else to do, print what became of it."""
    privileged = namespaces.is_privileged()
    if not privileged:
        namespaces.become_root_of_user_namespace()
    namespaces.unshare(("mnt", *namespaces.NODE_KINDS, "pid"))
    report, report_end = os.pipe()
    keep_end, keep = os.pipe()

    def holder() -> int:
        os.close(report)
        os.close(keep)
        return _be_holder(spec, hosts, report_end, keep_end)

    pid = namespaces.fork_with(holder)
    os.close(report_end)
    os.close(keep_end)
    with os.fdopen(report) as pipe:
        answer = json.loads(pipe.readline() or '{"error": "the holder was killed"}')
        print(json.dumps({"holder": pid, "privileged": privileged, **answer}), flush=True)
        if "error" not in answer and sys.stdin.readline():
            os.write(keep, b"!")
            pipe.read()


def main() -> None:
    """Run the module as a program."""
    namespaces.die_with_parent()
    try:
        start(ClusterSpec.from_json(json.loads(sys.argv[1])), Path(sys.argv[2]))
    except Exception as error:  # noqa: BLE001 - the parent process reports it
        print(json.dumps({"error": str(error) or repr(error)}))


if __name__ == "__main__":
    main()
