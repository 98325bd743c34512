# SPDX-License-Identifier: BSD-3-Clause
"""How tables are printed: for a terminal, as JSON lines, as CSV or as Markdown."""

from __future__ import annotations

import csv
import functools
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

import click

from laneway.commands.shared.console import PIPED, UNLIMITED, output
from laneway.errors import Misuse

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

Command = TypeVar("Command", bound=Callable[..., Any])


class Form(StrEnum):
    """The forms in which a table is printed."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


_HELP = {
    Form.JSON: "Print one JSON object a line, no table.",
    Form.CSV: "Print comma-separated values, no table.",
    Form.MARKDOWN: "Print the table in Markdown.",
}


def formed(command: Command) -> Command:
    """Adds `--json`, `--csv` and `--markdown`: the command gets the asked one as `form`.

    Raises Misuse where several are asked for.
    """

    @functools.wraps(command)
    def wrapper(**options: Any) -> Any:
        asked = [form for form in _HELP if options.pop(f"as_{form}")]
        if len(asked) > 1:
            raise Misuse(f"{' or '.join(f'--{form}' for form in asked)}, not both")
        return command(form=asked[0] if asked else Form.TEXT, **options)

    for form, told in reversed(_HELP.items()):
        wrapper = click.option(f"--{form}", f"as_{form}", is_flag=True, help=told)(wrapper)
    return wrapper  # type: ignore[return-value]


def show(
    form: Form,
    rows: Iterable[Mapping[str, Any]],
    tables: Iterable[Table],
    *,
    keys: Sequence[str] = (),
    less: Sequence[str] = (),
    console: Console | None = None,
) -> None:
    """Prints rows as JSON or CSV, or tables: on standard output, unless a `console` is given.

    Rows or tables that go unused are not computed where they are generators. On a terminal that is
    too narrow, the columns named in `less` are left out, one after the other. If that is not
    enough, and elsewhere, a table that is too wide comes in parts, each with the columns of `keys`.
    """
    if form is Form.JSON:
        for row in rows:
            click.echo(json.dumps(row, allow_nan=False))
    elif form is Form.CSV:
        _print_csv([*rows])
    elif form is Form.MARKDOWN:
        for number, table in enumerate(tables):
            click.echo(("\n" if number else "") + markdown(table), nl=False)
    else:
        console = console or output()
        for table in tables:
            print_fitting(table, console, less, keys)


def _print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints a column for each key; nested values stand as JSON."""
    names = dict.fromkeys(name for row in rows for name in row)
    if not names:
        return
    writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {
                name: json.dumps(value) if isinstance(value, list | dict | tuple | bool) else value
                for name, value in row.items()
            }
        )


