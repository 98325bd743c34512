# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway`, called in this process: a tenth of what a process of its own takes.

Some things only a process can show: signals, what `exec` becomes, an exit code that a shell sees.
For these, `process` starts the command as a process of its own.
"""

import contextlib
import errno
import io
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from jobs import LIMIT
from laneway.cli import main

COMMAND = [sys.executable, "-m", "laneway"]
"""The command as a process of its own."""


def process(
    *words: object, cwd: Path | None = None, timeout: float = LIMIT, **environment: str
) -> CompletedProcess[str]:
    """The outcome of `laneway` by a process of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "LANEWAY_CLUSTER": "none", **environment},
        timeout=timeout,
        check=False,
    )


def _become(program, *_):
    pytest.fail(f"becomes {program}: start it as a process")


def laneway(*words: object, cwd: Path | None = None, **environment: str) -> CompletedProcess[str]:
    """The output of `laneway WORDS...` and its exit code, without an emulated cluster."""
    out, errors = io.StringIO(), io.StringIO()
    argv = ["laneway", *map(str, words)]
    code: object = 0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"LANEWAY_CLUSTER": "none", **environment}.items():
            patch.setenv(name, value)
        for name in ("execvp", "execvpe"):
            patch.setattr(f"os.{name}", _become)
        if cwd is not None:
            patch.chdir(cwd)
        patch.setattr(sys, "argv", argv)
        before = signal.getsignal(signal.SIGTERM)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                main()
        except SystemExit as end:
            code = end.code
        finally:
            signal.signal(signal.SIGTERM, before)
    return CompletedProcess(argv, int(code or 0), out.getvalue(), errors.getvalue())


NO_ROOM = os.strerror(errno.EFBIG)


@contextlib.contextmanager
def at_most(size: int, of: int) -> Iterator[None]:
    """This process and its children get no more of a resource, such as RLIMIT_AS."""
    before, most = resource.getrlimit(of)
    resource.setrlimit(of, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(of, (before, most))


def room_for(size: int) -> contextlib.AbstractContextManager[None]:
    """No file of this process and its children gets larger: a full disk, but for NO_ROOM."""
    return at_most(size, resource.RLIMIT_FSIZE)
