# SPDX-License-Identifier: BSD-3-Clause
"""Options of the commands that simulate."""

from __future__ import annotations

import click

machine_option = click.option(
    "--machine",
    "machine_name",
    default="example",
    metavar="NAME|FILE",
    show_default=True,
    help="A machine that comes with Laneway, or a file that describes one (docs/simulation.md).",
)
components_option = click.option(
    "--components",
    type=click.Choice(("rounds", "bytes")),
    default="rounds",
    show_default=True,
    help="Components of algorithms are trees and cubes, which need few rounds, or chains and "
    "rings, which send few bytes.",
)
nodes_option = click.option(
    "--nodes", type=click.IntRange(1), default=4, metavar="N", show_default=True
)
ppn_option = click.option(
    "--ppn",
    type=click.IntRange(1),
    default=4,
    metavar="N",
    show_default=True,
    help="Processes a node.",
)
