# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway decisions`, and what `exec` prints of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from laneway import decisions
from laneway.commands.shared.console import output
from laneway.commands.shared.forms import Form, formed, show
from laneway.decisions import Case, Count, Report, origin
from laneway.units import duration, size

KEYS = ("job", "collective", "bytes")
"""Columns that stand in each part of a table that is too wide for a terminal."""

LESS = ("communicator", "a process", "calls", "us a call")
"""Columns that a narrow terminal goes without, the first first."""


@click.command("decisions")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--rank", type=int, metavar="R", help="Only the calls of rank R.")
@click.option(
    "--each", is_flag=True, help="Each communicator by itself, not those of one shape together."
)
@formed
def decisions_command(folder: Path, *, rank: int | None, each: bool, form: Form) -> None:
    """Print the report of a job, or several: which algorithm served which calls, and why.

    FOLDER is what `laneway exec --report` or `--advise` left, or what LANEWAY_REPORT names; it may
    be read while the job runs.
    """
    report = decisions.load(folder, rank)
    shown = report if each else report.folded()
    if form is Form.TEXT:
        print_report(shown, output(), origin.load(folder))
    else:
        # Sums over all of it are no lines of a table.
        rows = (row for row in report.rows() if form is Form.JSON or row["kind"] == "decision")
        show(form, rows, [_table(shown)])


def print_report(report: Report, console: Console, where: Sequence[str] = ()) -> None:
    """Prints the report as a table, with what was measured where it was.

    `where` are the options of `compare` by which it measures where the job ran.
    """
    show(Form.TEXT, (), [_table(report)], keys=KEYS, less=LESS, console=console)
    for note in (*report.notes(), *_sums(report)):
        console.print(note, highlight=False, markup=False, soft_wrap=True)
    for line in _next(report, where) if report.timed else ():
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _next(report: Report, where: Sequence[str]) -> Iterator[str]:
    """What to do where times were measured."""
    if commands := decisions.comparisons(report.cases, where):
        yield (
            "To measure how much of that another algorithm saves, and get a profile for `laneway "
            "exec --profile`:"
        )
        yield from commands
        return
    case, count = next((each for each in report.cases.items() if each[1].seconds), (None, None))
    if case and count:
        reason = decisions.advice(case, count)
        yield f"Nothing to gain here: {reason.removeprefix('nothing: ')} ({case.collective})."
    if all(each.place.nodes in (None, 1) for each in report.cases):
        yield "On several nodes there may be: advise there, or see `laneway demo`."


def _table(report: Report) -> Table:
    table = Table(box=None, pad_edge=False)
    several = len(report.jobs) > 1
    words = ("communicator", "nodes x ppn", "collective")
    numbers = ("bytes", "calls", "a process")
    for heading in (*(("job",) if several else ()), *words):
        table.add_column(heading)
    times = ("us a call", "waiting") if report.timed else ("us a call",)
    for heading in (*numbers, *times):
        table.add_column(heading, justify="right")
    for heading in () if report.timed else ("served by",):
        table.add_column(heading)
    # Sentences: they fold where there is little room.
    table.add_column("what would pay" if report.timed else "because", overflow="fold", min_width=20)
    for case, count in report.cases.items():
        job = (str(case.place.job),) if several else ()
        last = _timed(case, count) if report.timed else _served(case, count)
        table.add_row(*map(escape, (*job, *_what(case, count), *last)))
    return table


def _what(case: Case, count: Count) -> tuple[str, ...]:
    place = case.place
    if case.bytes_from is None or case.bytes_to is None:
        bytes_ = "?"
    elif case.bytes_from == case.bytes_to:
        bytes_ = size(case.bytes_to)
    else:
        bytes_ = f"{size(case.bytes_from)} to {size(case.bytes_to + 1)}"
    calls = (str(count.calls), str(count.most_calls))
    return place.label, place.shape, case.collective, bytes_, *calls


def _served(case: Case, count: Count) -> tuple[str, ...]:
    took = f"{count.elapsed_s / count.calls * 1e6:.1f}" if count.elapsed_s else ""
    return took, case.algorithm, case.why


def _timed(case: Case, count: Count) -> tuple[str, ...]:
    if not count.seconds:
        return "", "", decisions.advice(case, count)
    return (
        f"{count.seconds / count.calls * 1e6:.1f}",
        f"{count.waiting:.0%}",
        decisions.advice(case, count),
    )


def _sums(report: Report) -> Iterator[str]:
    total = report.total
    elapsed, waited, seconds = map(
        total.a_process, (total.elapsed_s, total.waited_s, total.seconds)
    )
    if elapsed and not report.timed:
        spent = duration(elapsed)
        yield f"A process spends {spent} in collectives (mean; waiting for others included)"
    if not report.timed:
        return
    if decisions.late(report.cases):
        yield "Balance the work first: most of the time goes by until the last process has come."
    yield (
        f"A process spends {duration(seconds)} in collectives and {duration(waited)} waiting "
        "before them for the last process to come (mean; with the time that finding out takes, "
        "some us a call)."
    )
