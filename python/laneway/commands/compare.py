# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from laneway.campaign import RejectedError
from laneway.campaign.bench import must_make_sense
from laneway.collectives import OPERATORS
from laneway.commands.changed import are_sources, changed_command
from laneway.commands.shared import completing
from laneway.commands.shared.closing import print_conclusion
from laneway.commands.shared.console import errors, output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Command
from laneway.commands.shared.launchers import launched
from laneway.commands.shared.measuring import (
    LESS,
    finish,
    foresee,
    measured,
    predicted,
    print_origin,
    result_tables,
    write_report,
)
from laneway.commands.shared.options import (
    collectives_options,
    counts_option,
    layouts_option,
    message_size_option,
    mpi_option,
    out_option,
    placed_by_processes,
    repetitions_option,
    runs_option,
    seconds_option,
    seed_option,
    silence_option,
    unequal_option,
    whole,
)
from laneway.commands.shared.parameters import NameList
from laneway.errors import Misuse
from laneway.launching import allocation
from laneway.libraries import native, profile
from laneway.libraries.native import NativeBuild
from laneway.plans import comparison, points
from laneway.plans.comparison import COUNTS
from laneway.results.measurements import Measured
from laneway.rows import CaseSummary
from laneway.simulation import machine

NARROW = (*LESS, "/ floor", "x native")
"""Columns that a narrow terminal goes without where there are columns for predictions."""


