# SPDX-License-Identifier: BSD-3-Clause
"""Run a command on the login node: `python -m laneway.cluster.job NAME TIMEOUT COMMAND...`.

Three processes stand between the user and the command:

    caller    stays outside, waits, keeps the time limit (TIMEOUT seconds, 0: none)
    keeper    in the cluster's pid namespace
    init      process 1 of a pid namespace of the job's own, parent of the command

Each dies when the one before it dies. With init the kernel kills every process of the job, daemons
and ranks included: nothing of a job outlives it, whoever is killed.

Exit status: the command's; 128 + number of the signal that ended it; 124 after the time limit.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
from typing import NoReturn

from laneway.cluster import namespaces, state

TIMED_OUT = 124
NO_CLUSTER = 125

OPEN_FILES = 1 << 16
"""Files that a job may have open, at most: enough for any, and soon closed.

Open MPI 4 closes each file that could be open, one by one, before it starts a node's daemon.
Containers often allow a billion: then no job would start for minutes.
"""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _EndedError(Exception):
    """A signal that ends the job."""


def _raise_ended(number: int, _frame: object) -> NoReturn:
    raise _EndedError(number)


def _wait(pid: int) -> int:
    """Exit status of a child as a shell would say it."""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


def _exec(command: list[str]) -> int:
    for number in (*_ENDING, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the user's own program
    except OSError as error:
        print(f"laneway cluster: {command[0]}: {error.strerror}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 126


def _be_init(command: list[str]) -> int:
    """Start the command, reap what is left to process 1, return when the command ends."""
    main = os.fork()
    if main == 0:
        os._exit(_exec(command))
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == main:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _be_keeper(cluster: state.State, command: list[str]) -> int:
    """Enter the cluster, start init there; SIGTERM ends the job."""
    try:
        namespaces.enter(cluster.holder, namespaces.NODE_KINDS)
        namespaces.unshare(["mnt", "pid"])
        namespaces.mount_for_login(cluster.hosts)
    except OSError as error:
        return _cannot_enter(cluster.spec.name, error)
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    init = namespaces.fork_with(lambda: _be_init(command))
    signal.signal(signal.SIGTERM, lambda *_: os.kill(init, signal.SIGKILL))
    return _wait(init)  # which ends when the last process of the job has ended


def limit_open_files() -> None:
    """Lowers the limit of the calling process to OPEN_FILES; it may raise it again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft > OPEN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, hard))


def run(cluster: state.State, command: list[str], timeout: float = 0) -> int:
    """Run a command on the login node of a cluster; returns its exit status.

    The calling process must have no threads. It joins the cluster's user namespace for good.
    """
    limit_open_files()
    namespaces.enter(cluster.holder, ["user", "pid"])
    for number in _ENDING:
        signal.signal(number, _raise_ended)
    keeper = namespaces.fork_with(lambda: _be_keeper(cluster, command))
    try:
        if _ends_within(keeper, timeout):
            return _wait(keeper)
        print(f"laneway cluster: stopped after {timeout:g} s", file=sys.stderr)
        outcome = TIMED_OUT
    except _EndedError as ended:
        outcome = 128 + int(ended.args[0])
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    os.kill(keeper, signal.SIGTERM)
    _wait(keeper)
    return outcome


def _cannot_enter(name: str, error: OSError) -> int:
    print(f"laneway cluster: cannot enter cluster {name!r}: {error}", file=sys.stderr)
    return NO_CLUSTER


def _ends_within(pid: int, timeout: float) -> bool:
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(timeout * 1000 if timeout else None))
    finally:
        os.close(descriptor)


def main() -> int:
    """Run the module as a program; returns the exit status."""
    name, timeout, *command = sys.argv[1:]
    cluster = state.read(name)
    if cluster is None or not cluster.is_alive():
        print(f"laneway cluster: no cluster {name!r} is up", file=sys.stderr)
        return NO_CLUSTER
    try:
        return run(cluster, command, float(timeout))
    except OSError as error:
        return _cannot_enter(name, error)


if __name__ == "__main__":
    sys.exit(main())
