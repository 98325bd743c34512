# SPDX-License-Identifier: BSD-3-Clause
"""One run of laneway-bench by itself: its rows as they come."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from laneway import files
from laneway.campaign.startup import since
from laneway.errors import Misuse, Problem
from laneway.launching.launchers import Job
from laneway.launching.run import GRACE, Run
from laneway.rows import Row, parse, share_done

BAD_USAGE = 2
"""Exit code of laneway-bench for a command line that makes no sense."""

WRONG_RESULT = 1
"""Exit code of laneway-bench where all was done, but a result differed from the library's."""

WITHOUT_A_JOB = {
    "--list": "laneway algorithms lists them",
    "--list-native": "laneway algorithms --native lists them",
    "--check": "options are checked before each job begins",
}
"""Options of laneway-bench that measure nothing, each with what does the same here."""

DEFAULTS = ("--algorithm=native", "--message-size=0:4M", "--repetitions=1000", "--time=1")
"""The options by which `laneway bench` measures unless others are given."""


def rows(job: Job, silence: float) -> Iterator[Row]:
    """The rows of a job as they come.

    Raises Misuse where the benchmark rejects its options, Problem where it fails, ends before all
    is done, or is silent for `silence` seconds.
    """
    with Run(job) as running:
        wrong = done = False
        try:
            for line in running.lines(silence):
                row = parse(line)
                if row is None:
                    continue  # launchers, too, write to standard output
                yield row
                wrong = wrong or row["kind"] == "error"
                if done := _is_last(row):
                    break
            for _ in running.lines(GRACE) if done else ():
                pass
            code = running.wait()
        except TimeoutError:
            if done:  # its work is done; MPICH 4.0 can hang in MPI_Finalize
                return
            raise Problem(f"the job hangs: no row for {silence:.0f} s") from None
        if code == BAD_USAGE:
            raise Misuse(complaint(running.errors()) or "laneway-bench rejects its options")
        if code != 0 and not wrong:
            raise Problem(f"the job failed (exit code {code})\n{running.tail()}")
        if not done:
            raise Problem(f"the job ended before all was measured\n{running.tail()}".rstrip())


def _is_last(row: Row) -> bool:
    """Whether the job has no more to say."""
    kind: str = row["kind"]
    return kind == "start" or (kind == "progress" and share_done(row) >= 1)


def must_make_sense(bench: Path, words: Sequence[str]) -> None:
    """Raises Misuse where laneway-bench would reject the options, before a job begins."""
    with suppress(OSError, subprocess.TimeoutExpired):  # the job says what is wrong
        checked = subprocess.run(
            [str(bench), *words, "--check"], capture_output=True, text=True, timeout=30, check=False
        )
        if checked.returncode == BAD_USAGE and (told := complaint(checked.stderr)):
            raise Misuse(told)


def complaint(errors: str) -> str | None:
    """The line in which the benchmark itself says what it does not like."""
    mark = "laneway-bench: "
    return next((line[len(mark) :] for line in errors.splitlines() if line.startswith(mark)), None)


class RowsFile:
    """A file of rows, as they come: a kill costs the case under way and no more.

    Earlier contents of the file stay until the first case is done.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[str] = []
        self._begun = False

    def keep(self, row: Row) -> None:
        """Takes a row; those of a case go to the file with its last one. Raises UnwritableError."""
        self._waiting.append(json.dumps(row) + "\n")
        if row["kind"] in ("averages", "error") or (self._begun and row["kind"] != "sample"):
            self.flush()

    def flush(self) -> None:
        """Writes the rows that wait. Raises UnwritableError."""
        text = "".join(self._waiting)
        self._waiting.clear()
        if not self._begun:
            files.replace(self._path, text)
            self._begun = True
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise files.UnwritableError(self._path, error) from error


def start(job: Job, silence: float) -> Row:
    """The row about one start of a job whose program is laneway-bench --start.

    Raises the same errors as `rows`.
    """
    before = time.time()
    *_, last = rows(job, silence)
    return since(before, last)


def with_defaults(text: str) -> str:
    """The help of laneway-bench with what `laneway bench` starts it with as defaults."""
    for default in DEFAULTS:
        option, _, value = default.partition("=")
        of_option = rf"({re.escape(option)}\b(?:(?!\n +-).)*?\(default: )[^)]*"
        text = re.sub(of_option, rf"\g<1>{value}", text, count=1, flags=re.DOTALL)
    sizes = next(value for option, value in (d.split("=") for d in DEFAULTS) if "size" in option)
    return re.sub(r"\(default:\s+1,1000,100000\)", f"(default: -m {sizes})", text)


def operations(bench: str) -> list[str]:
    """The operations that laneway-bench can time, as its help names them."""
    named = re.search(r"--collective A,B +([\w,\s]+?) \(default", help_text(bench))
    return re.findall(r"\w+", named[1]) if named else []


def options(bench: str) -> list[str]:
    """The options of laneway-bench, as its help names them."""
    lines = re.findall(r"^ +(?:-\w, )?(--[\w-]+(?:, --[\w-]+)*)", help_text(bench), re.MULTILINE)
    return [name for line in lines for name in line.split(", ")]


def help_text(bench: str) -> str:
    """The help of laneway-bench on its options; empty where it cannot be run."""
    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(
            [bench, "--help"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    return ""
