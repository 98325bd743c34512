# SPDX-License-Identifier: BSD-3-Clause
"""Linux namespaces: the system calls that the standard library lacks, see namespaces(7)."""

from __future__ import annotations

import ctypes
import errno
import os
import pickle
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

_FLAGS = {
    "user": CLONE_NEWUSER,
    "mnt": CLONE_NEWNS,
    "uts": CLONE_NEWUTS,
    "ipc": CLONE_NEWIPC,
    "net": CLONE_NEWNET,
    "pid": CLONE_NEWPID,
}

NODE_KINDS = ("net", "uts", "ipc")
"""The kinds of namespace that make a node of a cluster. Files are not among them: a job has those
of whoever starts it, also what was mounted when the cluster was up already."""

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - each node and each job mounts its own

MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_SLAVE = 1 << 19

_CAP_SYS_ADMIN = 21
_PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


class NamespaceError(OSError):
    """A kernel that refuses a namespace; the message says which one and what may help."""

    def __str__(self) -> str:
        return str(self.strerror)


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def unshare(names: Iterable[str]) -> None:
    """Put the calling process (for `pid`: its children) into new namespaces of these kinds."""
    for name in names:  # one at a time, so that a refusal can be named
        try:
            _check(_libc.unshare(_FLAGS[name]), f"unshare({name})")
        except OSError as error:
            raise NamespaceError(error.errno, _explain(name, error.errno or 0)) from None


def _explain(name: str, code: int) -> str:
    if code == errno.EPERM and name == "user":
        return (
            "this kernel does not let you create user namespaces; become root, or see "
            "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns "
            "and, in a container, its seccomp profile"
        )
    if code == errno.ENOSPC:
        return f"no {name} namespace left; see user.max_{name}_namespaces"
    if code == errno.EINVAL:
        return f"this kernel was built without {name} namespaces"
    return f"cannot create a {name} namespace: {os.strerror(code)}"


def mount(source: str, target: str, fstype: str, flags: int = 0, options: str = "") -> None:
    """Mount a file system. Raises OSError with the target in its message."""
    arguments = (source.encode(), target.encode(), fstype.encode(), flags, options.encode())
    _check(
        _libc.mount(*arguments[:3], ctypes.c_ulong(arguments[3]), arguments[4]), f"mount {target}"
    )


def mount_for_login(hosts: Path) -> None:
    """Give the calling mount namespace what shows the login node.

    A /proc with the processes of its pid namespace, a /sys with its network devices, a /dev/shm of
    its own, and `hosts` as /etc/hosts. UCX and hwloc look for devices in /sys.
    """
    mount("none", "/", "", MS_REC | MS_SLAVE)  # others' mounts arrive, and go when they do
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    mount("tmpfs", SHARED_MEMORY, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    if Path("/etc/hosts").exists():
        mount(str(hosts), "/etc/hosts", "", MS_BIND)


def is_privileged() -> bool:
    """Whether namespaces can be made without a user namespace around them (CAP_SYS_ADMIN)."""
    with Path("/proc/self/status").open() as status:
        effective = next(line.split()[1] for line in status if line.startswith("CapEff:"))
    return bool(int(effective, 16) >> _CAP_SYS_ADMIN & 1)


def become_root_of_user_namespace() -> None:
    """Enter a new user namespace as its root; outside, the process keeps its user."""
    user, group = os.geteuid(), os.getegid()
    unshare(["user"])
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"0 {user} 1"),
        ("gid_map", f"0 {group} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text)


def enter(pid: int, names: Iterable[str]) -> None:
    """Join namespaces of process `pid`, as seen in the caller's /proc.

    The namespaces are opened first and joined in the order given; a user namespace that the caller
    is in already is passed over. Raises ProcessLookupError if the process is gone.
    """
    opened = []
    try:
        for name in names:
            try:
                opened.append((name, os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)))
            except FileNotFoundError:
                raise ProcessLookupError(errno.ESRCH, f"process {pid} is gone") from None
        for name, descriptor in opened:
            if name == "user" and os.path.samestat(
                os.fstat(descriptor), Path("/proc/self/ns/user").stat()
            ):
                continue
            _check(_libc.setns(descriptor, _FLAGS[name]), f"setns({name})")
    finally:
        for _, descriptor in opened:
            os.close(descriptor)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however it ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")


def live_without_parent() -> None:
    """Take die_with_parent back."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0), "prctl")


def fork_with(child: Callable[[], int]) -> int:
    """Run `child` in a forked process that dies with the caller; returns its pid.

    The process ends with the status that `child` returns. There is no moment in which the caller
    could end unnoticed. The child waits until it has asked to be killed and the caller said go.
    """
    ready, go = os.pipe()
    pid = os.fork()
    if pid:
        os.close(ready)
        os.write(go, b"!")
        os.close(go)
        return pid
    status = 1
    try:
        os.close(go)
        die_with_parent()
        if os.read(ready, 1):
            os.close(ready)
            status = child()
    finally:
        os._exit(status)


def call(function: Callable[[], T]) -> T:
    """The value of function() in a forked process, whose namespaces the function may change.

    An exception of the function is raised here. Raises ChildProcessError if the process was killed.
    """
    reader, writer = os.pipe()

    def child() -> int:
        os.close(reader)
        try:
            outcome: tuple[bool, object] = (True, function())
        except Exception as error:  # noqa: BLE001 - handed to the caller, which raises it
            outcome = (False, error)
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(outcome, pipe)
        return 0

    pid = fork_with(child)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    if not answer:
        raise ChildProcessError("a process inside the cluster was killed")
    done, value = pickle.loads(answer)  # noqa: S301 - from our own child
    if not done:
        raise value
    return value  # type: ignore[no-any-return]
