# SPDX-License-Identifier: BSD-3-Clause
"""Running MPI programs of the tests: which builds there are, and a job with a time limit."""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from laneway.launching import launchers
from laneway.launching.run import Run
from laneway.libraries import native

Value = TypeVar("Value")

ROOT = Path(__file__).resolve().parent.parent
BUILDS = [pytest.param(build, id=build.id) for build in native.installed()]
ONE_BUILD = [
    pytest.param(build, id=build.id, marks=() if number == 0 else pytest.mark.full)
    for number, build in enumerate(native.installed())
]
"""Builds for what has little to do with MPI libraries: the first in `make test`, else all."""


LIMIT = 300
"""Seconds after which what never ends is given up; nothing is judged by it.

All others share a busy machine's processors with the tests: what takes a second may take a minute.
"""


@dataclass(frozen=True)
class Outcome:
    """How a job ended."""

    code: int
    output: str
    errors: str

    @property
    def told(self) -> str:
        """All that it said."""
        return f"exit code {self.code}\n{self.output}\n{self.errors}"


def wait_for(condition: Callable[[], Value], seconds: float = LIMIT) -> Value:
    """Waits until condition() is true; returns what it returned last."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return value


def run(
    build: native.NativeBuild,
    ranks: int,
    program: Sequence[object],
    *,
    timeout: float = LIMIT,
    preload: Sequence[Path] = (),
    **environment: object,
) -> Outcome:
    """Runs a program on `ranks` processes; fails where it says nothing for `timeout` seconds.

    `preload` goes into LD_PRELOAD of the program alone, before what the launcher needs there.
    Whatever is left of the job then, or at any exception, is killed.

    The ranks' errors go into a file: when a rank aborts, MPICH's launcher may end before it has
    passed on what that rank said last.
    """
    if preload:
        libraries = [*preload, *([build.yielding] if build.family == "mpich" else [])]
        program = ["env", "LD_PRELOAD=" + ":".join(map(str, libraries)), *program]
    with tempfile.NamedTemporaryFile(mode="r", prefix="laneway-errors-") as said:
        words = ["sh", "-c", 'exec "$@" 2>> "$0"', said.name, *map(str, program)]
        settings = {name: str(value) for name, value in environment.items()}
        settings["LANEWAY_NAPS"] = "1"  # where MPICH's ranks wait, they leave the cores to others
        with Run(launchers.Job(build, ranks, words, settings)) as running:
            lines: list[str] = []
            try:
                lines.extend(running.lines(timeout))
                code = running.wait(timeout)
            except TimeoutError:
                errors = said.read() + running.errors()
                pytest.fail(f"{program} on {ranks} ranks hangs\n{lines}\n{errors}")
            return Outcome(code, "\n".join(lines), said.read() + running.errors())


def check_program(build: native.NativeBuild, suffix: str = "", name: str = "laneway-check") -> Path:
    """The program of the property tests in the build tree, or another one there."""
    program = ROOT / "build" / (build.id + suffix) / "bin" / name
    if not program.exists():
        pytest.skip(f"{program} is not built: run `make test` or `make test-full`")
    return program


def units(name: str) -> Sequence[object]:
    """The cases of a program of unit tests; where it is not built one that is skipped."""
    builds = native.installed()[:1]
    if not builds:
        return [pytest.param("", marks=pytest.mark.skip(reason="no native build is installed"))]
    try:
        program = check_program(builds[0], name=name)
    except pytest.skip.Exception as missing:
        return [pytest.param("", marks=pytest.mark.skip(reason=str(missing)))]
    said = subprocess.run([program], capture_output=True, text=True, check=True, timeout=LIMIT)
    return said.stdout.splitlines()


def check_unit(name: str, case: str) -> None:
    """Runs a case of a program of unit tests."""
    program = check_program(native.installed()[0], name=name)
    ran = subprocess.run(
        [program, case], capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def settings_error(
    build: native.NativeBuild, prefix: Sequence[str] = (), **environment: object
) -> str:
    """The library's complaint about settings that it cannot understand; no job is started."""
    shape = ("4", "2", "2", "2", "1")
    said = subprocess.run(
        [*prefix, build.folder / "bin" / "laneway-profile", "show", *shape, "bcast", "0"],
        env={name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert (said.returncode, said.stderr) == (1, ""), said
    (line,) = said.stdout.splitlines()
    return json.loads(line)["error"]
