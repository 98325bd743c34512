# SPDX-License-Identifier: BSD-3-Clause
"""The commands `laneway exec` and `laneway env`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laneway.commands.shared import completing
from laneway.commands.shared.console import output, say
from laneway.commands.shared.exit_codes import STOOD_STILL
from laneway.commands.shared.helping import Aliased
from laneway.commands.shared.options import Command, mpi_option
from laneway.commands.shared.parameters import Duration
from laneway.errors import Misuse, Problem
from laneway.files import results_folder
from laneway.interposition import exec as execution
from laneway.interposition import linked, marks, misfits, supervise
from laneway.interposition.announcement import announcement
from laneway.launching.launchers import is_launcher, is_on_cluster
from laneway.libraries.native import NativeBuild

if TYPE_CHECKING:
    from laneway.commands.shared.watched import JobWatch


def _joined(_: click.Context, __: click.Parameter, choices: tuple[str, ...]) -> str | None:
    """All choices as one text, as the setting takes them."""
    return ",".join(choices) or None


def preload_options(command: Command) -> Command:
    """The options that `exec` and `env` share."""
    for option in reversed(
        (
            click.option(
                "--algorithm",
                multiple=True,
                callback=_joined,
                metavar="CHOICE",
                shell_complete=completing.choices,
                help="Algorithms by collective, such as bcast=lane,allreduce=hierarchical or "
                "bcast=chain(segment=32K); bcast@lane=... names a component. Repeatable.",
            ),
            click.option(
                "--profile",
                multiple=True,
                type=click.Path(exists=True, path_type=Path),
                metavar="FILE",
                help="Profile with rules that choose algorithms; repeatable, later ones win.",
            ),
            click.option(
                "--node-size",
                metavar="N|MAP",
                help="Virtual nodes of N ranks, or as a map file says.",
            ),
            click.option(
                "--lanes", type=click.IntRange(1), metavar="L", help="Network lanes of a node."
            ),
            click.option(
                "--lane-weights",
                metavar="W:W...",
                help="How much each lane carries in the time of the others, such as 2:1; 0 takes a "
                "lane out. auto: found while the program runs.",
            ),
            click.option(
                "--strict",
                is_flag=True,
                help="Stop the job at settings that cannot be understood, and where a process runs "
                "without Laneway.",
            ),
            click.option(
                "--learn",
                type=click.Choice(("all", "data")),
                is_flag=False,
                flag_value="all",
                help="Learn while the program runs: algorithms take turns in its calls, and the "
                "fastest serves (docs/learning.md). With --learn=data, only collectives that move "
                "data learn, so that no sum is rounded otherwise.",
            ),
            click.option(
                "--reproducible",
                is_flag=True,
                help="Reductions give the same to the last bit wherever so many ranks run, in one "
                "call or in pieces (docs/reproducible.md).",
            ),
            click.option(
                "--divide-operators",
                is_flag=True,
                help="The program's own operators (MPI_Op_create) work element by element: "
                "algorithms may call them with parts of a message (docs/interposition.md).",
            ),
            mpi_option,
        )
    ):
        command = option(command)
    return command


@click.command("exec", context_settings={"allow_interspersed_args": False})
@preload_options
@click.option(
    "--report", is_flag=True, help="Afterwards, say which algorithm served which calls, and why."
)
@click.option(
    "--advise",
    is_flag=True,
    help="Change nothing, measure: the time of each collective, and how much of it is waiting.",
)
@click.option(
    "--out",
    "--output",
    cls=Aliased,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder for the report's files, seen by all nodes.  [default: laneway-results/exec-TIME]",
)
@click.option(
    "--watch",
    type=Duration(),
    metavar="TIME",
    help="Record all collectives, and say who is missing once a process has waited for so long in "
    "one (docs/hang.md).",
)
@click.option(
    "--watch-kill", is_flag=True, help="End the job where something is wrong, and not only slow."
)
@click.option(
    "--watch-before",
    type=Duration(),
    metavar="TIME",
    help="Say who waits for whom so long before the time limit of the launcher or batch system.",
)
@click.option(
    "--watch-output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File that what the watch finds is added to, an object of JSON a line.",
)
@click.option(
    "-q", "--quiet", is_flag=True, help="Do not say, before the job, what chooses algorithms."
)
@click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="Make sure on every rank that Laneway is loaded, before the program starts.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def exec_command(
    command: tuple[str, ...],
    mpi: str | None,
    *,
    verify: bool,
    quiet: bool,
    report: bool,
    advise: bool,
    out: Path | None,
    watch: float | None,
    watch_kill: bool,
    watch_before: float | None,
    watch_output: Path | None,
    **settings: Any,
) -> None:
    """Run a program with Laneway under it, as in: laneway exec -- mpirun -np 8 ./app.

    The program need not know: the build for its MPI library is found when it makes its first
    collective call. After mpirun or mpiexec of Open MPI or MPICH, Laneway reaches the ranks, on
    every host, but not the launcher. Any other command is run with the environment that `laneway
    env` prints. Exit code and signals are the command's.
    """
    build = execution.build_for(command, mpi)
    watching = _job_watch(command, build, watch, watch_before, watch_output, kill=watch_kill)
    wanted = report or advise or out
    with results_folder("exec", out) if wanted else nullcontext() as folder:
        if folder is not None:
            _prepare(folder)
        told = execution.Settings(**settings, report=folder, advise=advise)
        there = _told_to_ranks(command[3:]) if is_on_cluster(command) else {}
        variables = {**os.environ, **told.variables(), **there}
        programs = linked.programs(execution.parts_of(command, build))
        told_later, unreached = misfits.with_builds(programs), misfits.with_preloading(programs)
        foreign: list[str] = []
        some_foreign: list[str] = []
        is_certain = execution.is_certain(build, command, mpi, programs)
        with nullcontext() if execution.is_strict(variables) else suppress(Problem):
            # Without an MPI library of the machine nobody can say what the ranks will read.
            if is_certain:
                foreign, some_foreign = misfits.with_profiles(build, variables)
        misfit = [*unreached, *misfits.with_launcher(command[0], programs), *foreign]
        if execution.is_strict(variables) and (found := [*told_later, *misfit]):
            raise Problem(f"{found[0]} (LANEWAY_STRICT)")
        for line in (*misfit, *some_foreign):
            say(f"laneway: {line}")
        is_served = not (told_later or unreached)
        with suppress(Problem):
            if is_served and not quiet and (line := announcement(build, variables)):
                click.echo(line, err=True)
        is_strict = execution.is_strict(variables)
        job = _Job(command, build, told, watching, verify=verify, is_strict=is_strict)
        code, complaint = job.run(lambda report: _origin(report, command, build.id, settings))
        if folder is not None:
            _print_decisions(folder, failed=code != 0)
        if complaint is not None:
            raise Problem(f"{complaint} (LANEWAY_STRICT)")
    supervise.end_like(code)


@dataclass(frozen=True)
class _Job:
    """A command that is to run with Laneway under it."""

    command: Sequence[str]
    build: NativeBuild
    told: execution.Settings
    watching: JobWatch | None
    verify: bool
    is_strict: bool

    def run(self, origin: Callable[[Path], AbstractContextManager[None]]) -> tuple[int, str | None]:
        """The exit code of the command, and a complaint about processes without Laneway.

        Becomes the command where nothing is left to be done afterwards. `origin`: the context in
        which a job with a report runs.
        """
        with ExitStack() as stack:
            left = watched = None
            if self.is_strict:
                left = stack.enter_context(marks.folder(say, marks.UNNOTICED))
            if self.watching is not None:
                loss = "processes on other hosts are not watched"
                watched = stack.enter_context(marks.folder(say, loss))
            watch = self.watching.variables(watched) if self.watching and watched else None
            told = replace(self.told, marks=left, watch=watch)
            wrapped, environment = execution.wrap(
                self.command, self.build, told, os.environ, verify=self.verify
            )
            if told.report is left is watched is None:
                execution.replace_process(wrapped, environment)
            if told.report is not None:
                stack.enter_context(origin(told.report))
            if self.watching is not None and watched is not None:
                stack.enter_context(self.watching.goes_on(watched))
            code = supervise.run(wrapped, environment)
            missing = marks.missing(left) if left is not None and code == 0 else None
            if self.watching and watched and self.watching.has_ended_it(watched):
                code = STOOD_STILL
        return code, missing


def _job_watch(
    command: Sequence[str],
    build: NativeBuild,
    limit: float | None,
    before: float | None,
    output: Path | None,
    *,
    kill: bool,
) -> JobWatch | None:
    """The watch of the job; None: there is none."""
    if limit is None and before is None:
        if kill or output:
            raise Misuse("--watch-kill and --watch-output say what --watch TIME is to do")
        return None
    from laneway.commands.shared.watched import job_watch  # noqa: PLC0415 - most jobs have none

    return job_watch(limit, before, output, _timeouts(command, build), kill=kill)


def _timeouts(command: Sequence[str], build: NativeBuild) -> list[str]:
    """The time limits among a launcher's options; what a program is given is its own affair."""
    if not is_launcher(command[0]):
        return []
    parts = execution.parts_of(command, build)
    return [value for part in parts if (value := part.value("timeout")) is not None]


