# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway simulate`."""

from __future__ import annotations

import sys
from typing import Any

import click

from laneway.commands.shared import progress
from laneway.commands.shared.console import errors, output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.measuring import LESS
from laneway.commands.shared.options import (
    collectives_options,
    counts_option,
    message_size_option,
    whole,
)
from laneway.commands.shared.parameters import Names
from laneway.commands.shared.simulated import (
    components_option,
    machine_option,
    nodes_option,
    ppn_option,
    processes,
    shape_option,
)
from laneway.errors import Misuse
from laneway.plans.comparison import COUNTS
from laneway.rows import impossible, summarise
from laneway.showing import table
from laneway.simulation import comparison, machine


@click.command("simulate")
@collectives_options("[default: all]")
@machine_option
@nodes_option
@ppn_option
@click.option(
    "--lanes",
    type=click.IntRange(1, machine.MOST_LANES),
    metavar="L",
    help="Network lanes of a node; 1 is the control.  [default: the machine's]",
)
@shape_option
@click.option(
    "--algorithm",
    "algorithms",
    type=Names(),
    default="all",
    metavar="X,Y",
    help="Algorithms, or all; there is no native one.  [default: all]",
)
@counts_option
@message_size_option
@click.option(
    "--datatype", metavar="NAME", help="Any predefined type of MPI for C.  [default: int]"
)
@click.option(
    "--op", default="sum", metavar="NAME", show_default=True, help="A label for the rows."
)
@click.option(
    "--root",
    type=click.IntRange(0),
    default=0,
    metavar="R",
    show_default=True,
    help="Root of rooted collectives.",
)
@components_option
@formed
def simulate_command(
    *,
    machine_name: str,
    lanes: int | None,
    shape: str | None,
    counts: tuple[int | str, ...] | None,
    sizes: tuple[int, ...],
    datatype: str | None,
    nodes: int | None,
    ppn: tuple[int, ...],
    form: Form,
    **options: Any,
) -> None:
    """Predict collectives on a machine that is only described, of any size.

    \b
    laneway simulate allreduce --machine example --nodes 6912 --ppn 16 -m 1M:1M
    laneway simulate bcast --machine mine.toml --algorithm lane,lane_pipeline
    laneway simulate scatter --ppn 4,3,5

    Records what each rank does by each algorithm, and carries it out on a simulated clock: neither
    an MPI library nor the machine is needed. Prints the table and the rows of `laneway compare`;
    what is native there does not exist here. docs/simulation.md says how machines are described.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if sizes and counts:
        raise Misuse("--count or -m, not both: counts as in the MPI call, or bytes")
    sizes_of_nodes = processes(nodes, ppn)
    if options["root"] >= sum(sizes_of_nodes):
        raise Misuse(f"--root: there are {sum(sizes_of_nodes)} ranks")
    plan = comparison.Plan(
        machine=machine.load(machine_name).with_lanes(lanes).with_shape(shape),
        processes=sizes_of_nodes,
        counts=() if sizes else counts or COUNTS,
        sizes=whole(sizes, datatype),
        datatype=datatype or "int",
        **options,
    )
    with progress.of_parts(errors()) as told:
        rows = [*comparison.rows(plan, told, say)]
    summaries = summarise(rows)
    if not summaries:
        say("nothing could be simulated")
        sys.exit(1)
    tables = (table.render(found, plan.title) for found in [summaries])
    show(form, (summary.row() for summary in summaries), tables, less=LESS)
    if form is Form.TEXT:
        for wire in dict.fromkeys(summary.wire for summary in summaries if summary.wire):
            output().print(f"Floor: {wire.formula}", highlight=False, markup=False, soft_wrap=True)
    for error in impossible(summaries):
        say(error)
