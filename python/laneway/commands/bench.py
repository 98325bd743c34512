# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway bench`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import click
from click.shell_completion import CompletionItem
from rich.live import Live

from laneway.campaign import bench
from laneway.commands.shared import completing
from laneway.commands.shared.console import errors, output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Aliased, Command
from laneway.commands.shared.launchers import launched
from laneway.commands.shared.options import mpi_option, placed, unequal_option
from laneway.commands.shared.parameters import Duration
from laneway.errors import Misuse, Problem
from laneway.launching import allocation
from laneway.launching.launchers import Job
from laneway.launching.place import Setting
from laneway.libraries import native
from laneway.modelling.full_speed import titled
from laneway.rows import Row, describe, share_done
from laneway.showing.averages import (
    averages_table,
    closing,
    start_lines,
    start_place,
    start_table,
)


class _WithOptionsOfTheBenchmark(Command):
    """A command whose help ends with that of laneway-bench, which takes all further options."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Override of click's: options of both."""
        own = super().shell_complete(ctx, incomplete)
        known = {item.value for item in own}
        further = completing.options_of_the_benchmark(ctx, incomplete)
        return [*own, *(CompletionItem(name) for name in further if name not in known)]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Override of click's."""
        try:
            text = bench.help_text(str(native.find(ctx.params.get("mpi")).bench))
        except (Problem, Misuse) as problem:
            text = str(problem)
        formatter.write_paragraph()
        formatter.write(bench.with_defaults(text))


def _program(words: Sequence[str], build: native.NativeBuild, setting: Setting) -> list[str]:
    """The command line of laneway-bench: operations and options as they are typed."""
    place = setting.place
    options = {"placement": place.placement, **place.starts}
    chosen = [f"--{name}={value}" for name, value in options.items()]
    return [str(build.bench), *bench.DEFAULTS, *chosen, *words, f"--binding={setting.binding}"]


OF_TIMES = frozenset(("averages", "carried", "sample"))
"""Kinds of rows that tell a case's times, or the bytes that it moved."""

LESS = ("count", "MB/s", "late", "interval us", "ranks", "reps")
"""Columns that a narrow terminal goes without, from the first one on."""


def _threads(words: Sequence[str]) -> int:
    """The threads of a rank, as far as these options of laneway-bench say."""
    text = " ".join(words)
    found = re.findall(r"(?:^| )(?:-t|--?threads)[ =]?(\d+)(?= |$)", text)
    return max(1, int(found[-1])) if found else 1  # laneway-bench says what is wrong with 0


@click.command(
    "bench",
    cls=_WithOptionsOfTheBenchmark,
    # The only option for help is --help: the h of -threads would ask for help, too.
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
@mpi_option
@click.option(
    "--timeout",
    "silence",
    type=Duration(least=1),
    default="2m",
    show_default=True,
    metavar="TIME",
    help="Give up after so long without a row.",
)
@click.option(
    "--rows",
    "--output",
    "--out",
    "path",
    cls=Aliased,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep all rows, one JSON object a line, as they come; what the file held before goes.",
)
@formed
@launched
@placed
@unequal_option
@click.argument(
    "words",
    nargs=-1,
    type=click.UNPROCESSED,
    metavar="[OPERATION]... [OPTION]...",
    shell_complete=completing.operations,
)
def bench_command(
    *,
    wanted: allocation.Wanted,
    mpi: str | None,
    silence: float,
    path: Path | None,
    form: Form,
    words: tuple[str, ...],
) -> None:
    """Time operations of an MPI library, as OSU's and IMB's benchmarks do.

    \b
    laneway bench pingpong --nodes 2 --ppn 1 -m 0:4M -i 1000 -x 100
    laneway bench allreduce bcast -msglog 10:22 --algorithm native,lane --sync clock

    \b
    laneway bench MPI_Bcast -m 1K:4M --csv
    laneway bench start           how long a job takes to start

    Times them in one run of mpirun on the place that is asked for, by the MPI library's own
    algorithms unless --algorithm names others. All options that are not named here are those of
    laneway-bench, below.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    build = native.find(mpi)
    for word in words:
        if word in bench.WITHOUT_A_JOB:
            raise Misuse(f"{word}: {bench.WITHOUT_A_JOB[word]}")
    bench.must_make_sense(build.bench, [*bench.DEFAULTS, *words])
    kept = None if path is None else bench.RowsFile(path)
    wanted = replace(wanted, threads=_threads(words))
    with allocation.settings(wanted, say) as (setting, *_):
        program = _program(words, build, setting)
        job = setting.place.job(build, program, setting.lanes, setting.binding)
        if not {"start", "--start"}.isdisjoint(words):
            _print_start(job, silence, form, kept)
            return
        found = _measured(job, silence, form, kept, setting.place.axes)
    averages = [row for row in found if row["kind"] == "averages"]
    if form is not Form.JSON:
        table = averages_table(averages)
        factor = setting.place.axes.get("slower", 1)
        table.title = titled(f"{build.library} on {setting.place.machine}", [int(factor)])
        show(form, averages, [table], less=LESS)
    if form is Form.TEXT and averages:
        for line in closing(averages, words, setting.place, build.id):
            output().print(line, highlight=False, markup=False, soft_wrap=True)
    wrong = [row for row in found if row["kind"] == "error"]
    for row in (*(row for row in found if row["kind"] == "note"), *wrong):
        say(f"{row['kind']}: {describe(row)}")
    if wrong:
        sys.exit(1)


def _measured(
    job: Job,
    silence: float,
    form: Form,
    kept: bench.RowsFile | None,
    axes: Mapping[str, float],
) -> list[Row]:
    """All rows but those about the progress; they are kept, and printed as JSON, as they come.

    Rows with times have the `axes` of the place.
    """
    found: list[Row] = []
    as_json = form is Form.JSON
    rows = ({**row, **axes} if row["kind"] in OF_TIMES else row for row in bench.rows(job, silence))
    with nullcontext() if as_json else Live(console=errors(), transient=True) as live:
        for row in rows:
            if row["kind"] == "progress":
                if live is not None:
                    live.update(f"{share_done(row):.0%}")
                continue
            found.append(row)
            if kept is not None:
                kept.keep(row)
            if as_json:
                click.echo(json.dumps(row))
    if kept is not None and found:
        kept.flush()
    return found


def _print_start(job: Job, silence: float, form: Form, kept: bench.RowsFile | None) -> None:
    row = bench.start(job, silence)
    if kept is not None:
        kept.keep(row)
        kept.flush()
    if form is not Form.TEXT:
        show(form, [row], [start_table(row)])
        return
    click.echo(f"{start_place(row)}, ms from the start")
    for what, first, last in start_lines(row):
        click.echo(f"{what:22} first rank {first:9.1f}   last rank {last:9.1f}")
