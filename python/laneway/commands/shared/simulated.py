# SPDX-License-Identifier: BSD-3-Clause
"""Options of the commands that simulate."""

from __future__ import annotations

from collections.abc import Sequence

import click

from laneway.commands.shared import completing
from laneway.commands.shared.parameters import Processes, TorusShape
from laneway.errors import Misuse
from laneway.simulation.machine_limits import MOST_LANES, weights_of_lanes
from laneway.simulation.program import COMPONENTS
from laneway.units import counted

machine_option = click.option(
    "--machine",
    "machine_name",
    default="example",
    metavar="NAME|FILE",
    shell_complete=completing.machines,
    show_default=True,
    help="A machine that comes with Laneway, or a file that describes one (docs/simulation.md).",
)
lanes_option = click.option(
    "--lanes",
    type=click.IntRange(1, MOST_LANES),
    metavar="L",
    help="Network lanes of a node; 1 is the control.  [default: the machine's]",
)
weights_option = click.option(
    "--lane-weights",
    callback=lambda _context, _option, text: _weights(text),
    metavar="W:W...",
    help="Lanes that are not alike, and how much each carries in the time of the others: 2:1. "
    "10:10,3=10:1: those of node 3 alone.",
)
shape_option = click.option(
    "--shape",
    type=TorusShape(),
    metavar="AxBx...",
    help="Another shape of the machine's torus: 4x3x2.  [default: the machine's]",
)
components_option = click.option(
    "--components",
    type=click.Choice(COMPONENTS),
    default="rounds",
    show_default=True,
    help="Components of algorithms are trees and cubes, which need few rounds, or chains and "
    "rings, which send few bytes.",
)
placement_option = click.option(
    "--placement",
    type=click.Choice(("node", "cyclic")),
    default="node",
    show_default=True,
    help="Ranks fill node after node, or go round the nodes.",
)
nodes_option = click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="[default: 4, or as many as --ppn lists]",
)
ppn_option = click.option(
    "--ppn",
    type=Processes(),
    default="4",
    metavar="N[,N...]",
    show_default=True,
    help="Processes a node; a list, of each node: 4,3,5.",
)


def _weights(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return weights_of_lanes(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


NODES = 4
"""Nodes, unless another number is asked for."""

PPN = 4
"""Processes a node, where neither the machine nor the user says so."""


def processes(nodes: int | None, ppn: Sequence[int]) -> list[int]:
    """Processes of each node, by `--nodes` and `--ppn`. Raises Misuse where these contradict."""
    if len(ppn) == 1:
        return list(ppn) * (nodes or NODES)
    if nodes not in (None, len(ppn)):
        raise Misuse(f"--ppn lists {counted(len(ppn), 'node')}, --nodes says {nodes}")
    return list(ppn)
