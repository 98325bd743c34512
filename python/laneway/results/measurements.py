# SPDX-License-Identifier: BSD-3-Clause
"""Measurements read back: the rows of one or several campaigns, checked, and their summaries."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from laneway.campaign.folder import ROWS
from laneway.errors import Misuse
from laneway.files import must_be_there, slug
from laneway.libraries import native
from laneway.rows import (
    FACTS,
    CaseKey,
    CaseSummary,
    Row,
    Samples,
    collect,
    complete,
    kinds,
    parse,
    summaries_of,
)

if TYPE_CHECKING:
    from laneway.guideline import Contest, GuidelineFinding, Standing


_NEEDED = {
    kinds.name_of(kind): kind.__required_keys__
    for kind in (
        kinds.SampleRow,
        kinds.ProbeRow,
        kinds.TrafficRow,
        kinds.EnvironmentRow,
        kinds.CarriedRow,
        kinds.CountersRow,
        kinds.CampaignRow,
        kinds.BlockRow,
        kinds.NoteRow,
        kinds.ErrorRow,
        kinds.FailureRow,
    )
}
"""Keys that are read of a row of each kind. Rows of other kinds are passed on as they are."""


@dataclass(frozen=True)
class Measured:
    """The rows of a measurement, ready to be looked at."""

    rows: Sequence[Row]
    damage: Sequence[str] = field(default_factory=tuple)
    """Complaints about what could not be read, a sentence for each file."""

    @cached_property
    def samples(self) -> dict[CaseKey, Samples]:
        """Every repetition of every case."""
        return collect(self.rows)

    @cached_property
    def summaries(self) -> list[CaseSummary]:
        """A summary of every case."""
        return summaries_of(self.samples)

    def wrong(self, keys: Iterable[CaseKey]) -> dict[CaseKey, str]:
        """The cases among `keys` whose results are wrong, and what is known of that."""
        rows = self.of_kind("error")
        found = {}
        for key in keys:
            facts = {**{name: getattr(key, name) for name in FACTS}, **dict(key.axes)}
            for row in rows:
                if all(row.get(name, value) == value for name, value in facts.items()):
                    found[key] = f"wrong result: {row['message']}"
        return found

    @cached_property
    def _contest(self) -> Contest:
        from laneway.guideline import Contest  # noqa: PLC0415 - it loads SciPy

        return Contest(self.samples, self.rows)

    @cached_property
    def verdicts(self) -> dict[CaseKey, GuidelineFinding]:
        """Whether native is as fast as an algorithm, for each case of that algorithm.

        There is none where native was not measured beside it.
        """
        return self._contest.against_native

    @cached_property
    def standings(self) -> list[Standing]:
        """Which algorithm is the fastest, for each case of several."""
        return self._contest.standings()

    @cached_property
    def winners(self) -> frozenset[CaseKey]:
        """The fastest of each case, by guideline.winner."""
        return frozenset(standing.best for standing in self.standings)

    @cached_property
    def libraries(self) -> list[str]:
        """The MPI libraries that were measured."""
        return [*dict.fromkeys(key.library for key in self.samples)]

    def of_library(self, name: str) -> Measured:
        """The part about one library, named as in its rows, or as `--mpi` names builds of it.

        Raises Misuse where none of them, or several, are called so.
        """
        found = [library for library in self.libraries if native.is_called(library, name)]
        if len(found) != 1:
            among = ", ".join(map(slug, found or self.libraries))
            raise Misuse(f"--mpi: '{name}' is {'several' if found else 'none'} of {among}")
        return Measured([row for row in self.rows if row.get("library", found[0]) == found[0]])

    def of_kind(self, kind: str) -> list[Row]:
        """The rows of a kind."""
        return [row for row in self.rows if row["kind"] == kind]


def read(sources: Iterable[Path]) -> Measured:
    """The rows of campaigns' folders, and of files of rows.

    A folder may hold several campaigns, each in a folder of its own. Runs of different sources are
    different runs. Lines that are damaged are left out, and told. Raises Misuse for a source that
    cannot be read or holds no row at all.
    """
    rows: list[Row] = []
    damage = []
    runs = 0
    for path in (file for source in sources for file in _files(source)):
        own, broken = _rows(path)
        if not own:
            raise Misuse(f"{path} holds no rows of laneway{_lines(broken)}")
        if broken:
            damage.append(f"{path}: {_lines(broken).strip(' ()')}, left out")
        if runs:
            own = [{**row, "run": row["run"] + runs} if "run" in row else row for row in own]
        runs = max((row.get("run", 0) for row in own), default=runs)
        rows += own
    return Measured(rows, damage)


def sound(rows: Iterable[Row]) -> Measured:
    """Rows of one campaign that were read already; what is incomplete is left out."""
    return Measured([row for row in rows if _complete(row)])


def _lines(broken: Counter[str]) -> str:
    told = ", ".join(f"{number} {what}" for what, number in broken.items())
    return f" ({told})" if told else ""


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    must_be_there(source)
    found = [source / ROWS] if (source / ROWS).exists() else sorted(source.glob(f"*/{ROWS}"))
    if not found:
        raise Misuse(f"{source} holds no {ROWS}: name a folder that --out of a measurement made")
    return found


_LONGEST_LINE = 1_000_000
"""Letters; a file whose first line has more holds no rows."""


def holds_rows(source: Path) -> bool:
    """Whether a file or folder looks like a measurement: by its files' names, or its first line."""
    try:
        files = _files(source)
        if files[0].name == ROWS:
            return True
        with files[0].open(encoding="utf-8", errors="replace") as file:
            return parse(file.readline(_LONGEST_LINE)) is not None
    except (Misuse, OSError):
        return False


def _rows(path: Path) -> tuple[list[Row], Counter[str]]:
    """The sound rows of a file, and how many lines of which kind are none."""
    broken: Counter[str] = Counter()
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Misuse(f"cannot read {path}: {error.strerror}") from error
    return list(complete([*_sound(text.split("\n"), broken)])), broken


def _sound(lines: Iterable[str], broken: Counter[str]) -> Iterator[Row]:
    for line in filter(str.strip, lines):
        row = parse(line)
        if row is None:
            broken["lines that are no rows"] += 1
        elif not _complete(row):
            broken[f"incomplete rows of kind {json.dumps(row['kind'])}"] += 1
        else:
            yield row


def _complete(row: Row) -> bool:
    """Whether a row has what is read of its kind; a sample a time that can be."""
    if not _NEEDED.get(row["kind"], frozenset()) <= row.keys():
        return False
    if "run" in row and not isinstance(row["run"], int):
        return False
    if row["kind"] != "sample":
        return True
    time = row["time_us"]
    return isinstance(time, int | float) and math.isfinite(time) and time >= 0
