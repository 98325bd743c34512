# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway algorithms`."""

from __future__ import annotations

import json

import click
from rich.table import Table

from laneway import native, registry
from laneway.commands.console import output
from laneway.commands.options import mpi_option


@click.command("algorithms")
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
    for heading in ("collective", "algorithm", "idea", "memory", "requires", "tunables"):
        listing.add_column(heading, no_wrap=heading in ("collective", "algorithm"))
    for entry in algorithms:
        tunables = ", ".join(f"{one.name}={one.preset}" for one in entry.tunables)
        listing.add_row(
            entry.collective, entry.algorithm, entry.idea, entry.memory, entry.requires, tunables
        )
    output().print(listing)
