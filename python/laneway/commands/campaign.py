# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway campaign`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from laneway.campaign import Folder, Result
from laneway.campaign.status import CampaignStatus, status
from laneway.choosing import next_commands
from laneway.commands.calibrate import calibrate_command
from laneway.commands.compare import compare_command
from laneway.commands.probe import probe_command
from laneway.commands.shared.closing import print_conclusion
from laneway.commands.shared.console import output, say
from laneway.commands.shared.exit_codes import INTERRUPTED
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Aliased, Group
from laneway.commands.shared.measuring import Resumption, nothing_measured
from laneway.commands.shared.plans import carried_out, plan_launched
from laneway.commands.verify import verify_command
from laneway.errors import Misuse
from laneway.files import results_folder
from laneway.results.imports import import_files
from laneway.results.measurements import sound
from laneway.units import counted

folder_argument = click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER"
)


@click.group("campaign", cls=Group)
def campaign() -> None:
    """Measure by a plan, in several runs; interrupted, go on where it stopped.

    \b
    laneway campaign run plan.toml --out results     start
    laneway campaign status results                  how far it is

    \b
    laneway campaign resume results                  go on after Ctrl-C, kill -9, a reboot
    laneway verify results                           what the times say

    A plan is a TOML file. The shortest one:

    \b
        [[points]]
        collectives = ["bcast", "allreduce"]
        algorithms = ["native", "lane"]
        counts = [1000, 100000]

    docs/campaigns.md explains longer ones. A campaign is a folder: manifest.json, rows.jsonl (each
    row as it came), rows.parquet and rows.csv.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are


@campaign.command("run")
@click.argument("plan", type=click.Path(dir_okay=False, path_type=Path), metavar="PLAN")
@click.option(
    "--out",
    "--output",
    cls=Aliased,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="New folder.  [default: laneway-results/NAME-TIME]",
)
@formed
@plan_launched
def run_command(
    plan: Path,
    out: Path | None,
    *,
    launcher: str | None,
    launcher_options: tuple[str, ...],
    form: Form,
) -> None:
    """Start the campaign of a PLAN."""
    _finish(carried_out(plan, out, launcher, launcher_options), form)


@campaign.command("resume")
@folder_argument
@click.option(
    "--force", is_flag=True, help="Go on although the environment has changed; says what has."
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    help="Go on to so many runs in all, where the plan asked for fewer.",
)
@formed
@plan_launched
@click.pass_context
def resume_command(
    context: click.Context,
    folder: Path,
    *,
    force: bool,
    runs: int | None,
    launcher: str | None,
    launcher_options: tuple[str, ...],
    form: Form,
) -> None:
    """Go on with an interrupted campaign: do what is not done, failed blocks included.

    Plan and environment must be those of the campaign. More runs are possible, as a verdict may
    ask for: --runs.

    A comparison, a calibration, a probe or `verify --against` is resumed by calling its own command
    once more, for the rest of its work.
    """
    context.obj = Resumption(folder, force, runs)
    source = folder / "plan.toml"
    if source.exists():
        _finish(carried_out(source, folder, launcher, launcher_options), form)
        return
    manifest = Folder(folder).manifest
    if Folder(folder).imported:
        raise Misuse(
            f"{folder} is an import, and complete: laneway measures none of it. More runs are more "
            f"files: {next_commands.importing(manifest)}"
        )
    _, name, *words = [*shlex.split(manifest["command"]), ""]
    own_commands = (calibrate_command, compare_command, probe_command, verify_command)
    command = {each.name: each for each in own_commands}.get(name)
    if command is None:
        raise Misuse(
            f"{folder} cannot go on: neither campaign run, calibrate, compare, probe nor verify "
            "began it"
        )
    # In a batch job a launcher must be named; a campaign begun without one had none to name. Jobs
    # that are measured again are started as they were.
    named = command is verify_command or any(word.startswith("--launcher") for word in words)
    own = [] if named else ["--launcher", "local"]
    words = _in_form(form, command, words[:-1])
    command.invoke(command.make_context(name, [*own, *words], parent=context))


def _in_form(form: Form, command: click.Command, words: list[str]) -> list[str]:
    """A command's words with the form that is asked for now, if one is. Raises Misuse."""
    if form is Form.TEXT:
        return words
    if not any(f"--{form}" in option.opts for option in command.params):
        raise Misuse(f"--{form}: laneway {command.name} began this, and has no such option")
    return [f"--{form}", *(word for word in words if word not in {f"--{each}" for each in Form})]