class _Compare(Command):
    """A command that measures collectives; given files and folders, it reads measurements."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Override of click's."""
        if are_sources(self.named(args)):
            return changed_command.make_context(info_name, args, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def named(self, args: list[str]) -> Sequence[str]:
        """The words that are no options, nor values of options, in either form of the command."""
        context = click.Context(self)
        parser = self.make_parser(context)
        for parameter in changed_command.params:
            if isinstance(parameter, click.Option):
                parameter.add_to_parser(parser, context)
        try:
            found, _, _ = parser.parse_args([*args])
        except click.UsageError:  # the form that is meant says what is wrong
            return [word for word in args if not word.startswith("-")]
        words = found.get("named")
        return words if isinstance(words, tuple) else ()  # without words click has a mark, or none


@click.command("compare", cls=_Compare)
@collectives_options("[default: all]")
@click.option(
    "--algorithm",
    "algorithms",
    type=NameList(),
    default="all",
    metavar="X,Y",
    shell_complete=completing.algorithms,
    help="Algorithms, all, best (those that their costs do not rule out), or tuned (what --profile "
    "chooses); tunables in parentheses: 'chain(segment=8K)'. Native is always measured, too.  "
    "[default: all]",
)
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Profile that chooses for tuned, above what Laneway brings, and nothing else. Repeatable; "
    "later ones win.  [default: the profiles that choose for programs]",
)
@counts_option
@message_size_option
@click.option(
    "--datatype",
    metavar="NAME",
    shell_complete=completing.datatypes,
    help="Any predefined type of MPI for C: byte, int, double, 2int, c_float_complex, ...  "
    "[default: int]",
)
@click.option(
    "--op",
    default="sum",
    metavar="NAME",
    show_default=True,
    shell_complete=completing.operators,
    help=f"Operator of reductions: {', '.join(OPERATORS)}.",
)
@click.option(
    "--root",
    default="0",
    metavar="R",
    show_default=True,
    help="Root of rooted collectives: a rank, or rotate.",
)
@layouts_option
@click.option(
    "--native",
    "native_binding",
    type=click.Choice(("best", "all", "lane")),
    help="On a cluster: the lanes that ranks of the MPI library's own algorithm see: all, or one "
    "each (lane). With best, each count is measured both ways.  [default: best]",
)
@click.option(
    "--predict",
    "predicting",
    metavar="NAME|FILE",
    shell_complete=completing.machines,
    help="Also what each algorithm takes by the simulated clock on a machine that is described; "
    "`laneway calibrate` describes this one.",
)
@mpi_option
@runs_option(6, "Runs of mpirun. Fewer than five can never show that one is faster.")
@seconds_option(0.4, "For each collective and count in each run, shared by the algorithms.")
@repetitions_option(1000)
@seed_option
@silence_option
@out_option("compare", "--output")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report with plots, too: one HTML file.",
)
@formed
@launched
@placed_by_processes
@unequal_option
def compare_command(
    *,
    wanted: Sequence[allocation.Wanted],
    native_binding: str | None,
    algorithms: tuple[str, ...],
    profiles: tuple[Path, ...],
    mpi: str | None,
    out: Path | None,
    report: Path | None,
    form: Form,
    counts: tuple[int | str, ...] | None,
    sizes: tuple[int, ...],
    datatype: str | None,
    predicting: str | None,
    **options: Any,
) -> None:
    """Time collectives by several algorithms, side by side.

    \b
    laneway compare bcast allreduce -m 4K:1M
    laneway compare MPI_Bcast --count 1000,100000 --algorithm lane,lane_pipeline
    laneway compare reduce binomial_reduce --ppn 4,1 --threads 4

    \b
    laneway compare FOLDER FOLDER      of two measurements: is the new one slower than the old one?

    Starts the benchmark under mpirun several times. Prints, for each collective and count, the time
    of the slowest rank by each algorithm (minimum, median, mean). Also prints how many times as
    fast as the MPI library's own algorithm it is, and how far from the lanes' least time. Runs on
    an emulated cluster where one is up or can be made, else on virtual nodes. Each result is
    checked in the first run before it is timed. Ends with what tests over the runs confirm, and a
    profile that uses it. The rows are kept as they come, in --out.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if sizes and counts:
        raise Misuse("--count or -m, not both: counts as in the MPI call, or bytes")
    predicted_on = machine.load(predicting) if predicting else None
    build = native.find(mpi)
    chosen_by = _variables(build, profiles)
    amounts = {"--message-size": sizes} if sizes else {"--count": counts}
    names = [name for name in algorithms if points.registered(name) != points.BEST]
    _must_make_sense(
        build,
        {
            "--collective": options["collectives"],
            "--algorithm": names,
            **amounts,
            "--datatype": (datatype or "int",),
            "--op": (options["op"],),
            "--root": (options["root"],),
        },
        options["layouts"],
    )
    with ExitStack() as clusters:
        settings = [
            replace(setting, place=replace(setting.place, variables=chosen_by))
            for place in wanted
            for setting in clusters.enter_context(allocation.settings(place, say))
        ]
        ranks = min(sum(setting.place.processes) for setting in settings)
        if options["root"].isdecimal() and int(options["root"]) >= ranks:
            raise Misuse(f"--root: no rank {options['root']} among {ranks}")
        if native_binding and settings[0].place.cluster is None:
            raise Misuse("--native needs a cluster: laneway cluster up")
        plan = comparison.ComparisonPlan(
            build=build,
            arms=comparison.arms(settings, algorithms, native_binding or "best", build, say),
            counts=() if sizes else counts or COUNTS,
            sizes=whole(sizes, datatype),
            datatype=datatype or "int",
            **options,
        )
        foresee(plan.asked())
        try:
            result = measured(plan, out, "compare")
        except RejectedError as error:
            raise Misuse(f"--{error.option}: {error}" if error.option else str(error)) from error
    found = Measured(result.rows)
    summaries = found.summaries
    predictions = None
    if predicted_on and summaries:
        predictions = predicted(summaries, predicted_on)
    row = predictions.row if predictions else CaseSummary.row
    less = NARROW if predictions else LESS
    show(form, map(row, summaries), result_tables(plan, found, predictions), less=less)
    if form is Form.TEXT:
        print_origin(result, summaries)
    if predictions:
        console = output() if form is Form.TEXT else errors()
        closing = predictions.closing(summaries)
        console.print(closing, highlight=False, markup=False, soft_wrap=True)
    if summaries and not result.interrupted:
        print_conclusion(found, result.folder, quiet=form is not Form.TEXT)
    if report and summaries:
        write_report(result.rows, report, predictions)
    finish([result])


def _must_make_sense(
    build: NativeBuild, asked: Mapping[str, Sequence[Any] | None], layouts: Sequence[str]
) -> None:
    """Raises Misuse; for a word that is no collective, says so if it may be meant as a folder."""
    words = [f"{name}={','.join(map(str, values))}" for name, values in asked.items() if values]
    if spaced := [layout for layout in layouts if len(layout.split()) > 1]:
        raise Misuse(f"--layout: a blank in {spaced[0]!r}: rename the file")
    try:
        for layout in layouts:
            must_make_sense(build.bench, [*words, f"--layout={layout}"])
    except Misuse as error:
        if not str(error).startswith("unknown collective "):
            raise
        raise Misuse(f"no file or folder with a measurement, and an {error}") from error


def _variables(build: NativeBuild, profiles: tuple[Path, ...]) -> tuple[tuple[str, str], ...]:
    """The ranks' variables by which these profiles choose; empty where there are no profiles."""
    if not profiles:
        return ()
    variables = profile.alone(profiles)
    profile.must_be_understood(build, variables)
    return tuple(variables.items())
