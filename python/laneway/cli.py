# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway`: what it understands, and what it prints."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeVar

import click
from rich.console import Console
from rich.table import Table

from laneway import __version__, compare, demo, native, place, progress, registry, table
from laneway import exec as execution
from laneway.campaign import Result, measure, new_folder
from laneway.caveats import caveats
from laneway.cluster.cli import cluster
from laneway.cluster.spec import format_rate
from laneway.errors import Misuse, Problem
from laneway.parameters import Counts, Names, Words
from laneway.probe.cli import probe_command
from laneway.rows import Row, Summary, impossible, lane_use, notes, summarise

INTERRUPTED = 130

Command = TypeVar("Command", bound=Callable[..., Any])

errors = Console(stderr=True)


TABLE_WIDTH = 124
"""Lines of tables are never shortened: on a narrow terminal they wrap."""


def _output() -> Console:
    """Standard output, wide enough for the tables."""
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    return console


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


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="laneway %(version)s")
def cli() -> None:
    """MPI collectives for nodes with several network lanes.

    \b
    See what it does here:         laneway demo
    Compare algorithms:            laneway compare --collective bcast --count 1000,100000
    Use them under a program:      laneway exec --algorithm bcast=lane -- mpirun -np 8 ./app
    """  # noqa: D301 - \b is click's mark for lines to be left as they are


