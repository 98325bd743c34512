# SPDX-License-Identifier: BSD-3-Clause
"""Making a campaign's folder of files that other benchmarks wrote."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import laneway
from laneway.campaign.folder import Folder
from laneway.errors import Misuse, Problem
from laneway.results.imports import imb, osu
from laneway.results.imports.shape import ImportedShape
from laneway.results.imports.table import DamageError, LinesLeftOut, TableEntry, read
from laneway.results.imports.text import decoded, lines_of
from laneway.rows import WIDTHS, Row

READERS = {"osu": (osu.matches, osu.OsuTable), "imb": (imb.matches, imb.ImbTable)}
"""By the benchmark's name: whether lines are its output, and the table that reads them."""


class Parsed(NamedTuple):
    """The times that were read of a text, and the lines left out."""

    benchmark: str
    entries: Sequence[TableEntry]
    left_out: Sequence[LinesLeftOut]


def parse(text: str) -> Parsed:
    """Which benchmark wrote a text, the times in it, and which lines gave none.

    Raises Misuse where it is none that is known, or holds no times; DamageError where a line cannot
    be what that benchmark wrote.
    """
    lines = lines_of(text)
    for name, (matches, table) in READERS.items():
        if matches([line for line in lines if line]):
            entries, left_out = read(lines, table())
            if not entries:
                raise Misuse("; ".join(["there are no times in it", *map(str, left_out)]))
            return Parsed(name, entries, left_out)
    raise Misuse("this is no output of the OSU micro-benchmarks or the Intel MPI Benchmarks")


def import_files(paths: Sequence[Path], folder: Folder, about: Mapping[str, Any]) -> list[str]:
    """Fills a new folder with the times in files, each the output of one run of mpirun.

    `about` has `algorithm`, `library`, `nodes` and `ppn` for all rows. Returns what of the files
    was left out, and why. Nothing is written unless every file is good. Raises Misuse that names
    file, line and reason.
    """
    runs = []
    told = []
    for run, path in enumerate(paths, 1):
        try:
            found = parse(decoded(path.read_bytes()))
        except OSError as error:
            raise Misuse(f"cannot read {path}: {error.strerror}") from error
        except (DamageError, Misuse) as error:
            raise Misuse(f"{path}: {error}") from error
        shapes = [ImportedShape.of(entry, found.entries, about) for entry in found.entries]
        told += [f"{path}: {each}" for each in found.left_out]
        told += [f"{path}: {each}" for each in _unknown(found.entries, shapes)]
        runs.append(
            [
                _row(run, entry, shape, benchmark=found.benchmark, path=path, about=about)
                for entry, shape in zip(found.entries, shapes, strict=True)
            ]
        )
    with folder.locked(), _whole(folder):
        folder.create(
            {
                "name": "import",
                "command": shlex.join(["laneway", *sys.argv[1:]]),
                "laneway": laneway.__version__,
                "date": datetime.now(UTC).isoformat(timespec="seconds"),
                "files": [str(path.absolute()) for path in paths],
                "about": dict(about),
                "left_out": told,
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
    return told


@contextmanager
def _whole(folder: Folder) -> Iterator[None]:
    """Removes what was written of the folder where not all of it could be."""
    folder.refuse_if_taken()
    try:
        yield
    except Problem:
        folder.remove()
        raise


def _unknown(
    entries: Sequence[TableEntry], shapes: Sequence[ImportedShape]
) -> Iterator[LinesLeftOut]:
    """Lines left out where nodes are told for the job, and not known for a table."""
    lines: dict[str, list[int]] = {}
    for entry, shape in zip(entries, shapes, strict=True):
        if shape.why_unknown:
            lines.setdefault(shape.why_unknown, []).append(entry.line)
    yield from (LinesLeftOut(why, own) for why, own in lines.items())


def _row(
    run: int,
    entry: TableEntry,
    shape: ImportedShape,
    *,
    benchmark: str,
    path: Path,
    about: Mapping[str, Any],
) -> Row:
    """One printed time as a sample; what was not printed is unknown."""
    blocks = (shape.ranks or 1) if entry.divided else 1
    return {
        "kind": "sample",
        "run": run,
        "launch": run,
        "block": "all",
        "collective": entry.collective,
        "algorithm": about["algorithm"],
        "count": entry.bytes // WIDTHS.get(entry.datatype, 1) // blocks,
        "datatype": entry.datatype,
        "bytes": entry.bytes,
        "nodes": shape.nodes,
        "ppn": shape.ppn,
        "lanes": None,
        "library": about["library"],
        "binding": "all",
        "repetition": 0,
        "benchmark": benchmark,
        "statistic": entry.statistic,
        **entry.more,
        "ranks": shape.ranks,
        "unequal": shape.unequal,
        "time_us": entry.time_us,
        "source": f"{path}:{entry.line}",
    }
