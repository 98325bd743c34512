# SPDX-License-Identifier: BSD-3-Clause
"""Making a campaign's folder of files that other benchmarks wrote."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import laneway
from laneway.campaign.folder import Folder
from laneway.errors import Misuse, Problem
from laneway.results.imports import imb, osu
from laneway.results.imports.table import DamageError, Entry
from laneway.rows import Row

READERS = {"osu": osu, "imb": imb}

WIDTHS = {"byte": 1, "char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}
"""Bytes of the datatypes that these benchmarks measure with."""


def parse(text: str) -> tuple[str, list[Entry]]:
    """Which benchmark wrote a text, and the times in it.

    Raises Misuse where it is none that is known, or holds no times; DamageError where a line cannot
    be what that benchmark wrote.
    """
    lines = text.splitlines()
    for name, reader in READERS.items():
        if reader.matches(lines):
            entries = [*reader.read(lines)]
            if not entries:
                raise Misuse("there are no times in it")
            return name, entries
    raise Misuse("this is no output of the OSU micro-benchmarks or the Intel MPI Benchmarks")


def import_files(paths: Sequence[Path], folder: Folder, about: Mapping[str, Any]) -> None:
    """Fills a new folder with the times in files, each the output of one run of mpirun.

    `about` has `algorithm`, `library`, `nodes` and `ppn` for all rows. Nothing is written unless
    every file is good. Raises Misuse that names file, line and reason.
    """
    runs = []
    for run, path in enumerate(paths, 1):
        try:
            source, entries = parse(path.read_text(encoding="utf-8", errors="replace"))
        except OSError as error:
            raise Misuse(f"cannot read {path}: {error.strerror}") from error
        except (DamageError, Misuse) as error:
            raise Misuse(f"{path}: {error}") from error
        runs.append([_row(run, source, path, entry, about) for entry in entries])
    with folder.locked(), _whole(folder):
        folder.create(
            {
                "name": "import",
                "command": shlex.join(["laneway", *sys.argv[1:]]),
                "laneway": laneway.__version__,
                "date": datetime.now(UTC).isoformat(timespec="seconds"),
                "files": [str(path.absolute()) for path in paths],
                "about": dict(about),
                "runs": len(runs),
                "blocks": {"import": ["all"]},
            }
        )
        with folder.writing() as journal:
            for run, rows in enumerate(runs, 1):
                for row in rows:
                    journal.keep(row)
                journal.keep(
                    {"kind": "block", "run": run, "launch": run, "block": "all", "task": "import"}
                )
        folder.export()


@contextmanager
def _whole(folder: Folder) -> Iterator[None]:
    """Removes what was written of the folder where not all of it could be."""
    folder.refuse_if_taken()
    try:
        yield
    except Problem:
        folder.remove()
        raise


def _row(run: int, benchmark: str, path: Path, entry: Entry, about: Mapping[str, Any]) -> Row:
    """One printed time as a sample; what was not printed is unknown."""
    ranks = entry.more.get("ranks")
    if ranks is None and about["nodes"] and about["ppn"]:
        ranks = about["nodes"] * about["ppn"]
    width = WIDTHS.get(entry.datatype, 1)
    return {
        "kind": "sample",
        "run": run,
        "launch": run,
        "block": "all",
        "collective": entry.collective,
        "algorithm": about["algorithm"],
        "count": entry.bytes // width,
        "datatype": entry.datatype,
        "bytes": entry.bytes,
        "nodes": about["nodes"] or ranks,
        "ppn": about["ppn"] or (1 if about["nodes"] is None else None),
        "lanes": None,
        "library": about["library"],
        "binding": "all",
        "repetition": 0,
        "benchmark": benchmark,
        "statistic": entry.statistic,
        **entry.more,
        "ranks": ranks,
        "time_us": entry.time_us,
        "source": f"{path}:{entry.line}",
    }
