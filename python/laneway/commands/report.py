# SPDX-License-Identifier: BSD-3-Clause
"""The subcommands `laneway report` and `laneway plot`: measurements to look at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.table import Table

from laneway import extras
from laneway.commands.shared import changed, completing, known
from laneway.commands.shared.closing import print_reading
from laneway.commands.shared.console import output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Aliased
from laneway.commands.shared.measuring import LESS, predicted
from laneway.commands.shared.options import Command, unless_all
from laneway.commands.shared.parameters import NameList, Operations
from laneway.commands.shared.reading import read
from laneway.errors import Misuse
from laneway.guideline import Terms
from laneway.results import reference
from laneway.results.changes import changes
from laneway.results.measurements import Measured
from laneway.results.reference import Published
from laneway.results.study_files import holds_study
from laneway.rows import CaseSummary, lane_use, notes
from laneway.showing import plot, table
from laneway.showing.figures import FIGURES
from laneway.simulation import machine


def _sources(command: Command) -> Command:
    """Adds the sources that are read, and the option for published figures beside them."""
    for option in reversed(
        (
            click.argument(
                "sources",
                nargs=-1,
                required=True,
                metavar="FOLDER|ROWS...",
                type=click.Path(path_type=Path),
            ),
            click.option(
                "--reference",
                "published",
                metavar="MACHINE|all",
                shell_complete=completing.references,
                help="Lay published figures beside the measured ones: of hydra, jupiter, vsc-3, "
                "fugaku, juqueen, or all. They come with the extra laneway-studies.",
            ),
        )
    ):
        command = option(command)
    return command


@click.command("report")
@_sources
@click.option(
    "--output",
    "--out",
    "out",
    cls=Aliased,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The HTML file.  [default: report.html in the folder, or beside the rows]",
)
@click.option(
    "--predict",
    "predicting",
    metavar="NAME|FILE",
    shell_complete=completing.machines,
    help="Beside what was measured, what each algorithm takes by the simulated clock on a machine "
    "that is described, as in `laneway compare`.",
)
@click.option("--table", "as_table", is_flag=True, help="Print tables instead.")
@formed
def report_command(
    *,
    sources: tuple[Path, ...],
    published: str | None,
    out: Path | None,
    predicting: str | None,
    as_table: bool,
    form: Form,
) -> None:
    """Make a report of measurements: one HTML file that needs no network.

    \b
    laneway report laneway-results/compare-20260101-120000
    laneway report first second --output both.html --reference hydra
    laneway report rows.jsonl --table

    --json prints the numbers of all figures, --csv those of the first table. Sources are folders
    that --out of compare, probe or campaign made, or files of rows. They may also be a study's
    archive or folder, which has a report of its own (`laneway study`). Several are shown together;
    their runs count as different runs. For two, the closing sentences say whether the second is
    slower than the first, as `laneway compare FIRST SECOND` does. The report holds curves, maps of
    ratios to native and of winners, lane scaling, samples and counters of the lanes. It also says
    how all of it was measured.

    A profile of what is confirmed is written into the folder, if the folder can be written to. With
    --json, --csv or --markdown nothing is written.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if as_table and form is not Form.TEXT:
        raise Misuse(f"--table or --{form}, not both")
    predicted_on = machine.load(predicting) if predicting else None
    if any(map(holds_study, sources)):
        if predicted_on:
            raise Misuse("--predict: a study has predictions of its own")
        report_study = extras.load("study-report", "the report of a study")
        report_study(sources, out, form, as_table=as_table)
        return
    measured, references = _read(sources, published)
    if form is Form.JSON:
        _print_json(measured, references)
    elif form is not Form.TEXT:
        show(form, (summary.row() for summary in measured.summaries), _tables(measured))
    elif as_table:
        _print_tables(measured)
    else:
        from laneway.showing import report

        path = out or _beside(sources[0])
        predictions = predicted(measured.summaries, predicted_on) if predicted_on else None
        report.write(measured, path, references, predictions)
        say(f"report: {path}")
    print_reading(measured, sources, form)
    if len(sources) == PAIR:
        _print_changes(sources, form, as_table=as_table)


PAIR = 2
"""The number of sources of which the second may be newer than the first."""