def _finish(result: Result, form: Form) -> None:
    """Exports the rows, says how far the campaign is and what went wrong, and ends accordingly."""
    folder = Folder(result.folder)
    if not folder.raw.exists():
        sys.exit(nothing_measured(result))
    found = status(folder)
    if found.samples:
        folder.export()
    for failure in result.failures:
        say(failure)
    _show(form, found, folder)
    if found.samples and not result.interrupted:
        print_conclusion(sound(folder.rows()), folder.path, quiet=form is not Form.TEXT)
    if result.interrupted:
        say(f"interrupted; go on with: {folder.resume()}")
        sys.exit(INTERRUPTED)
    if result.failures or not found.complete:
        sys.exit(1)


@campaign.command("status")
@folder_argument
@formed
def status_command(folder: Path, *, form: Form) -> None:
    """Say how far a campaign is, and what went wrong."""
    kept = Folder(folder)
    found = status(kept)
    _show(form, found, kept)
    for failure in found.failures if form is Form.TEXT else ():
        say(failure)


def _show(form: Form, found: CampaignStatus, folder: Folder, **more: Any) -> None:
    if form is Form.TEXT:
        _print(found, folder)
    else:
        row = {**found.to_json(), "folder": str(folder), **more}
        show(form, [row], _tables(row))


def _tables(row: Mapping[str, Any]) -> Iterator[Table]:
    """The facts of a campaign, a line each."""
    table = Table("fact", "value")
    for name, value in row.items():
        table.add_row(name.replace("_", " "), escape(str(value)))
    yield table


def _print(found: CampaignStatus, folder: Folder) -> None:
    state = "complete" if found.complete else "running" if found.running else "not complete"
    left = found.seconds_left
    console = output()
    blocks, runs = counted(found.blocks, "block"), counted(found.runs, "run")
    how_far = f"{found.name}: {state}, {found.done} of {blocks} in {runs}"
    where = f"{counted(found.samples, 'sample')}: {folder}/rows.jsonl"
    lines = [
        how_far,
        where,
        (
            f"{found.seconds:.1f} s in {counted(found.launches, 'start')} of the launcher: "
            f"{found.measuring_seconds:.1f} s of it in blocks, {found.repeating_seconds:.1f} s in "
            f"repetitions and their starts, {found.timed_seconds:.1f} s timed"
        ),
    ]
    if not found.complete and left is not None:
        lines.append(f"about {left:.0f} s are left")
    if found.failures:
        lines.append(f"{counted(len(found.failures), 'job')} failed or hung")
    for line in lines:
        console.print(line, highlight=False, markup=False)


@campaign.command("export")
@folder_argument
def export_command(folder: Path) -> None:
    """Write the samples anew as rows.parquet and rows.csv."""
    kept = Folder(folder)
    if not status(kept).samples:
        raise Misuse(f"{folder} holds no samples yet")
    for path in kept.export():
        click.echo(path)


@campaign.command("import")
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE...",
)
@click.option(
    "--out",
    "--output",
    cls=Aliased,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="New folder.  [default: laneway-results/import-TIME]",
)
@click.option("--library", metavar="NAME", default="unknown", help="The MPI library, for the rows.")
@click.option("--nodes", type=click.IntRange(1), metavar="N", help="Nodes of the jobs.")
@click.option("--ppn", type=click.IntRange(1), metavar="N", help="Processes a node.")
@click.option(
    "--label",
    "algorithm",
    default="native",
    show_default=True,
    help="The algorithm's name in the rows; of what is compared with it, another.",
)
@formed
def import_command(
    paths: tuple[Path, ...],
    out: Path | None,
    *,
    library: str,
    nodes: int | None,
    ppn: int | None,
    algorithm: str,
    form: Form,
) -> None:
    """Take in what the OSU micro-benchmarks or the Intel MPI Benchmarks printed.

    Each FILE is the output of one run of mpirun: repeated runs belong into files of their own. The
    folder is like a campaign's; `laneway verify` and `report` read it. Lines that give no time are
    named, with the reason.

    --nodes and --ppn are those of the whole job. A table of fewer processes ran on the first nodes,
    one filled after the other.
    """
    about = {"library": library, "nodes": nodes, "ppn": ppn, "algorithm": algorithm}
    with results_folder("import", out) as folder:
        left_out = import_files(paths, Folder(folder), about)
    found = status(Folder(folder))
    for told in left_out if form is Form.TEXT else ():
        say(told)
    if form is Form.TEXT:
        times, outputs = counted(found.samples, "time"), counted(found.runs, "file")
        say(f"{times} from {outputs}: {folder}/rows.jsonl")
        say(f"to see what they confirm: {next_commands.judging([folder])}")
    else:
        _show(form, found, Folder(folder), left_out=left_out)
