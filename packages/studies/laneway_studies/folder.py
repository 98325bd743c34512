# SPDX-License-Identifier: BSD-3-Clause
"""The folder that a study leaves, from which it goes on where it was interrupted.

It holds:

    study.json   which study, what was asked for, by which versions, machine files
    rows.jsonl   every row, as it came
    measured/    campaigns, where something was measured
    report.html  the report
    tables/      its tables as CSV
    NAME.tar.gz  rows, facts and report in one file, for `laneway report` elsewhere
"""

from __future__ import annotations

import csv
import io
import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import laneway
from laneway import files
from laneway.campaign.folder import ROWS
from laneway.errors import Misuse, Problem
from laneway.files import slug
from laneway.results.study_files import FACTS
from laneway.rows import Row
from laneway.simulation.machine import Machine
from laneway_studies import apart
from laneway_studies.study import (
    Asked,
    Section,
    Study,
    StudyPart,
    TimesOrigin,
    without_section,
)

REPORT = "report.html"


@dataclass(frozen=True)
class Told:
    """The sections in which a study tells about a part of its rows."""

    part: StudyPart
    sections: Sequence[Section]


SIMULATED, MEASURED, GIVEN = "simulated", "measured", "given as rows"
"""Where the rows of a study come from: one of these."""


def facts(
    name: str, kind: str, words: Mapping[str, str], machines: Iterable[Machine] = ()
) -> dict[str, Any]:
    """The facts by which a study is reported elsewhere; `words` are its parameters' texts."""
    return {
        "study": name,
        "kind": kind,
        "asked": dict(words),
        "machines": {machine.name: machine.options for machine in machines},
        "laneway": laneway.__version__,
        "command": shlex.join(["laneway", *sys.argv[1:]]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def begin(path: Path, own: Mapping[str, Any]) -> None:
    """Notes what is done in a folder. Raises Misuse where something else is there.

    That is another study, rows from elsewhere, of other machines or of machines with other numbers.
    A folder's rows would then be lost, or of several kinds.
    """
    file = path / FACTS
    if file.exists():
        before = read_facts(file.read_bytes(), str(file))
        for key, told in (
            ("study", f"the study {before['study']}"),
            ("kind", f"what was {before.get('kind')}"),
            ("machines", f"machines as they were: {', '.join(before.get('machines', ()))}"),
        ):
            if before.get(key, own[key]) != own[key]:
                raise Misuse(f"{path} holds {told}: name another folder with --output")
    elif (path / ROWS).exists():
        raise Misuse(f"{path} holds other results: name another folder with --output")
    files.replace(file, json.dumps(own, indent=1) + "\n")


def read_facts(data: bytes, origin: str) -> dict[str, Any]:
    """The facts of a study. Raises Problem where they are none."""
    try:
        found = json.loads(data)
    except ValueError as error:
        raise Problem(f"{origin}: not the facts of a study: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("study"), str):
        raise Problem(f"{origin}: not the facts of a study: it names none")
    return found


def told(study: Study, parts: Iterable[StudyPart]) -> list[Told]:
    """The sections of a study, part by part, then of machines together; others are left out."""
    parts = [*parts]
    found = [Told(part, [*apart.sections(study, part), *without_section(part)]) for part in parts]
    simulated = [part for part in parts if part.origin.simulated_on is not None]
    if study.across and len(simulated) > 1:
        names = ", ".join(part.origin.short for part in simulated)
        together = replace(simulated[0], origin=TimesOrigin(names), rows=())
        found.append(Told(together, [*study.across(simulated)]))
    return [each for each in found if each.sections]


def lines(found: Iterable[Told]) -> Iterable[Row]:
    """The numbers of all sections, each with where it belongs and comes from."""
    for each in found:
        for section in each.sections:
            for line in section.lines:
                yield {"section": section.title, **line, **each.part.origin.facts}


def write_tables(found: Iterable[Told], path: Path) -> list[Path]:
    """A CSV file for each section that has numbers."""
    written = []
    for each in found:
        for section in each.sections:
            if section.lines:
                file = path / "tables" / f"{slug(f'{each.part.origin.short}-{section.title}')}.csv"
                files.replace(file, _csv([{**line, **each.part.origin.facts}
                                          for line in section.lines]))  # fmt: skip
                written.append(file)
    return written


def _csv(rows: Sequence[Row]) -> str:
    text = io.StringIO(newline="")
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def values(facts: Mapping[str, Any], study: Study) -> Asked:
    """The values that were asked for, from the facts of a study."""
    return study.asked(facts.get("asked", {}))
