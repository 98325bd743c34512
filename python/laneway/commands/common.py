# SPDX-License-Identifier: BSD-3-Clause
"""What the subcommands share: output, and how a measurement is carried out and ends."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import click
from rich.console import Console

from laneway import compare, progress, table
from laneway.campaign import Folder, Plan, Result, measure
from laneway.cluster.spec import format_rate
from laneway.measured import Measured
from laneway.rows import Row, Summary, impossible, lane_use, notes, summarise

INTERRUPTED = 130

TABLE_WIDTH = 124
"""Lines of tables are never shortened: on a narrow terminal they wrap."""

errors = Console(stderr=True)


def output(*, stderr: bool = False, width: int = TABLE_WIDTH) -> Console:
    """Standard output (or error), wide enough for the tables."""
    console = Console(stderr=stderr)
    console.width = max(console.width, width)
    return console


def say(message: str) -> None:
    """Tells the user something that is no result, on standard error."""
    errors.print(message, highlight=False, markup=False, soft_wrap=True)


@dataclass(frozen=True)
class Resumption:
    """What `laneway campaign resume` puts into the context of the command that it calls again."""

    folder: Path
    force: bool
    runs: int | None = None


def measured(plan: Plan, folder: Path, text: str | None = None) -> Result:
    """Carries a plan out, or on, with its progress on standard error.

    `text` is the plan as the user wrote it.
    """
    again = click.get_current_context().find_object(Resumption)
    if again is None:
        with progress.shown(errors, plan, plan.runs) as observer:
            return measure(plan, folder, observer, text=text)
    runs = again.runs or Folder(again.folder).manifest["runs"]
    with progress.shown(errors, plan, runs) as observer:
        result = measure(
            plan,
            again.folder,
            observer,
            resume=True,
            force=again.force,
            runs=again.runs,
            say=say,
        )
    return replace(result, rows=[*Folder(again.folder).rows()])


def print_result(plan: compare.Plan, result: Result) -> None:
    """Prints the table of a comparison, where its times come from, and what was noted."""
    console = output()
    summaries = summarise(result.rows)
    if summaries:
        console.print(table.render(summaries, _title(plan, summaries)))
        for line in _origin(summaries):
            console.print(line, highlight=False, markup=False)
    for line in lane_use(result.rows):
        console.print(line, highlight=False, markup=False)
    for note in notes(result.rows):
        console.print(f"note: {note}", highlight=False, markup=False)


def _title(plan: compare.Plan, summaries: list[Summary]) -> str:
    numbers = {summary.key.lanes for summary in summaries} - {None}
    lanes = f", {numbers.pop()} lanes" if len(numbers) == 1 else ""
    shape = f"{plan.place.nodes} nodes x {plan.place.ppn} ranks"
    return f"{plan.build.library}, {shape}{lanes}, {plan.datatype}"


def _origin(summaries: list[Summary]) -> list[str]:
    """The machine that the figures come from, and what the floor is."""
    machines = dict.fromkeys(summary.machine for summary in summaries if summary.machine)
    lines = [f"Measured on {'; and on '.join(machines)}."]
    wires = dict.fromkeys(summary.wire for summary in summaries if summary.wire)
    lines += [
        f"Floor: (bytes that the busiest lane must carry - {wire.burst}) / {format_rate(wire.rate)}"
        for wire in wires
    ]
    return lines


def print_conclusion(
    measured: Measured, folder: Path | None, *, quiet: bool = False, more: bool = True
) -> bool:
    """Says what measurements recommend, after their table; writes the profile into their folder.

    `quiet`: only where the profile is, on standard error. `more`: also what more runs would decide.
    Returns whether a profile was written.
    """
    from laneway.conclusion import conclude  # noqa: PLC0415 - it loads what judges

    found = conclude(measured, folder, more=more)
    for problem in found.problems:
        say(problem)
    if quiet:
        for path in found.profiles:
            say(f"profile: {path}")
        return bool(found.profiles)
    console = output()
    for line in found.lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    return bool(found.profiles)


def write_report(rows: list[Row], path: Path) -> None:
    """Writes rows as an HTML file with plots, and says where it is."""
    from laneway import report  # noqa: PLC0415 - it loads the plotting library

    report.write(Measured(rows), path)
    say(f"report: {path}")


def nothing_measured(result: Result) -> int:
    """Says why a measurement left nothing, not even its folder; the exit code."""
    for failure in result.failures:
        say(failure)
    say("nothing was measured")
    return 1


def finish(results: list[Result]) -> None:
    """Says where the rows are and what went wrong, and ends accordingly."""
    for result in results:
        samples = sum(row["kind"] == "sample" for row in result.rows)
        for failure in (*result.failures, *impossible(summarise(result.rows))):
            say(failure)
        if result.interrupted:
            say(f"interrupted: {samples} samples are kept in {result.folder}/rows.jsonl")
            say(f"go on with: laneway campaign resume {result.folder}")
        elif not result.folder.exists():
            say("nothing was measured")
        else:
            say(f"{samples} samples: {result.folder}/rows.jsonl")
    if any(result.interrupted for result in results):
        sys.exit(INTERRUPTED)
    if any(result.failures or impossible(summarise(result.rows)) for result in results):
        sys.exit(1)
