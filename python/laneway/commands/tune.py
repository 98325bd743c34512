# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway tune`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from laneway.commands.shared import tunings
from laneway.commands.shared.console import output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Command
from laneway.commands.shared.launchers import launched
from laneway.commands.shared.measuring import write_report
from laneway.commands.shared.options import (
    collectives_options,
    layouts_option,
    mpi_option,
    out_option,
    placed,
)
from laneway.commands.shared.parameters import Bytes, Duration
from laneway.commands.shared.tunings import ShapeTuning, TuneOptions
from laneway.files import results_folder
from laneway.launching import allocation
from laneway.tuning.outcome import Outcome
from laneway.units import ratio, size


@click.command("tune", cls=Command)
@collectives_options("[default: all]")
@click.option(
    "--budget",
    type=Duration(),
    default="20m",
    show_default=True,
    metavar="TIME",
    help="Time that all measurements may take together: 90s, 20m, 2h.",
)
@click.option(
    "--max-bytes",
    type=Bytes(),
    default="4M",
    show_default=True,
    metavar="SIZE",
    help="Bytes of the largest message; of all blocks together, where there is one a rank.",
)
@click.option(
    "--min-bytes",
    type=Bytes(),
    default="4",
    show_default=True,
    metavar="SIZE",
    help="Bytes of the smallest message, or block.",
)
@mpi_option
@click.option(
    "--elsewhere",
    type=click.Choice(("ignore", "use")),
    default="ignore",
    show_default=True,
    help="Whether the profile is to hold with other versions of the library, and on communicators "
    "of other shapes, by the nearest that was measured.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the profile goes.  [default: where `laneway exec` finds it, "
    "~/.config/laneway/LIBRARY-SHAPE.conf; on emulated or virtual nodes: --out]",
)
@click.option(
    "--install",
    is_flag=True,
    help="Put the profile where `laneway exec` finds it, on emulated or virtual nodes, too: there "
    "alone it holds then.",
)
@click.option(
    "--shapes",
    type=click.Choice(("all", "one")),
    default="all",
    show_default=True,
    help="Measure all nodes and fewer of them, powers of two from 2 on, or all nodes alone.",
)
@click.option(
    "--for",
    "program",
    type=click.Path(exists=True, path_type=Path),
    metavar="FOLDER",
    help="Tune what a program does: the report of its job, by `laneway exec --report` or --advise.",
)
@layouts_option
@out_option("tune")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report with plots of what was confirmed, too: one HTML file.",
)
@formed
@launched
@placed
def tune_command(*, wanted: allocation.Wanted, form: Form, **options: Any) -> None:
    """Find out which algorithm serves which call best, and write a profile of it.

    \b
    laneway tune                              everything, in 20 minutes
    laneway tune bcast allreduce --budget 5m

    \b
    laneway tune --for FOLDER                 what a program does, by its report
    laneway exec -- mpirun -np 16 ./app       and programs use it

    Algorithms that their costs do not rule out race against each other, and against the MPI
    library's own. On an emulated cluster they do so for each binding by itself. Time goes where the
    race is not decided yet: fewer and fewer algorithms, their tunables, sizes between those at
    which the winner changes. A rule is written only for an algorithm that fresh runs of mpirun
    confirm. Then the whole profile is measured against native, and rules that do not hold are taken
    back. Where nothing looks faster, the profile says native. The rest is left to what serves
    without it.

    An interrupted tuning goes on by the same command with --out FOLDER.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    with results_folder("tune", options["out"]) as out:
        _tune(TuneOptions(**{**options, "out": out}), wanted, form)


def _tune(asked: TuneOptions, wanted: allocation.Wanted, form: Form) -> None:
    with allocation.settings(wanted, say) as settings:
        bound = tunings.bindings(asked, wanted.binding, settings[0])
        parts = tunings.parts(asked, settings[0], len(bound))
        say(tunings.foreseen(asked, parts, bound))
        own = [
            ShapeTuning(
                asked,
                replace(part, share=part.share / len(bound)),
                setting,
                alone=len(parts) * len(bound) == 1,
            )
            for part in parts
            for setting in bound
        ]
        tunings.measure(asked, own)
    outcomes = [each.outcome for each in own if each.outcome]
    show(form, chain.from_iterable(each.rows() for each in own), _tables(outcomes))
    if form is Form.TEXT:
        for each in own:
            each.print_left()
        for line in tunings.best_bindings(own):
            output().print(line, highlight=False, markup=False, soft_wrap=True)
    tunings.write_profiles(asked, own)
    say(f"{sum(each.seconds for each in own):.0f} s of jobs; what was measured: {asked.out}")
    if asked.report:
        rows = [row for each in own for row in (*each.confirmed.rows, each.row())]
        write_report(rows, asked.report)


def _tables(outcomes: Sequence[Outcome]) -> Iterator[Table]:
    """A line for each measured size of each rule, a table a shape."""
    for outcome in outcomes:
        if not outcome.rules:
            continue
        table = Table("collective", "size", "algorithm", "x native", "interval", "checked",
                      title=f"{outcome.rules[0].where}")  # fmt: skip
        for row in outcome.rows():
            checked = row["checked_ratio"]
            table.add_row(
                row["collective"],
                size(row["bytes"]),
                row["algorithm"],
                ratio(row["ratio_to_native"]),
                f"{ratio(row['low'])} to {ratio(row['high'])}",
                ratio(checked) if checked else "",
            )
        yield table
