# SPDX-License-Identifier: BSD-3-Clause
"""The commands `laneway cluster ...`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Table

from laneway import files
from laneway.cluster import check as checks
from laneway.cluster import launch, state, trust
from laneway.cluster.cluster import Cluster, ClusterError, NotThereError, take_down
from laneway.cluster.launch import Launch, LaunchError
from laneway.cluster.links import Traffic
from laneway.cluster.pace import Pace, paced
from laneway.cluster.spec import BINDINGS, FABRICS, ClusterSpec, SpecError, format_rate, parse_rate
from laneway.commands.shared import completing
from laneway.commands.shared.console import errors
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Group
from laneway.commands.shared.options import unequal_option
from laneway.commands.shared.parameters import Duration
from laneway.errors import Misuse
from laneway.units import counted

F = TypeVar("F", bound=Callable[..., Any])

_name = click.option(
    "--name",
    default="default",
    show_default=True,
    envvar="LANEWAY_CLUSTER",
    help="Which cluster; several can be up at the same time.",
)


class _Group(Group):
    """A group that prints errors of this package instead of a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click's own business
            raise
        except (NotThereError, SpecError) as error:
            raise Misuse(str(error)) from error
        except (ClusterError, LaunchError, OSError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Group)
def cluster() -> None:
    """A cluster on this machine: emulated nodes, their network interfaces limited in rate."""


@cluster.command()
@_name
@click.option("--nodes", default=4, show_default=True, help="Number of nodes.")
@click.option("--lanes", default=2, show_default=True, help="Lanes of each node.")
@click.option(
    "--fabric",
    type=click.Choice(FABRICS),
    default="separate",
    show_default=True,
    help="A switch a lane, or one for all lanes.",
)
@unequal_option
@paced
def up(
    *, name: str, nodes: int, lanes: int, fabric: Any, unequal: tuple[int, ...], pace: Pace
) -> None:
    """Bring a cluster up. Does nothing if it is up already."""
    spec = ClusterSpec(name, nodes, lanes, fabric=fabric, slots=unequal, **pace)
    was_up = any(other.spec.name == name for other in Cluster.all())
    made = Cluster.up(spec)
    click.echo(f"cluster {name!r} {'was up already' if was_up else 'is up'}: {spec}")
    if not made.state.privileged and not was_up:
        click.echo("without root: no real-time scheduling; programs see themselves as root")


@cluster.command()
@formed
def status(form: Form) -> None:
    """Show the clusters that are up and what went over their lanes.

    For a cluster whose lanes have a latency it also says how well the switch kept it. As JSON, it
    prints one object a cluster. Exit status 1 if none is up.
    """
    clusters = Cluster.all()
    seen = [one.counters() for one in clusters]
    up = [*zip(clusters, seen, strict=True)]
    if form is Form.JSON:
        rows = [
            {
                **one.state.to_json(),
                "traffic": _traffic_json(each),
                "switch": kept.to_json() if (kept := one.kept()) else None,
            }
            for one, each in up
        ]
        show(form, rows, ())
    elif form is Form.CSV:
        show(form, (row for one, each in up for row in _traffic_rows(one.state, each)), ())
    else:
        for one, each in up:
            apart = "\n" if form is Form.MARKDOWN else ""  # else the table joins the line
            told = f"cluster {one.spec.name!r}: {one.spec} (holder {one.state.holder})"
            click.echo(f"{told}{apart}")
            show(form, (), [_traffic_table(one.state, each)])
            if kept := one.kept():
                click.echo(kept)
    for name in set(state.names()) - {one.spec.name for one in clusters}:
        click.echo(f"cluster {name!r} was killed; `down` removes its files", err=True)
    if not clusters:
        click.echo("no cluster is up: laneway cluster up", err=True)
        sys.exit(1)


def _traffic_json(traffic: list[list[Traffic]]) -> list[list[dict[str, int]]]:
    return [[vars(lane) for lane in node] for node in traffic]


def _traffic_rows(up: state.State, traffic: list[list[Traffic]]) -> Iterator[dict[str, str | int]]:
    """A row for each lane of each node."""
    spec, rates = up.spec, up.rates
    for node, host in enumerate(spec.hosts):
        for lane, device in enumerate(spec.devices):
            where = {"cluster": spec.name, "node": host, "lane": device}
            facts = {"address": spec.address(node, lane), "rate": format_rate(rates[node][lane])}
            yield {**where, **facts, **vars(traffic[node][lane])}


