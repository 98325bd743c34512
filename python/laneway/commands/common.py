# SPDX-License-Identifier: BSD-3-Clause
"""What the subcommands share: options, output and how a measurement ends."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from laneway import compare, progress, table
from laneway.campaign import Result, measure
from laneway.cluster.spec import format_rate
from laneway.measured import Measured
from laneway.parameters import Words
from laneway.rows import Row, Summary, impossible, lane_use, notes, summarise

INTERRUPTED = 130

TABLE_WIDTH = 124
"""Lines of tables are never shortened: on a narrow terminal they wrap."""

Command = TypeVar("Command", bound=Callable[..., Any])

errors = Console(stderr=True)


def output(*, stderr: bool = False, width: int = TABLE_WIDTH) -> Console:
    """Standard output (or error), wide enough for the tables."""
    console = Console(stderr=stderr)
    console.width = max(console.width, width)
    return console


def say(message: str) -> None:
    """Tells the user something that is no result, on standard error."""
    errors.print(message, highlight=False, markup=False, soft_wrap=True)


mpi_option = click.option(
    "--mpi", metavar="NAME", help="MPI library: openmpi, mpich, or a build such as openmpi-5.0."
)


cluster_option = click.option(
    "--cluster",
    "cluster_name",
    envvar="LANEWAY_CLUSTER",
    default="auto",
    metavar="auto|none|NAME",
    show_default=True,
    help="An emulated cluster that is up; none: virtual nodes of this machine; auto: the cluster "
    "that is up, else one made for this, else virtual nodes.",
)
realtime_option = click.option(
    "--realtime", is_flag=True, help="On a cluster: ranks under SCHED_RR, undisturbed (root only)."
)
runs_option = click.option(
    "--runs", type=click.IntRange(1), default=3, show_default=True, help="Runs of mpirun."
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=1,
    show_default=True,
    help="Decides the order in which those that are compared take turns.",
)
launcher_option = click.option(
    "--launcher-options",
    type=Words(),
    default=(),
    metavar="'...'",
    help="More options for mpirun, where there is no emulated cluster: '--hostfile hosts'.",
)
silence_option = click.option(
    "--timeout",
    "silence",
    type=click.FloatRange(1),
    metavar="S",
    help="Give a run up after so many seconds without a row.  [default: by --time]",
)
lines_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a line, no table."
)


def measured(plan: compare.Plan, folder: Path) -> Result:
    """Carries a plan out, with its progress on standard error."""
    with progress.shown(errors, plan) as observer:
        return measure(plan, folder, observer)


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
    return f"{plan.build.library}, {plan.nodes} nodes x {plan.ppn} ranks{lanes}, {plan.datatype}"


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


def write_report(rows: list[Row], path: Path) -> None:
    """Writes rows as an HTML file with plots, and says where it is."""
    from laneway import report  # noqa: PLC0415 - it loads the plotting library

    report.write(Measured(rows), path)
    say(f"report: {path}")


def finish(results: list[Result]) -> None:
    """Says where the rows are and what went wrong, and ends accordingly."""
    for result in results:
        samples = sum(row["kind"] == "sample" for row in result.rows)
        for failure in (*result.failures, *impossible(summarise(result.rows))):
            say(failure)
        if result.interrupted:
            say(f"interrupted: {samples} samples are kept in {result.folder}/rows.jsonl")
        else:
            say(f"{samples} samples: {result.folder}/rows.jsonl")
    if any(result.interrupted for result in results):
        sys.exit(INTERRUPTED)
    if any(result.failures or impossible(summarise(result.rows)) for result in results):
        sys.exit(1)
