# SPDX-License-Identifier: BSD-3-Clause
"""The report of a study, written and printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

import laneway
from laneway import files
from laneway.commands.shared.console import output
from laneway.commands.shared.forms import Form, show
from laneway.units import counted
from laneway_studies import folder
from laneway_studies.folder import Told
from laneway_studies.study import Section, Study, TimesOrigin

SHORT = 40
"""Lines of a table that are printed; longer ones are in its file."""


def write_report(study: Study, facts: Mapping[str, Any], found: Sequence[Told], path: Path) -> None:
    """Writes the report of a study."""
    from laneway_studies import report as page

    files.replace(path, page.render(study, facts, found, laneway.__version__))


def print_told(found: Sequence[Told], form: Form, path: Path | None) -> None:
    """Prints what a study says; on a terminal without tables that are long."""
    if form is not Form.TEXT:
        show(form, folder.lines(found), _tables(found))
        return
    from laneway_studies.report import judged

    console = output()
    for each in found:
        for section in each.sections:
            console.print(f"\n[b]{escape(section.title)}[/b] ({each.part.origin})", soft_wrap=True)
            verdict = judged(section)
            for line in (*section.said, *([str(verdict)] if verdict else ())):
                console.print(line, highlight=False, markup=False, soft_wrap=True)
            if 0 < len(section.lines) <= SHORT:
                show(Form.TEXT, (), [_table(section, each.part.origin, titled=False)])
            elif section.lines and path:
                console.print(
                    f"{counted(len(section.lines), 'line')}: {path}/tables",
                    highlight=False,
                    soft_wrap=True,
                )


def _tables(found: Sequence[Told]) -> Iterator[Table]:
    for each in found:
        yield from (_table(section, each.part.origin) for section in each.sections if section.lines)


def _table(section: Section, origin: TimesOrigin, *, titled: bool = True) -> Table:
    from laneway_studies.report import cell, columns

    lines = section.lines
    table = Table(
        title=f"{section.title} ({origin})" if titled else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in columns(lines):
        number = all(isinstance(line.get(name), float | int | None) for line in lines)
        table.add_column(name, justify="right" if number else "left")
    for line in lines:
        table.add_row(*(escape(cell(line.get(name))) for name in columns(lines)))
    return table
