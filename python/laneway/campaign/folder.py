# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a campaign.

    manifest.json   what is measured, where and in which environment
    plan.toml       the plan as given, where there is one
    rows.jsonl      every row, as it came
    launches/       the blocks that each start of the launcher was asked for
    rows.parquet, rows.csv   the samples, written anew by `export`
    lock            held while a campaign goes on here

A block counts once its row of kind `block` is on disk. The rows of a block that was cut short stay
in rows.jsonl; readers here pass over them.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import shlex
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from laneway import files
from laneway.errors import Misuse, Problem
from laneway.rows import Row, complete, frame, read

if TYPE_CHECKING:
    import polars as pl

ROWS = "rows.jsonl"

EYEBLINK = 0.1
"""Seconds after which a concurrent reader sees a sample at the latest, if another one follows."""

AFTERLIFE = 2.0
"""Seconds for which a lock may outlive the process that took it."""

FORMAT = 1
"""The format of the folder; a reader refuses later ones."""


class Done(NamedTuple):
    """A block of a run that is complete."""

    run: int
    task: str
    block: str


class Folder:
    """A campaign's folder, to be read; `writing` is for the one who carries it out."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def raw(self) -> Path:
        """The file of rows."""
        return self.path / ROWS

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The facts of a campaign: what is measured, where and in which environment.

        Raises Misuse where there is none, Problem where it cannot be read.
        """
        files.must_be_there(self.path)
        path = self.path / "manifest.json"
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise Misuse(f"{self.path} is no campaign: it has no manifest.json") from None
        except (OSError, ValueError) as error:
            raise Problem(f"cannot read {path}: {error}") from error
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise Problem(f"{path} is not of format {FORMAT}: a later laneway wrote it")
        return manifest

    @property
    def resumable(self) -> bool:
        """Whether `laneway campaign resume` can go on here: by its plan, or by its own command."""
        if not (self.path / "manifest.json").exists():
            return False
        words = shlex.split(self.manifest.get("command", ""))
        return (self.path / "plan.toml").exists() or words[1:2] in (["compare"], ["probe"])

    @property
    def imported(self) -> bool:
        """Whether others measured what is here: it cannot go on."""
        return (self.path / "manifest.json").exists() and "files" in self.manifest

    def resume(self, *options: str) -> str:
        """The command that goes on with this campaign."""
        return shlex.join(["laneway", "campaign", "resume", *options, str(self.path)])

    def all_rows(self) -> Iterator[Row]:
        """Every row, including those of blocks that were cut short."""
        try:
            with self.raw.open(encoding="utf-8", errors="replace") as lines:
                yield from read(lines)
        except FileNotFoundError:
            return
        except OSError as error:
            raise Problem(f"cannot read {self.raw}: {error.strerror}") from error

    def rows(self) -> Iterator[Row]:
        """The rows that count: those of complete blocks, and those that belong to no block."""
        return complete([*self.all_rows()])

    def done(self) -> set[Done]:
        """The blocks that are complete."""
        return {Done(row["run"], row["task"], row["block"]) for row in self._blocks()}

    def _blocks(self) -> Iterator[Row]:
        return (row for row in self.all_rows() if row["kind"] == "block")

    def samples(self) -> pl.DataFrame:
        """One line a repetition, one column a key of the rows; nested values are left out."""
        return frame(row for row in self.rows() if row["kind"] in ("sample", "probe"))

    def export(self) -> list[Path]:
        """Writes the samples as Parquet and CSV; each file is whole or as it was.

        Raises Problem where one cannot be written, as do all methods that write here.
        """
        frame = self.samples()
        written = [self.path / "rows.parquet", self.path / "rows.csv"]
        parquet = io.BytesIO()
        frame.write_parquet(parquet)
        files.replace(written[0], parquet.getvalue())
        files.replace(written[1], frame.write_csv())
        return written

    def refuse_if_taken(self) -> None:
        """Raises Misuse where there is a campaign here already."""
        if self.raw.exists() or (self.path / "manifest.json").exists():
            go_on = f", or go on with {self.resume()}"
            raise Misuse(
                f"{self.path} holds results already: name another folder with --out"
                f"{go_on if self.resumable else ''}"
            )

    def create(self, manifest: dict[str, Any], plan: str | None = None) -> None:
        """Begins a campaign here. Raises Misuse where there is one already."""
        self.refuse_if_taken()
        if plan is not None:
            files.replace(self.path / "plan.toml", plan)
        self._write({"format": FORMAT, **manifest})

    def revise(self, **facts: Any) -> None:
        """Puts other facts into the manifest, in one step."""
        self._write({**self.manifest, **facts})

    def _write(self, manifest: dict[str, Any]) -> None:
        text = json.dumps(manifest, indent=1) + "\n"
        files.replace(self.path / "manifest.json", text)
        self.__dict__["manifest"] = manifest

    def remove(self) -> None:
        """Takes back a campaign that has measured nothing."""
        for name in (
            ROWS,
            "rows.parquet",
            "rows.csv",
            "manifest.json",
            "plan.toml",
            "lock",
        ):
            (self.path / name).unlink(missing_ok=True)
        for launch in self.launches.glob("*.txt"):
            launch.unlink()
        for folder in (self.launches, self.path):
            with contextlib.suppress(OSError):
                folder.rmdir()

    @property
    def launches(self) -> Path:
        """The folder where the blocks of each start of the launcher are noted."""
        return self.path / "launches"

    @property
    def is_running(self) -> bool:
        """Whether somebody carries this campaign out at this moment."""
        try:
            with (self.path / "lock").open(encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps others from carrying out this campaign; the lock ends with the process, too.

        Raises Problem where another process does.
        """
        path = self.path / "lock"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = path.open("a+", encoding="utf-8")
        except FileExistsError as error:
            raise Problem(f"cannot write results to {self.path}: it is no folder") from error
        except OSError as error:
            raise Problem(f"cannot write results to {self.path}: {error.strerror}") from error
        with file:
            if not _locks(file):
                file.seek(0)
                raise Problem(
                    f"a campaign is going on in {self.path} already, process {file.read().strip()}"
                )
            with contextlib.suppress(OSError):  # who holds it is only told
                os.ftruncate(file.fileno(), 0)
                os.write(file.fileno(), f"{os.getpid()}\n".encode())
            yield

    @contextlib.contextmanager
    def writing(self) -> Iterator[Journal]:
        """The rows' file, to be appended to."""
        try:
            _mend(self.raw)
            journal = Journal(self.raw)
        except OSError as error:
            raise files.UnwritableError(self.raw, error) from error
        try:
            yield journal
        finally:
            journal.close()


class Journal:
    """Rows being written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("a", encoding="utf-8")
        self._flushed = 0.0

    def keep(self, row: Row) -> None:
        """Appends a row; a block's last row puts it on disk for good. Raises UnwritableError."""
        sample = row["kind"] in ("sample", "probe")
        now = time.monotonic()
        try:
            self._file.write(json.dumps(row) + "\n")
            if not sample or now - self._flushed > EYEBLINK:  # there may be 10,000 samples a second
                self._file.flush()
                self._flushed = now
            if not sample:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise files.UnwritableError(self._path, error) from error

    def close(self) -> None:
        """Ends the writing; a row that there was no room for leaves no part behind."""
        try:
            self._file.close()
        except OSError as error:
            with contextlib.suppress(OSError):
                _mend(self._path)
            raise files.UnwritableError(self._path, error) from error


def _locks(file: TextIO) -> bool:
    """Takes a lock that is free, or becomes so at once.

    The launcher that a campaign was about to start when it was killed holds its files a little
    longer.
    """
    end = time.monotonic() + AFTERLIFE
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        else:
            return True


def _mend(path: Path) -> None:
    """Takes off a last line that was never finished, because its writer was killed."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        end = size = file.seek(0, os.SEEK_END)
        while end > 0:
            begin = max(0, end - 65536)
            file.seek(begin)
            newline = file.read(end - begin).rfind(b"\n")
            if newline >= 0:
                end = begin + newline + 1
                break
            end = begin
        if end < size:
            file.truncate(end)
            os.fsync(file.fileno())