def _traffic_table(up: state.State, traffic: list[list[Traffic]]) -> Table:
    table = Table("node", "lane", "address")
    for heading in ("rate", "sent MB", "received MB", "dropped packets"):
        table.add_column(heading, justify="right")
    for row in _traffic_rows(up, traffic):
        carried = (f"{int(row[way]) / 1e6:.3f}" for way in ("tx", "rx"))
        names = (str(row[name]) for name in ("node", "lane", "address", "rate"))
        table.add_row(*names, *carried, str(row["drops"]))
    return table


@cluster.command()
@_name
@click.option(
    "--full",
    is_flag=True,
    help="Where lanes have a latency: time hops with 4, 16 and 32 ranks, also beside a busy "
    "process. Takes two minutes instead of some seconds.",
)
@formed
def check(*, name: str, full: bool, form: Form) -> None:
    """Measure every lane: its rate in both directions at once, and its drops.

    Where lanes have a latency, also times a hop over TCP and by each MPI library: a message of a
    few bytes between nodes. Time beyond the latency is this machine's. As JSON, prints one
    object. Exit status 1 if anything is not as configured.
    """
    target = Cluster.attach(name)
    before = target.kept()
    report = checks.check(target)
    hops, failed = _hops(target, full=full) if target.spec.timed else ([], [])
    report.problems += [*failed, *trust.problems(hops)]
    after = target.kept()
    kept = after.since(before) if before and after else None
    if form is Form.CSV:
        show(form, [asdict(lane) for lane in report.lanes], ())
    else:
        told = {"hops": [hop.to_json() for hop in hops], "switch": kept.to_json() if kept else None}
        tables = [_lanes_table(report), *([_hops_table(hops)] if hops else [])]
        show(form, [{**report.to_json(), **told}], tables)
    if form is Form.TEXT:
        for line in (*trust.sentences(target.spec, hops), *([kept] if kept else ())):
            click.echo(line)
        _print_report(report)
    sys.exit(0 if report.passed else 1)


def _hops(target: Cluster, *, full: bool) -> tuple[list[trust.Hop], list[str]]:
    """Hops in all cases, and reasons where there is none, while a bar shows the progress."""
    from rich.progress import Progress  # noqa: PLC0415 - slow to load

    cases = trust.cases(target, full=full)
    with Progress(console=errors(), transient=True) as bar:
        task = bar.add_task("hops", total=len(cases))
        return trust.measure(target, cases, lambda: bar.advance(task))


def _hops_table(hops: Sequence[trust.Hop]) -> Table:
    table = Table("hop by", "ranks", "beside")
    for heading in ("least us", "quartiles us", "model us", "on top", "factor for 10%"):
        table.add_column(heading, justify="right")
    for hop in hops:
        table.add_row(
            f"{hop.who}{', real time' if hop.realtime else ''}",
            str(hop.ranks),
            "a busy process" if hop.busy else "",
            f"{hop.least_us:.0f}",
            " ".join(f"{each:.0f}" for each in hop.quartiles_us),
            f"{hop.model_us:.0f}",
            f"{hop.share:.0%}",
            f"{hop.stretch:.1f}" if hop.stretch > 1 else "",
        )
    return table


def _lanes_table(report: checks.ClusterCheck) -> Table:
    table = Table("lane", "between", "forth", "back")
    for result in report.lanes:
        first, second = result.nodes
        table.add_row(
            f"lane{result.lane}",
            f"node{first}, node{second}",
            format_rate(result.forth),
            format_rate(result.back),
        )
    return table


def _print_report(report: checks.ClusterCheck) -> None:
    for node in report.nodes:
        click.echo(f"node{node.node}, all lanes at once: {format_rate(node.total)}")
    click.echo(f"{counted(report.drops, 'packet')} dropped")
    if report.stolen > 0.01:
        click.echo(
            f"{report.stolen:.0%} of the processors' time was taken by a hypervisor: "
            "what it spoils is measured again here, but not in a job"
        )
    for problem in report.problems:
        click.echo(problem)
    click.echo("PASS" if report.passed else "FAIL")


