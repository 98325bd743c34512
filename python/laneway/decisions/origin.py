# SPDX-License-Identifier: BSD-3-Clause
"""How a job was started whose report is read: the options by which `compare` starts alike."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from laneway import files
from laneway.errors import Misuse
from laneway.interposition import mpirun
from laneway.launching import batch
from laneway.launching.launchers import is_launcher, is_on_cluster
from laneway.libraries import native

NAME = "job.json"
"""The file beside those of the processes."""

_HOSTS = frozenset(
    (
        "H", "add-host", "add-hostfile", "default-hostfile", "f", "host", "hostfile", "hostlist",
        "hosts", "machine", "machinefile", "machinelist", "machines",
    )
)  # fmt: skip
"""Options of mpirun that say which hosts there are."""


def options(
    command: Sequence[str],
    mpi: str,
    *,
    node_size: str | None,
    lanes: int | None,
    environment: Mapping[str, str],
) -> list[str]:
    """The options by which `laneway compare` measures where a command runs.

    `mpi` is the build of the command's library, `node_size` the size of virtual nodes, if they are.
    """
    program = Path(command[0]).name
    on_cluster = is_on_cluster(command)
    if on_cluster and _given(command, "--mpi") in native.FAMILIES:
        mpi = str(_given(command, "--mpi"))
    words = ["--mpi", mpi]
    if lanes is not None:
        words += ["--lanes", str(lanes)]
    if node_size is not None:
        words += ["--cluster", "none"]
    elif program in ("srun", "flux"):
        words += ["--launcher", program]
    elif on_cluster:
        words += _on_cluster(command, environment)
    elif is_launcher(command[0]):
        given = [
            word
            for part in mpirun.parse(command[1:], mpi.partition("-")[0])[:1]
            for option in part.options
            if option.name in _HOSTS
            for word in option.words
        ]
        if given:
            words += ["--launcher-options", shlex.join(given)]
        elif batch.current(environment):
            words += ["--launcher", "mpirun"]
    return words


def _given(command: Sequence[str], option: str) -> str | None:
    """The value that an option of `laneway cluster run` is given."""
    found = None
    for word, following in pairwise([*_own(command), ""]):
        if word == option:
            found = following
        elif word.startswith(f"{option}="):
            found = word.partition("=")[2]
    return found


def _on_cluster(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The options for the job's cluster, used in the same way."""
    named = _given(command, "--name") or environment.get("LANEWAY_CLUSTER") or "default"
    binding = _given(command, "--binding")
    return [
        *("--cluster", named),
        *(("--binding", binding) if binding else ()),
        *(("--realtime",) if "--realtime" in _own(command) else ()),
    ]


def _own(command: Sequence[str]) -> list[str]:
    """The words of `laneway cluster run` before the program."""
    return [*command[: command.index("--")]] if "--" in command else [*command]


@dataclass(frozen=True)
class JobOrigin:
    """How a job was started, as far as its folder says."""

    folder: Path
    compare: tuple[str, ...] = ()
    """The options by which `compare` measures where it ran."""
    seconds: float | None = None
    """Seconds that it took."""

    @property
    def emulated(self) -> bool:
        """Whether it ran on an emulated cluster."""
        named = dict(pairwise(self.compare)).get("--cluster", "none")
        return named != "none"


@contextmanager
def kept(folder: Path, compare: Sequence[str]) -> Iterator[None]:
    """Leaves the options in the folder of a report, and in the end how long the job took.

    Takes them back where no process wrote one. Raises Problem where that fails, Misuse where
    something lies there already, whatever it is.
    """
    path = folder / NAME
    known = {"compare": [*compare]}
    try:
        files.create(path, json.dumps(known) + "\n")
    except FileExistsError as error:
        raise Misuse(f"{path} is there already: name another folder with --out") from error
    begin = time.monotonic()
    try:
        yield
    finally:
        seconds = round(time.monotonic() - begin, 6)
        if any(folder.glob("rank-*.jsonl")):
            files.replace(path, json.dumps({**known, "seconds": seconds}) + "\n")
        else:
            files.remove(path)


def load(folder: Path) -> JobOrigin:
    """The origin that was left in the folder of a report; empty where nothing was."""
    path = folder / NAME
    if not path.is_file():  # a FIFO would be waited for
        return JobOrigin(folder)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        compare = tuple(str(word) for word in found["compare"])
        seconds = found.get("seconds")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return JobOrigin(folder)
    took = float(seconds) if isinstance(seconds, int | float) and seconds > 0 else None
    return JobOrigin(folder, compare, took)
