# SPDX-License-Identifier: BSD-3-Clause
"""The commands `laneway explain ...`: why something is as it is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from laneway import collectives, files
from laneway.choosing.reasons import learned, reasons
from laneway.collectives import EQUAL
from laneway.commands.shared import completing, scheduled
from laneway.commands.shared.choices import AskedCall, asked_call
from laneway.commands.shared.console import output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Group
from laneway.commands.shared.options import LAYOUT, mpi_option
from laneway.commands.shared.parameters import Bytes
from laneway.commands.shared.simulated import (
    components_option,
    machine_option,
    nodes_option,
    ppn_option,
    processes,
    weights_option,
)
from laneway.errors import Misuse
from laneway.libraries import native
from laneway.modelling.lane_weights import LaneWeights
from laneway.rows import Row
from laneway.simulation import drawing, machine, program
from laneway.simulation.machine_limits import MOST_LANES
from laneway.simulation.program import Call
from laneway.simulation.schedule import Schedule
from laneway.simulation.schedule import explain as explained


@click.group("explain", cls=Group)
def explain() -> None:
    """Show why something is as it is."""


@explain.command("choice")
@asked_call
@formed
@mpi_option
def choice_command(*, asked: AskedCall, form: Form, mpi: str | None) -> None:
    """Show what serves COLLECTIVE, by which rule, and why.

    \b
    laneway explain choice allreduce --bytes 4096 --nodes 4 --ppn 4

    Asks the library with the settings as they are: the profiles that it finds by itself, those of
    LANEWAY_PROFILE, and LANEWAY_ALGORITHM. For a rule that was measured, tells the measurements at
    the nearest sizes, and the next best algorithm.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    build = native.find(mpi)
    rule = asked.rule(build)
    why = [*learned(rule), *reasons(rule["rule"], asked.bytes)] if rule["rule"] else []
    if form is not Form.TEXT:
        because = Table("why", box=None)
        for each in why:
            because.add_row(escape(each))
        show(form, [{**rule, "reasons": why}], [asked.table(rule), *([because] if why else [])])
        return
    click.echo(asked.told(rule, build))
    for each in why:
        click.echo(f"  {each}")


