# SPDX-License-Identifier: BSD-3-Clause
"""Where the clusters of a user are written down.

A cluster has a folder of its own, with the record of its holder and with the small programs that
its jobs need. The cluster itself lives in the namespaces of its holder. A folder whose holder is
dead describes nothing, and is removed by whoever comes across it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laneway.cluster.spec import ClusterSpec
from laneway.proc import start_time

_FILE = "state.json"

_USER = os.getuid()
"""The user's id, asked for at once: in the user namespace of a cluster, which processes join, it is
another."""


@dataclass(frozen=True)
class State:
    """A cluster that is up.

    The fields are:

        holder      pid of the process that holds the login node's namespaces; first of its own
                    pid namespace, so that its end is the end of every process of the cluster
        started     when the holder started, in clock ticks since boot: a pid alone may be
                    another's
        nodes       pids of the processes that hold the nodes, in the cluster's pid namespace
        privileged  whether a user with CAP_SYS_ADMIN made it, without a user namespace
        changed     bits a second of each lane of each node, [node][lane], once some were changed
    """

    spec: ClusterSpec
    holder: int
    started: int
    nodes: tuple[int, ...]
    privileged: bool
    changed: tuple[tuple[int, ...], ...] = ()

    @property
    def rates(self) -> tuple[tuple[int, ...], ...]:
        """Bits a second of each lane of each node, [node][lane], as they are now."""
        return self.changed or (self.spec.rates,) * self.spec.nodes

    def described(self) -> dict[str, Any]:
        """The cluster as rows of results have it: with all rates, where lanes are not alike."""
        alike = len({rate for node in self.rates for rate in node}) == 1
        return self.spec.to_json() | (
            {"rate": self.rates[0][0]} if alike else {"rates": self.rates}
        )

    @property
    def folder(self) -> Path:
        """The folder of the cluster's files."""
        return folder(self.spec.name)

    @property
    def hosts(self) -> Path:
        """The file that is /etc/hosts there."""
        return self.folder / "hosts"

    def is_alive(self) -> bool:
        """Whether the holder still runs."""
        return start_time(self.holder) == self.started

    def to_json(self) -> dict[str, Any]:
        """The fields, in plain types."""
        return {
            "spec": self.spec.to_json(),
            "holder": self.holder,
            "started": self.started,
            "nodes": list(self.nodes),
            "privileged": self.privileged,
            "changed": self.changed,
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> State:
        """Undo to_json."""
        return cls(
            ClusterSpec.from_json(fields["spec"]),
            fields["holder"],
            fields["started"],
            tuple(fields["nodes"]),
            fields["privileged"],
            tuple(map(tuple, fields.get("changed", ()))),
        )


def base() -> Path:
    """Folder of all clusters of this user: under XDG_RUNTIME_DIR, else under /tmp.

    Not under TMPDIR: a job has a temporary folder of its own, and must find its cluster. After `su`
    XDG_RUNTIME_DIR is another user's: then it does not count, nor where it is not there.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and _is_own_folder(Path(runtime)):
        return Path(runtime, "laneway-cluster")
    return Path(f"/tmp/laneway-cluster-{_USER}")  # noqa: S108 - see _check_owner


def _is_own_folder(path: Path) -> bool:
    try:
        status = path.stat()
    except OSError:
        return False
    # In the user namespace of a cluster this user has another number, and so have its files.
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def folder(name: str) -> Path:
    """Folder of the cluster of this name, whether there is one or not."""
    return base() / name


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Hold the user's clusters for oneself while one is made or removed."""
    while (descriptor := _lock(base())) is None:
        pass
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # not empty: another cluster is up
            base().rmdir()
        os.close(descriptor)


def _lock(path: Path) -> int | None:
    """Make and lock a folder; None if whoever had the lock before removed it in the meantime."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    locked = False
    try:
        _check_owner(path, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        locked = os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        pass
    finally:
        if not locked:
            os.close(descriptor)
    return descriptor if locked else None


def _check_owner(path: Path, descriptor: int) -> None:
    if os.fstat(descriptor).st_uid != os.getuid():
        raise PermissionError(f"{path} belongs to another user")


def write(state: State) -> None:
    """Write a state so that a reader sees all of it or nothing."""
    with tempfile.NamedTemporaryFile("w", dir=state.folder, delete=False) as file:
        json.dump(state.to_json(), file, indent=2)
    Path(file.name).replace(state.folder / _FILE)


def read(name: str) -> State | None:
    """The cluster of this name, alive or not; None if there is none or its folder is unreadable."""
    try:
        return State.from_json(json.loads((folder(name) / _FILE).read_text()))
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):
        return None


def names() -> list[str]:
    """Names of all clusters of this user that left a folder, alive or not."""
    try:
        return sorted(entry.name for entry in base().iterdir() if entry.is_dir())
    except FileNotFoundError:
        return []


def remove(name: str) -> None:
    """Remove a cluster's folder."""
    shutil.rmtree(folder(name), ignore_errors=True)
