# SPDX-License-Identifier: BSD-3-Clause
"""The commands `laneway study ...`: published studies, done again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

from laneway import files
from laneway.campaign.folder import ROWS
from laneway.choosing import next_commands
from laneway.commands.shared import completing
from laneway.commands.shared.console import say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Aliased, Command, Group
from laneway.commands.shared.launchers import launched
from laneway.commands.shared.options import (
    placed,
    repetitions_option,
    runs_option,
    seconds_option,
    seed_option,
    silence_option,
)
from laneway.commands.shared.parameters import Duration, NameList
from laneway.commands.shared.reading import read
from laneway.errors import Misuse
from laneway.files import results_folder
from laneway.launching import allocation
from laneway.rows import Row
from laneway.simulation import machine
from laneway.simulation.machine import Machine
from laneway_studies import archive, folder, registry
from laneway_studies.doing import AskedStudy, measured_rows, simulated_rows
from laneway_studies.study import Study, parts
from laneway_studies.told import print_told, write_report

EFFORT = ("runs", "seconds", "repetitions", "seed", "silence")


class Studies(Group):
    """A subcommand for each study, loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Override of click's."""
        return [*super().list_commands(ctx), *registry.names()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Override of click's. Raises Misuse for an unknown study."""
        own = super().get_command(ctx, cmd_name)
        return own or command_of(cmd_name, registry.load(cmd_name))


@click.group("study", cls=Studies)
def study_group() -> None:
    """Do a published study again: its figures beside simulated or measured ones.

    \b
    laneway study list
    laneway study allreduce
    laneway study latency --machine hydra --out latency
    laneway study allreduce --launcher local --nodes 4

    Simulates the machines of the paper, or those of --machine. With --launcher, measures what the
    machine at hand can do; --rows takes rows that were measured before. docs/studies.md explains
    each study.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are


@study_group.command("list")
@formed
def list_command(*, form: Form) -> None:
    """List the studies."""
    known = {name: registry.load(name) for name in registry.names()}
    table = Table("study", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("title", "source", "simulated by"):
        table.add_column(heading, overflow="fold")
    for name, study in known.items():
        table.add_row(name, study.title, study.source, ", ".join(study.machines))
    rows = (
        {
            "study": name,
            "title": study.title,
            "source": study.source,
            "machines": [*study.machines],
            "measurable": study.measuring is not None,
        }
        for name, study in known.items()
    )
    show(form, rows, [table])


def command_of(name: str, study: Study) -> click.Command:
    """The command of a study, with the options of all and its own."""

    @formed
    @launched
    @placed
    def call(**options: Any) -> None:
        chosen = options.pop("path")
        with results_folder(f"study-{name}", chosen) as place:
            _run(name, study, path=place, **options)

    own = [
        click.option(
            f"--{parameter.name}",
            _variable(parameter.name),
            default=parameter.default,
            metavar=parameter.metavar,
            show_default=bool(parameter.default),
            help=parameter.help,
        )
        for parameter in study.parameters
    ]
    command: Callable[..., Any] = call
    for option in reversed((*own, _mpi_option(study), *_OPTIONS)):
        command = option(command)
    made = click.command(
        name, cls=Command, help=f"{study.title}.\n\n{study.told}\n\n{study.source}."
    )(command)
    made.short_help = study.title
    return made


def _variable(parameter: str) -> str:
    """The name under which the value of a study's own option comes."""
    return f"own_{parameter.replace('-', '_')}"


def _mpi_option(study: Study) -> Callable[..., Any]:
    """The option that names the MPI libraries that are measured."""
    every = study.measuring is not None and study.measuring.every_library
    return click.option(
        "--mpi",
        "libraries",
        type=NameList(),
        metavar="NAME,...",
        help="With --launcher: MPI libraries, each measured.  "
        f"[default: {'all that there are' if every else 'the first'}]",
    )


_OPTIONS = (
    click.option(
        "--out",
        "--output",
        "path",
        cls=Aliased,
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        help="Where report, rows and tables go; what an interrupted study left there is gone on "
        "with.  [default: laneway-results/study-NAME-TIME]",
    ),
    click.option(
        "--machine",
        "machines",
        type=NameList(),
        metavar="NAME|FILE,...",
        shell_complete=completing.machines,
        help="Machines that are simulated.  [default: those of the paper]",
    ),
    click.option(
        "--within",
        type=Duration(),
        metavar="TIME",
        help="Begin no simulation after so long: 15m. The study fugaku begins with the shortest. "
        "The report tells what is there; the same command with --out goes on.  "
        "[default: until all is there]",
    ),
    click.option(
        "--rows",
        "sources",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FOLDER|FILE",
        help="Say what these rows mean, measured before or imported; nothing is simulated. "
        "Repeatable.",
    ),
    runs_option(6, "With --launcher: runs of mpirun. Fewer than five never decide."),
    seconds_option(0.4, "With --launcher: for each case in each run."),
    repetitions_option(1000),
    seed_option,
    silence_option,
)


def _run(
    name: str,
    study: Study,
    *,
    wanted: allocation.Wanted,
    path: Path,
    machines: tuple[str, ...] | None,
    sources: tuple[Path, ...],
    libraries: tuple[str, ...] | None,
    within: float | None,
    form: Form,
    **options: Any,
) -> None:
    own = [parameter.name for parameter in study.parameters]
    words = {each: options[_variable(each)] for each in own}
    effort = {key: options[key] for key in EFFORT}
    job = AskedStudy(name, study, words, path)
    study.asked(words)  # words that cannot be read are told before anything else
    if sum(map(bool, (wanted.launcher, machines, sources))) > 1:
        raise Misuse("--launcher, --machine or --rows, one of them: measured or simulated")
    if within and (wanted.launcher or sources):
        raise Misuse("--within: bounds what is simulated, and nothing is with --launcher or --rows")
    environments: Mapping[str, Any] = {}
    if wanted.launcher or sources:
        if wanted.launcher and study.measuring is None:
            raise Misuse(f"--launcher: nothing of the study {name} can be measured")
        kind = folder.MEASURED if wanted.launcher else folder.GIVEN
        facts = folder.facts(name, kind, words)
        folder.begin(job.path, facts)
        if wanted.launcher and study.measuring:
            sources, environments = measured_rows(
                job, study.measuring, wanted, libraries or (), effort
            )
        rows = _read(sources)
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        files.replace(job.path / ROWS, text)
    else:
        chosen = _machines(machines or study.machines)
        facts = folder.facts(name, folder.SIMULATED, words, chosen)
        folder.begin(job.path, facts)
        rows = simulated_rows(job, chosen, within)
    found = folder.told(study, parts(rows, job.asked))
    write_report(study, facts, found, job.path / folder.REPORT)
    folder.write_tables(found, job.path)
    packed = archive.write(job.path, environments)
    print_told(found, form, job.path)
    say(f"report: {job.path / folder.REPORT}")
    say(f"archive: {packed}")
    if wanted.launcher:
        say(f"to see what tests over the runs confirm: {next_commands.judging(sources)}")


def report(sources: Sequence[Path], out: Path | None, form: Form, *, as_table: bool) -> None:
    """The report of a study that was done here or elsewhere, for `laneway report`."""
    if len(sources) > 1:
        raise Misuse("a study has a report of its own: name one archive or folder")
    packed = archive.load(sources[0])
    study = registry.load(packed.facts["study"])
    found = folder.told(study, parts(packed.rows, folder.values(packed.facts, study)))
    if form is not Form.TEXT or as_table:
        print_told(found, form, None)
        return
    beside = sources[0].parent / f"{packed.facts['study']}.html"
    path = out or (sources[0] / folder.REPORT if sources[0].is_dir() else beside)
    write_report(study, packed.facts, found, path)
    say(f"report: {path}")


def _machines(names: Sequence[str]) -> list[Machine]:
    chosen = [machine.load(name) for name in names]
    if len({each.name for each in chosen}) < len(chosen):
        raise Misuse("--machine: two of these have the same name, and could not be told apart")
    return chosen


def _read(sources: Sequence[Path]) -> list[Row]:
    return [*read(sources).rows]
