# SPDX-License-Identifier: BSD-3-Clause
"""Whether Laneway was under every process of a job: the marks that its processes leave.

Each rank leaves ``started-RANK`` before it becomes the program (preloaded.sh). It leaves
``loaded-RANK`` once the preload is in a process that has an MPI library. Where no build of Laneway
knows that library, it leaves ``unknown-RANK`` instead (src/api/presence.c).
"""

from __future__ import annotations

import secrets
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from laneway.units import counted

_REMOVE_AT_THE_END = 'read -r _; rm -rf -- "$1"'


UNNOTICED = "processes on other hosts may run without Laneway unnoticed"
"""The loss where other nodes do not see the folder of the marks."""


@contextmanager
def folder(say: Callable[[str], None], loss: str) -> Iterator[Path]:
    """A folder for a job's marks or watch, in the working directory: ranks on other nodes see that.

    It is gone afterwards, also when this process is killed. Has `say` tell of the `loss` where
    other nodes do not see it.
    """
    with ExitStack() as stack:
        try:
            made = stack.enter_context(_guarded(Path.cwd()))
        except OSError as error:
            made = stack.enter_context(_guarded(Path(tempfile.gettempdir())))
            say(
                f"cannot write into the working directory ({error.strerror}), and other hosts do "
                f"not see {made}: {loss}"
            )
        yield made


@contextmanager
def _guarded(parent: Path) -> Iterator[Path]:
    """A new folder that a second process removes, which is there first: no moment without it."""
    made = parent / f".laneway-{secrets.token_hex(8)}"
    # A pipe is closed however its owner ends.
    with subprocess.Popen(
        ["sh", "-c", _REMOVE_AT_THE_END, "sh", str(made)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ):
        made.mkdir(mode=0o700)
        yield made


def missing(folder: Path) -> str | None:
    """The complaint about processes that ran without Laneway; None where there were none."""
    started, loaded, unknown = (
        {mark.name.partition("-")[2] for mark in folder.glob(f"{kind}-*")}
        for kind in ("started", "loaded", "unknown")
    )
    if unknown:
        return (
            f"{counted(len(unknown), 'process')} made collectives that Laneway did not "
            "serve: no build of it knows their MPI library"
        )
    if loaded and not started - loaded:
        return None
    if started - loaded:
        ranks = ", ".join(sorted(started - loaded, key=lambda rank: (len(rank), rank)))
        which = f"rank {ranks}" if len(started - loaded) == 1 else f"ranks {ranks}"
    else:
        which = "all processes of the job"
    return (
        f"{which} ran without Laneway. Either a script or `env` between the launcher and the "
        "program drops LD_PRELOAD, or the program does not use MPI. Or it has MPI linked in, or "
        "opened where no preload reaches it (dlmopen, RTLD_DEEPBIND)"
    )