def _print_changes(sources: Sequence[Path], form: Form, *, as_table: bool) -> None:
    """Prints the differences between two measurements of the same cases, if there are any."""
    if form not in (Form.TEXT, Form.JSON):
        return
    sides = [(path, read([path])) for path in sources]
    terms = Terms()
    try:
        found = changes(sides[0][1], sides[1][1], terms)
    except Misuse as reason:
        say(f"{sources[0]} and {sources[1]} are not compared: {reason}")
        return
    if form is Form.JSON:
        for each in found.cases:
            click.echo(json.dumps(each.row()))
    elif found.cases:
        if as_table:
            show(Form.TEXT, (), [changed.table(found)], less=changed.LESS)
        for line in changed.closing(found, sides, terms):
            output().print(line, highlight=False, markup=False, soft_wrap=True)


@click.command("plot")
@_sources
@click.option(
    "--figure",
    "names",
    type=NameList(),
    default="time,ratio",
    show_default=True,
    metavar="A,B",
    shell_complete=completing.among((*FIGURES, "all"), several=True),
    help=f"Figures: {', '.join(FIGURES)}, or all.",
)
@click.option(
    "--format",
    "formats",
    type=NameList(),
    default="svg",
    show_default=True,
    metavar="A,B",
    shell_complete=completing.among(plot.FORMATS, several=True),
    help=f"Files: {', '.join(plot.FORMATS)}.",
)
@click.option(
    "--operation",
    "operations",
    type=Operations(),
    default=(),
    metavar="A,B",
    help="Only these operations.  [default: all]",
)
@click.option(
    "--out",
    "--output",
    cls=Aliased,
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("laneway-plots"),
    show_default=True,
    metavar="FOLDER",
    help="Where the files go.",
)
def plot_command(
    *,
    sources: tuple[Path, ...],
    published: str | None,
    names: tuple[str, ...],
    formats: tuple[str, ...],
    operations: tuple[str, ...],
    out: Path,
) -> None:
    """Write figures of measurements as SVG, PNG or CSV.

    \b
    laneway plot laneway-results/compare-20260101-120000
    laneway plot rows.jsonl --figure all --format svg,csv --out plots
    laneway plot rows.jsonl --figure time --operation bcast --reference hydra

    The figures are those of `laneway report`. A CSV file holds the numbers that its figure shows.
    Prints the names of the files.
    """  # noqa: D301
    chosen = [*FIGURES] if names == ("all",) else [*names]
    if unknown := [name for name in chosen if name not in FIGURES]:
        raise Misuse(f"--figure: '{unknown[0]}' is none of {', '.join(FIGURES)}, all")
    if unknown := [name for name in formats if name not in plot.FORMATS]:
        raise Misuse(f"--format: '{unknown[0]}' is none of {', '.join(plot.FORMATS)}")
    measured, references = _read(sources, published)
    only = unless_all(operations)
    collectives = [name.partition(" ")[0] for name in only]
    known.must_have_collectives("--operation", collectives, measured.rows)
    written = plot.write(measured, chosen, formats, out, published=references, operations=only)
    if not written:
        raise Misuse("these measurements hold nothing for the figures asked for")
    for path in written:
        click.echo(path)


def _read(sources: Sequence[Path], published: str | None) -> tuple[Measured, list[Published]]:
    references = reference.load(published) if published else []
    measured = read(sources)
    return measured, references


def _beside(source: Path) -> Path:
    return source / "report.html" if source.is_dir() else source.with_suffix(".html")


def _print_json(measured: Measured, references: Sequence[Published]) -> None:
    for name, figure in FIGURES.items():
        for line in figure.table(measured):
            click.echo(json.dumps({"figure": name, **line}))
    for one in references:
        click.echo(json.dumps({"figure": "reference", **one.line()}))


def _tables(measured: Measured) -> Iterator[Table]:
    """Tables of times, then of ratios to native and of winners."""
    kinds: dict[tuple[str, str], list[CaseSummary]] = {}
    for summary in measured.summaries:
        key = summary.key
        kinds.setdefault((key.statistic, key.origin if key.simulated else ""), []).append(summary)
    for (statistic, simulated), own in kinds.items():
        title = f"{statistic[0].upper()}{statistic[1:]}"
        yield table.render(
            own, f"{title}, {simulated}" if simulated else title, winners=measured.winners
        )
    yield from table.maps(measured)


def _print_tables(measured: Measured) -> None:
    console = output()
    show(Form.TEXT, (), _tables(measured), less=LESS)
    if measured.verdicts or measured.standings:
        console.print(table.KEY, highlight=False, markup=False)
    for line in (*lane_use(measured.rows), *(f"note: {note}" for note in notes(measured.rows))):
        console.print(line, highlight=False, markup=False)