def markdown(table: Table) -> str:
    """A table in Markdown, its title above."""
    titled = [f"**{_plain(table.title)}**", ""] if table.title else []
    heading = [_plain(column.header) or " " for column in table.columns]
    marks = ["---:" if column.justify == "right" else "---" for column in table.columns]
    lines = [
        heading,
        marks,
        *zip(*(map(_plain, column.cells) for column in table.columns), strict=True),
    ]
    return "\n".join([*titled, *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def _plain(cell: object) -> str:
    """A cell without colours, on one line, its bars escaped."""
    return "<br>".join(_text(cell).plain.split("\n")).replace("|", "\\|")


def _text(cell: object) -> Text:
    """A cell as it is shown, colours and all."""
    from rich.text import Text  # noqa: PLC0415 - slow to load

    return cell if isinstance(cell, Text) else Text.from_markup(str(cell), emoji=False)


def print_fitting(
    table: Table, console: Console, less: Sequence[str] = (), keys: Sequence[str] = ()
) -> None:
    """Prints a table; on a terminal without the columns of `less` for which there is no room.

    Elsewhere all columns are printed, in parts if need be. Names and numbers are never cut. Columns
    that fold hold sentences, which wrap. `keys` are the columns that tell lines apart, where those
    are not the first ones whose text begins on the left.
    """
    for column in table.columns:
        if column.overflow != "fold":
            column.no_wrap = True
            column.min_width = max(map(_width, [column.header, *column.cells]))
    dropped = []
    if console.is_terminal:
        for name in less:
            if _fits(table, console):
                break
            table, found = _without(table, name)
            dropped += found
    else:
        table, console = copy(table), copy(console)
        console.width = min(console.width, PIPED)
        if table.title:
            # Above a table, rich folds a title to the table's width.
            console.print(table.title, style="table.title", highlight=False, soft_wrap=True)
            table.title = None
    for part in _split(table, console, keys):
        _share_room(part, console)
        console.print(part)
    if dropped:
        console.print(
            f"(no room here for {', '.join(dropped)}: --csv, --json, or a pipe have all columns)",
            highlight=False,
            markup=False,
        )


def _width(cell: object) -> int:
    return max((line.cell_len for line in _text(cell).split("\n")), default=0)


def _fits(table: Table, console: Console) -> bool:
    unlimited = console.options.update(max_width=UNLIMITED)
    return console.measure(table, options=unlimited).minimum <= console.width


def _share_room(table: Table, console: Console) -> None:
    """Decides how wide the columns that fold are, the narrowest first.

    By itself rich takes the room that others need from the widest column, also below its least
    width. It then cuts the text that does not fit.
    """
    unlimited = console.options.update(max_width=UNLIMITED)
    spare = max(0, console.width - console.measure(table, options=unlimited).minimum)
    wishes = []
    for column in table.columns:
        if column.overflow == "fold":
            cells = [
                console.measure(cell, options=unlimited) for cell in (column.header, *column.cells)
            ]
            least = max(column.min_width or 0, *(cell.minimum for cell in cells))
            wishes.append((max(least, *(cell.maximum for cell in cells)), least, column))
    for most, least, column in sorted(wishes, key=lambda wish: wish[0]):
        column.width = least + min(spare, most - least)
        spare -= column.width - least


def _split(table: Table, console: Console, keys: Sequence[str]) -> list[Table]:
    """A table as several that fit, one below the other: each has the columns that tell lines apart.

    The last of these columns come once, like the others, where all leave no room for another.
    """
    if _fits(table, console):
        return [table]
    names = _keys(table, keys)
    if not keys:
        names = _apart(table, names, console)
    while len(names) > 1 and not _have_room(table, names, console):
        names.pop()
    parts: list[Table] = []
    for column in _others(table, names):
        wider = _with(table, [*(parts[-1].columns if parts else names), column])
        if parts and not _fits(wider, console):
            parts.append(_with(table, [*names, column]))
        else:
            parts[-1:] = [wider]
    return parts


def _keys(table: Table, keys: Sequence[str]) -> list[Column]:
    """The columns that tell lines apart: those named, or the first ones that begin on the left."""
    columns = [*table.columns]
    named = [column for column in columns if column.header in keys]
    left = [*takewhile(lambda column: column.justify != "right", columns[:-1])]
    return named or left or columns[:1]


def _apart(table: Table, names: Sequence[Column], console: Console) -> list[Column]:
    """These columns, and as many of the next ones as tell lines apart, if they can.

    They leave room for each of the other columns; an empty cell stands for the one above.
    """
    found = [*names]
    for column in (None, *_others(table, names)):
        found += [column] if column else []
        if not _have_room(table, found, console):
            break
        lines = [*zip(*map(_filled, found), strict=True)]
        if len(set(lines)) == len(lines):
            return found
    return [*names]


def _filled(column: Column) -> list[str]:
    """The cells of a column as text, an empty one as the one above it."""
    filled: list[str] = []
    for cell in map(_plain, column.cells):
        filled.append(cell or (filled[-1] if filled else ""))
    return filled


def _others(table: Table, names: Sequence[Column]) -> list[Column]:
    return [column for column in table.columns if column not in names]


def _have_room(table: Table, names: Sequence[Column], console: Console) -> bool:
    """Whether each of the other columns fits beside these."""
    return all(_fits(_with(table, [*names, column]), console) for column in _others(table, names))


def _with(table: Table, columns: Sequence[Column]) -> Table:
    """The table with these of its columns alone."""
    part = copy(table)
    part.columns = [replace(column, _index=place) for place, column in enumerate(columns)]
    return part


def _without(table: Table, name: str) -> tuple[Table, list[str]]:
    """The table without the column of that heading; and the heading, where there is one."""
    kept = [column for column in table.columns if column.header != name]
    return _with(table, kept), [name] if len(kept) < len(table.columns) else []