@explain.command("schedule")
@click.argument("collective", shell_complete=completing.collectives)
@click.option("--algorithm", required=True, metavar="X", shell_complete=completing.algorithm)
@nodes_option
@ppn_option
@click.option(
    "--lanes",
    type=click.IntRange(1, MOST_LANES),
    default=2,
    metavar="L",
    show_default=True,
    help="Network lanes of a node; process j is on lane j mod L.",
)
@weights_option
@click.option(
    "--count", type=click.IntRange(0), metavar="N", help="As in the MPI call.  [default: 1]"
)
@click.option(
    "--bytes", "amount", type=Bytes(least=0), metavar="SIZE", help="In place of a count: 400K."
)
@click.option(
    "--datatype",
    metavar="NAME",
    shell_complete=completing.datatypes,
    help="[default: int; with --bytes, byte]",
)
@click.option("--root", type=click.IntRange(0), default=0, metavar="R", show_default=True)
@click.option(
    "--layout",
    default=EQUAL,
    metavar="NAME",
    show_default=True,
    shell_complete=completing.layouts,
    help=LAYOUT,
)
@components_option
@click.option(
    "--socket-size",
    type=click.IntRange(1),
    metavar="N",
    help="Processes of each socket, for an order by socket.  [default: sockets are not told]",
)
@click.option("--rank", type=click.IntRange(0), metavar="R", help="The steps of rank R.")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw who sends to whom in which round.",
)
@click.option(
    "--goal",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write it for LogGOPSim, with the times of --machine.",
)
@machine_option
@formed
def schedule_command(
    *,
    nodes: int | None,
    ppn: tuple[int, ...],
    lanes: int,
    lane_weights: str | None,
    count: int | None,
    amount: int | None,
    datatype: str | None,
    rank: int | None,
    svg: Path | None,
    goal: Path | None,
    machine_name: str,
    form: Form,
    **options: Any,
) -> None:
    """Print what an algorithm does: rounds, messages, bytes on lanes and inside nodes.

    \b
    laneway explain schedule bcast --algorithm lane_pipeline --bytes 400K
    laneway explain schedule bcast --algorithm lane --rank 5 --svg bcast.svg

    All is counted from what each rank does, recorded from the algorithm's own text; nothing is run.
    A message is one round after the latest that its sender has waited for before.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    for option, file in (("--svg", svg), ("--goal", goal)):
        if file and not file.parent.is_dir():
            raise Misuse(f"{option}: there is no folder {file.parent}")
    call = _call(count, amount, datatype, nodes=processes(nodes, ppn), **options)
    if lane_weights:
        lanes = LaneWeights.parse(lane_weights).lanes
    schedule = explained(call, lanes, rank=rank, messages=svg is not None, weights=lane_weights)
    if svg:
        files.replace(svg, drawing.svg(schedule))
        say(f"drawing: {svg}")
    if goal:
        described = machine.load(machine_name).with_lanes(lanes).with_weights(lane_weights)
        program.write("goal", {**call.options, **described.options}, goal)
        say(f"GOAL: {goal}")
    if form is Form.TEXT:
        output().print(scheduled.title(schedule), highlight=False, markup=False, soft_wrap=True)
    show(form, _rows(schedule, form, rank), [scheduled.table(schedule, rank)])
    told = (*scheduled.sums(schedule), _next(call, lanes, lane_weights, machine_name))
    for line in told if form is Form.TEXT else ():
        output().print(line, highlight=False, markup=False, soft_wrap=True)


def _next(call: Call, lanes: int, weights: str | None, named: str) -> str:
    """The command that simulates the time of the call."""
    nodes = call.nodes
    ppn = ["--ppn", ",".join(map(str, nodes))]
    if len({*nodes}) == 1:
        ppn = ["--nodes", str(len(nodes)), "--ppn", str(nodes[0])]
    count = [] if call.collective == "barrier" else ["--count", str(call.count)]
    words = ["laneway", "simulate", call.collective, "--machine", named, *ppn]
    words += ["--lane-weights", weights] if weights else ["--lanes", str(lanes)]
    words += [*count, "--datatype", call.datatype]
    words += ["--root", str(call.root)] if call.root else []
    words += ["--layout", call.layout] if call.layout != EQUAL else []
    return (
        f"to see what it takes: {shlex.join([*words, '--algorithm', call.algorithm, '--bounds'])}"
    )


def _rows(schedule: Schedule, form: Form, rank: int | None) -> list[Row]:
    """The whole schedule as JSON; else the lines of the table, without the sum of the costs."""
    if form is Form.JSON:
        return [schedule.row(), *schedule.rounds, *schedule.steps]
    return schedule.rounds if rank is None else schedule.steps


def _call(
    count: int | None,
    amount: int | None,
    datatype: str | None,
    *,
    collective: str,
    algorithm: str,
    **options: Any,
) -> Call:
    """The call that is asked for. Raises Misuse."""
    name = collectives.collective(collective)
    if name == "barrier" and (amount or count):
        raise Misuse("a barrier moves no data: leave --bytes and --count out")
    if count is not None and amount is not None:
        raise Misuse("--count or --bytes, not both")
    if amount is not None and datatype not in (None, "byte"):
        raise Misuse("--bytes counts bytes: leave --datatype out, or take --count")
    if "," in re.sub(r"\([^()]*\)", "", algorithm):
        raise Misuse(f"--algorithm: one algorithm is explained at a time, not {algorithm}")
    if found := re.fullmatch(r"(\w+):(\w+=.*)", algorithm):
        raise Misuse(f"--algorithm: tunables stand in parentheses: {found[1]}({found[2]})")
    return Call(
        name,
        algorithm,
        amount if amount is not None else 1 if count is None else count,
        datatype=datatype or ("int" if amount is None else "byte"),
        **options,
    )