@cli.command("compare")
@click.option(
    "--collective",
    "collectives",
    type=Names(),
    default=(),
    metavar="A,B",
    help="Collectives.  [default: all]",
)
@click.option(
    "--algorithm",
    "algorithms",
    type=Names(),
    default="all",
    metavar="X,Y",
    help="Algorithms, or all; native is always measured, too.  [default: all]",
)
@click.option(
    "--count",
    "counts",
    type=Counts(),
    default="1,1000,100000",
    metavar="N,M",
    show_default=True,
    help="Counts, as in the MPI call.",
)
@click.option(
    "--datatype",
    default="int",
    metavar="NAME",
    show_default=True,
    help="byte, short, int, long, float or double.",
)
@click.option(
    "--op",
    default="sum",
    metavar="NAME",
    show_default=True,
    help="Operator of reductions: sum, prod, max, min, land, lor, lxor, band, bor, bxor.",
)
@click.option(
    "--root",
    default="0",
    metavar="R",
    show_default=True,
    help="Root of rooted collectives: a rank, or rotate.",
)
@cluster_option
@click.option(
    "--nodes", type=click.IntRange(1), help="Nodes.  [default: 4 on a cluster, 2 virtual ones]"
)
@click.option(
    "--ppn",
    type=click.IntRange(1),
    metavar="N",
    help="Processes a node.  [default: 4 on a cluster, else as this machine's cores allow]",
)
@click.option(
    "--lanes",
    type=Counts(),
    default=(),
    metavar="L,M",
    help="Network lanes of a node; on a cluster several numbers, each measured.  [default: 2]",
)
@click.option(
    "--native",
    "native_binding",
    type=click.Choice(("best", "all", "lane")),
    help="On a cluster: what the ranks of the MPI library's own algorithm see of the lanes: all, "
    "one each, or the better of both for each count.  [default: best]",
)
@realtime_option
@click.option(
    "--runs", type=click.IntRange(1), default=3, show_default=True, help="Runs of mpirun."
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    metavar="S",
    help="Seconds for each collective and count in each run, shared by the algorithms.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Repetitions of each algorithm in each run, at most.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=1,
    show_default=True,
    help="Decides the order in which algorithms take turns.",
)
@mpi_option
@click.option(
    "--binding",
    metavar="NAME",
    help="What ranks see of the lanes of their node. On a cluster: lane (one each), all, or one "
    "(the first); elsewhere a label for the rows.  [default: lane; elsewhere all]",
)
@click.option(
    "--launcher-options",
    type=Words(),
    default=(),
    metavar="'...'",
    help="More options for mpirun, where there is no emulated cluster: '--hostfile hosts'.",
)
@click.option(
    "--timeout",
    "silence",
    type=click.FloatRange(1),
    metavar="S",
    help="Give a run up after so many seconds without a row.  [default: by --time]",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="New folder for the rows.  [default: laneway-results/compare-TIME]",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report with plots, too: one HTML file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, no table.")
def compare_command(
    *,
    cluster_name: str,
    nodes: int | None,
    ppn: int | None,
    lanes: tuple[int, ...],
    binding: str | None,
    native_binding: str | None,
    realtime: bool,
    launcher_options: tuple[str, ...],
    algorithms: tuple[str, ...],
    mpi: str | None,
    out: Path | None,
    report: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Time collectives by several algorithms, side by side.

    Starts the benchmark under mpirun several times and prints, for each collective and count, the
    time of the slowest rank by each algorithm (minimum, median, mean), how many times as fast as
    the MPI library's own algorithm it is, and how far from the least time that the lanes allow.
    Runs on an emulated cluster where one is up or can be made, else on virtual nodes. Each result
    is checked before it is timed. The rows are kept as they come, in --out.
    """
    build = native.find(mpi)
    wanted = place.Wanted(
        cluster_name, nodes, ppn, lanes, binding, realtime=realtime, options=launcher_options
    )
    with place.settings(wanted, _say) as settings:
        if native_binding and settings[0].place.cluster is None:
            raise Misuse("--native needs a cluster: laneway cluster up")
        plan = compare.Plan(
            build=build,
            arms=compare.arms(settings, algorithms, native_binding or "best", build, _say),
            **options,
        )
        result = _measured(plan, out or new_folder("compare"))
    summaries = summarise(result.rows)
    if as_json:
        for summary in summaries:
            click.echo(json.dumps(summary.row()))
    else:
        _print_result(plan, result)
    if report and summaries:
        _write_report(result.rows, report)
    _finish([result])


def _measured(plan: compare.Plan, folder: Path) -> Result:
    with progress.shown(errors, plan) as observer:
        return measure(plan, folder, observer)


def _print_result(plan: compare.Plan, result: Result) -> None:
    output = _output()
    summaries = summarise(result.rows)
    if summaries:
        output.print(table.render(summaries, _title(plan, summaries)))
        for line in _origin(summaries):
            output.print(line, highlight=False, markup=False)
    for line in lane_use(result.rows):
        output.print(line, highlight=False, markup=False)
    for note in notes(result.rows):
        output.print(f"note: {note}", highlight=False, markup=False)


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


def _write_report(rows: list[Row], path: Path) -> None:
    from laneway import report  # noqa: PLC0415 - it loads the plotting library

    report.write(rows, path)
    _say(f"report: {path}")


def _finish(results: list[Result]) -> None:
    """Says where the rows are and what went wrong, and ends accordingly."""
    for result in results:
        samples = sum(row["kind"] == "sample" for row in result.rows)
        for failure in (*result.failures, *impossible(summarise(result.rows))):
            _say(failure)
        if result.interrupted:
            _say(f"interrupted: {samples} samples are kept in {result.folder}/rows.jsonl")
        else:
            _say(f"{samples} samples: {result.folder}/rows.jsonl")
    if any(result.interrupted for result in results):
        sys.exit(INTERRUPTED)
    if any(result.failures or impossible(summarise(result.rows)) for result in results):
        sys.exit(1)


def _say(message: str) -> None:
    errors.print(message, highlight=False, markup=False, soft_wrap=True)


@cli.command("demo")
@cluster_option
@realtime_option
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    default=Path("laneway-report/index.html"),
    show_default=True,
    help="Where the report goes.",
)
@click.option(
    "--runs", type=click.IntRange(1), default=3, show_default=True, help="Runs of mpirun."
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    metavar="S",
    help="Seconds for all timing; starting jobs and checking results come on top.",
)
def demo_command(
    *, cluster_name: str, realtime: bool, report: Path, runs: int, seconds: float
) -> None:
    """Compare all algorithms on this machine, in two minutes at most.

    Uses every MPI library that Laneway is built for, on an emulated cluster of 4 nodes with two
    network lanes where there can be one, else on virtual nodes. Prints the tables, says what the
    figures can and cannot show, and writes a report with plots.
    """
    folder = new_folder("demo")
    builds = demo.builds()
    results = []
    with place.settings(place.Wanted(cluster_name, realtime=realtime), _say) as settings:
        for number, plan in enumerate(demo.plans(builds, settings, runs, seconds, _say), 1):
            result = _measured(plan, folder / f"{number}-{plan.build.id}")
            _print_result(plan, result)
            results.append(result)
            if result.interrupted:
                break
    rows = [row for result in results for row in result.rows]
    output = _output()
    for caveat in caveats(rows):
        output.print(f"* {caveat}\n", highlight=False, markup=False)
    if summarise(rows):
        _write_report(rows, report)
    _finish(results)


def preload_options(command: Command) -> Command:
    """The options that `exec` and `env` share."""
    for option in reversed(
        (
            click.option(
                "--algorithm",
                metavar="CHOICE",
                help="Algorithms by collective, such as bcast=lane,allreduce=hierarchical; "
                "bcast@lane=... names a component.",
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
                "--strict", is_flag=True, help="Stop the job at settings that cannot be understood."
            ),
            mpi_option,
        )
    ):
        command = option(command)
    return command


@cli.command("exec", context_settings={"allow_interspersed_args": False})
@preload_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def exec_command(command: tuple[str, ...], mpi: str | None, **settings: Any) -> None:
    """Run a program with Laneway under it, as in: laneway exec -- mpirun -np 8 ./app.

    The program need not know. After mpirun or mpiexec of Open MPI or MPICH, Laneway finds its build
    for that library and reaches the ranks, on every host, but not the launcher. Any other command
    is run with the environment that `laneway env` prints. Exit code and signals are the command's.
    """
    build = execution.build_for(command, mpi)
    wrapped, environment = execution.wrap(
        command, build, execution.Settings(**settings), os.environ
    )
    execution.replace_process(wrapped, environment)


@cli.command("env")
@preload_options
def env_command(mpi: str | None, **settings: Any) -> None:
    """Print the settings of `exec` as shell commands.

    Use it as in eval "$(laneway env --mpi openmpi)", in job scripts and with launchers that pass
    their environment on to the ranks.
    """
    build = execution.build_for((), mpi)
    variables = execution.preload_variables(build, execution.Settings(**settings), os.environ)
    for name, value in sorted(variables.items()):
        click.echo(f"export {name}={shlex.quote(value)}")


@cli.command("algorithms")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the page docs/algorithms.md.")
@mpi_option
def algorithms_command(as_json: bool, as_markdown: bool, mpi: str | None) -> None:
    """List the algorithms: idea, cost, memory and what they require."""
    algorithms = registry.load(native.find(mpi))
    if as_json:
        for entry in algorithms:
            click.echo(json.dumps(entry.row()))
        return
    if as_markdown:
        click.echo(registry.markdown(algorithms), nl=False)
        return
    listing = Table(box=None, pad_edge=False, title=None)
    for heading in ("collective", "algorithm", "idea", "memory", "requires"):
        listing.add_column(heading, no_wrap=heading in ("collective", "algorithm"))
    for entry in algorithms:
        listing.add_row(entry.collective, entry.algorithm, entry.idea, entry.memory, entry.requires)
    _output().print(listing)


cli.add_command(cluster)
cli.add_command(probe_command)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> NoReturn:
    """The console command: an error is one line on standard error, and an exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = cli.main(prog_name="laneway", standalone_mode=False)
    except click.ClickException as error:
        # What the user typed is wrong, as far as click can tell.
        code = _complain(error.format_message(), error.exit_code)
    except (Problem, Misuse) as error:
        code = _complain(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        code = _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:  # `laneway algorithms | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def _complain(message: str, code: int) -> int:
    click.echo(f"laneway: {message}", err=True)
    return code