@cluster.command(context_settings={"ignore_unknown_options": True})
@_name
@click.option("--ppn", default=4, show_default=True, help="Processes a node.")
@click.option(
    "--nodes", type=click.IntRange(1), metavar="N", help="The first N nodes.  [default: all]"
)
@click.option(
    "--mpi",
    metavar="NAME|PATH",
    shell_complete=completing.libraries,
    help="MPI library: openmpi, mpich, or a build such as openmpi-5.0; or its launcher. Default: "
    "the first of them on PATH.",
)
@click.option(
    "--binding",
    type=click.Choice(BINDINGS),
    default="lane",
    show_default=True,
    help="Ranks spread over the lanes; every rank on all lanes; every rank on lane 0.",
)
@click.option("--realtime", is_flag=True, help="Run ranks under SCHED_RR (root only).")
@click.option(
    "--timeout",
    type=Duration(least=0),
    default=0.0,
    metavar="TIME",
    help="End the job after that.  [default: never]",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write what was set and what went over the lanes, as JSON.",
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    *,
    name: str,
    ppn: int,
    nodes: int | None,
    mpi: str | None,
    binding: Any,
    realtime: bool,
    timeout: float,
    record: Path | None,
    program: tuple[str, ...],
) -> None:
    """Run an MPI program on the nodes: `laneway cluster run --ppn 4 -- ./program`.

    The exit status is the program's, or 124 after the time limit.
    """
    target = Cluster.attach(name)
    if nodes is not None and nodes > target.spec.nodes:
        raise click.BadParameter(f"--nodes: cluster {name!r} has {target.spec.nodes}")
    how = target.launch(
        launch.find(mpi), nodes=nodes, ppn=ppn, binding=binding, realtime=realtime, timeout=timeout
    )
    argv = [*how.argv, *program]
    if record is None:
        os.execvpe(argv[0], argv, how.environment())  # noqa: S606 - the user's own program
    sys.exit(_run_recorded(target, how, argv, record))


def told_to_ranks(words: Sequence[str]) -> dict[str, str]:
    """The variables by which ranks of `laneway cluster run WORDS...` know where they are.

    They are as cluster/rank.sh sets them.
    """
    told = {"LANEWAY_EMULATED": "1"}
    asked = run.make_context("run", [*words], resilient_parsing=True).params
    try:
        lanes = Cluster.attach(asked["name"] or "default").spec.lanes
    except NotThereError:  # `run` says so
        return told
    told["LANEWAY_EMULATED_BINDING"] = asked["binding"]
    return {**told, "LANEWAY_EMULATED_LANES": str(1 if asked["binding"] == "one" else lanes)}


def _run_recorded(target: Cluster, how: Launch, argv: list[str], record: Path) -> int:
    """Run a job and write its record, however it ends; returns the exit status."""
    before = target.counters()
    start = time.time()
    status = -1
    try:
        status = _run_and_wait(argv, how.environment())
    finally:
        entry = {
            **how.to_json(),
            "command": argv,
            "start": start,
            "seconds": time.time() - start,
            "status": status,
            "traffic_before": _traffic_json(before),
            "traffic_after": _traffic_json(target.counters()),
        }
        files.replace(record, json.dumps(entry, indent=2) + "\n")
    return status


def _run_and_wait(argv: list[str], env: dict[str, str]) -> int:
    with subprocess.Popen(argv, env=env) as job:
        while True:
            try:
                return job.wait()
            except KeyboardInterrupt:
                continue  # the job got it as well, and ends


@cluster.command()
@_name
@click.argument("node")
@click.argument("lane")
@click.argument("rate")
def set_rate(name: str, node: str, lane: str, rate: str) -> None:
    """Give LANE of NODE another rate, in both directions: `set-rate node1 lane0 20mbit`.

    It changes at once, in the middle of a job as well: so a link falls back, or a lane gets sick.
    `check` and `status` know the new rate.
    """
    target = Cluster.attach(name)
    number = lane.removeprefix("lane")
    if not number.isdigit():
        raise Misuse(f"LANE {lane!r}: expected one of {', '.join(target.spec.devices)}")
    target.set_rate(_host(node), int(number), parse_rate(rate))


def _host(node: str) -> str:
    """The host name of a node that is named, or numbered."""
    return f"node{node}" if node.isdigit() else node


@cluster.command()
@_name
@click.argument("node")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def shell(name: str, node: str, command: tuple[str, ...]) -> None:
    """Open a shell on a node (`node0`, ..., or `login`), or run COMMAND there."""
    inner = list(command) or [os.environ.get("SHELL", "/bin/sh")]
    argv = Cluster.attach(name).shell_command(_host(node), inner)
    os.execvp(argv[0], argv)  # noqa: S606 - the user's own program


@cluster.command()
@_name
@click.option("--all", "everything", is_flag=True, help="All clusters of this user.")
def down(name: str, everything: bool) -> None:
    """Take a cluster down: every process, interface, namespace and file of it.

    Succeeds as well if there is nothing to take down.
    """
    for one in state.names() if everything else [name]:
        click.echo(f"cluster {one!r} {'is down' if take_down(one) else 'was not up'}")