def _told_to_ranks(words: Sequence[str]) -> Mapping[str, str]:
    from laneway.commands.cluster import told_to_ranks  # noqa: PLC0415 - slow to load

    return told_to_ranks(words)


def _prepare(folder: Path) -> None:
    from laneway import decisions  # noqa: PLC0415 - slow to load, and most jobs need no report

    if any(folder.glob("rank-*.jsonl")):
        raise Misuse(f"{folder} holds a report already: name another folder with --out")
    decisions.must_be_writable(folder)


def _origin(
    folder: Path, command: Sequence[str], mpi: str, settings: Mapping[str, Any]
) -> AbstractContextManager[None]:
    """A context that keeps, beside the job's report, how the job was started."""
    from laneway.decisions import origin  # noqa: PLC0415 - as above

    virtual, lanes = settings["node_size"], settings["lanes"]
    where = origin.options(command, mpi, node_size=virtual, lanes=lanes, environment=os.environ)
    return origin.kept(folder, where)


def _print_decisions(folder: Path, *, failed: bool) -> None:
    """Prints the report on standard error: standard output is the program's."""
    from laneway import decisions  # noqa: PLC0415 - as above
    from laneway.commands.decisions import print_report  # noqa: PLC0415
    from laneway.decisions import origin  # noqa: PLC0415

    try:
        report = decisions.load(folder).folded()
        print_report(report, output(stderr=True), origin.load(folder))
        say(f"report: laneway decisions {shlex.quote(str(folder))} [--json]")
    except Misuse:
        so_far = "the job failed before any" if failed else "no"
        say(f"no report: {so_far} process called a collective that Laneway sees")


@click.command("env")
@preload_options
def env_command(mpi: str | None, **settings: Any) -> None:
    """Print the settings of `exec` as shell commands.

    Use it as in eval "$(laneway env --mpi openmpi)", in job scripts. Open MPI 4's mpirun takes the
    settings along to other hosts as they are then: to change them, LANEWAY=off included, say it
    again.
    """
    build = execution.build_for((), mpi)
    told = execution.preload_variables(build, execution.Settings(**settings), os.environ)
    variables = execution.for_all_hosts(told, os.environ)
    if build.family == "openmpi" and int(build.release.partition(".")[0]) > 4:
        say("Open MPI 5's mpirun takes these to other hosts only by name: start it by laneway exec")
    for name, value in sorted(variables.items()):
        click.echo(f"export {name}={shlex.quote(value)}")
