# SPDX-License-Identifier: BSD-3-Clause
"""How the subcommands that measure carry a plan out, show the results, and end."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laneway.campaign import Folder, Plan, Result, estimate, measure
from laneway.commands.shared import progress
from laneway.commands.shared.console import errors, output, say
from laneway.commands.shared.exit_codes import INTERRUPTED
from laneway.files import results_folder
from laneway.plans import comparison, points
from laneway.results.measurements import Measured
from laneway.rows import CaseSummary, Row, impossible, lane_use, notes, summarise
from laneway.showing import table
from laneway.showing.overlap import overlaps
from laneway.simulation.machine import Machine
from laneway.simulation.prediction import Predictions, predict
from laneway.simulation.program import in_words
from laneway.units import counted

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Resumption:
    """The facts that `laneway campaign resume` gives the command that it calls again."""

    folder: Path
    force: bool
    runs: int | None = None


def measured(plan: Plan, out: Path | None, name: str = "", text: str | None = None) -> Result:
    """Carries a plan out, or goes on with it, with its progress on standard error.

    Without a folder `out` it makes one that is called by `name`. `text` is the plan as the user
    wrote it.
    """
    again = click.get_current_context().find_object(Resumption)
    if again is None:
        if foreseen := estimate.told(plan):
            say(foreseen)
        with (
            progress.shown(errors(), plan, plan.runs) as observer,
            results_folder(name, out) as folder,
        ):
            return measure(plan, folder, observer, text=text)
    runs = again.runs or Folder(again.folder).manifest["runs"]
    with progress.shown(errors(), plan, runs) as observer:
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


def foresee(asked: Sequence[points.PlacedPoints]) -> None:
    """Works out the algorithms of `best` where points ask for it; progress is on standard error."""
    if any(points.BEST in each.points.algorithms for each in asked):
        with progress.of_parts(errors()) as told:
            points.foresee(asked, told)


def predicted(summaries: Sequence[CaseSummary], on: Machine) -> Predictions:
    """Predictions of the measured cases by simulation, with progress on standard error."""
    with progress.of_parts(errors()) as told:
        return predict(summaries, on, told)


LESS = ("mean us", "min us", "floor us", "bytes")
"""Columns of a comparison that a narrow terminal goes without, from the first one on."""


def result_tables(
    plan: comparison.ComparisonPlan, measured: Measured, predictions: Predictions | None = None
) -> Iterator[Table]:
    """The table of a comparison, if anything was measured, with predictions."""
    summaries = measured.summaries
    if summaries:
        title = _title(plan, summaries)
        yield table.render(summaries, title, predictions, measured.winners)


def print_origin(result: Result, summaries: list[CaseSummary]) -> None:
    """Prints where the times of a comparison come from, and the notes."""
    console = output()
    for line in (
        *(_origin(summaries) if summaries else ()),
        *lane_use(result.rows),
        *overlaps(result.rows),
        *(f"note: {note}" for note in notes(result.rows)),
    ):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _title(plan: comparison.ComparisonPlan, summaries: list[CaseSummary]) -> str:
    known = (summary.key.lanes for summary in summaries)
    numbers = {lanes for lanes in known if lanes is not None}
    lanes = f", {counted(numbers.pop(), 'lane')}" if len(numbers) == 1 else ""
    places = {(arm.setting.place.ppn, arm.setting.place.threads) for arm in plan.arms}
    shape = (
        in_words(plan.place.processes) if len(places) == 1 else counted(plan.place.nodes, "node")
    )
    return f"{plan.build.library}, {shape}{lanes}, {plan.datatype}"


def _origin(summaries: list[CaseSummary]) -> list[str]:
    """The machine that the figures come from, and the formula of the floor."""
    machines = dict.fromkeys(summary.machine for summary in summaries if summary.machine)
    lines = [f"Measured on {'; and on '.join(machines)}."]
    wires = dict.fromkeys(summary.wire for summary in summaries if summary.wire)
    lines += [f"Floor: {wire.formula}" for wire in wires]
    if any(each.floor_us is not None and each.min_us < each.floor_us for each in summaries):
        lines.append(
            "A min us below the floor is no error: it is the slowest rank's time, which leaves out "
            "by how much others started before."
        )
    return lines


def write_report(
    rows: list[Row], path: Path, predictions: Predictions | None = None, timeline: str = ""
) -> None:
    """Writes rows as an HTML file with plots and a timeline as SVG, and says where it is."""
    from laneway.showing import report

    report.write(Measured(rows), path, predictions=predictions, timeline=timeline)
    say(f"report: {path}")


def nothing_measured(result: Result) -> int:
    """Says why a measurement left nothing, not even its folder. Returns the exit code."""
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
            verb = "is" if samples == 1 else "are"
            kept = f"{counted(samples, 'sample')} {verb} kept"
            say(f"interrupted: {kept} in {result.folder}/rows.jsonl")
            say(f"go on with: {Folder(result.folder).resume()}")
        elif not result.folder.exists():
            say("nothing was measured")
        else:
            say(f"{counted(samples, 'sample')}: {result.folder}/rows.jsonl")
    if any(result.interrupted for result in results):
        sys.exit(INTERRUPTED)
    if any(result.failures or impossible(summarise(result.rows)) for result in results):
        sys.exit(1)
