# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway algorithms`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from rich.table import Table

from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.options import mpi_option
from laneway.libraries import native, registry
from laneway.simulation import counted


@click.command("algorithms")
@formed
@mpi_option
def algorithms_command(form: Form, mpi: str | None) -> None:
    """List the algorithms: idea, cost, memory and what they require.

    In Markdown they are the page docs/algorithms.md.
    """
    algorithms = registry.load(native.find(mpi))
    if form is Form.MARKDOWN:
        click.echo(registry.markdown(algorithms, counted.figures(algorithms)), nl=False)
        return
    rows = (entry.row() for entry in algorithms)
    show(form, rows, _table(algorithms), less=("tunables", "requires", "memory"))


def _table(algorithms: Sequence[registry.Algorithm]) -> Iterator[Table]:
    listing = Table(box=None, pad_edge=False, title=None)
    for heading in ("collective", "algorithm"):
        listing.add_column(heading)
    for heading, width in (("idea", 30), ("memory", 12), ("requires", 12), ("tunables", 12)):
        listing.add_column(heading, overflow="fold", min_width=width)
    for entry in algorithms:
        tunables = ", ".join(f"{one.name}={one.preset}" for one in entry.tunables)
        listing.add_row(
            entry.collective, entry.algorithm, entry.idea, entry.memory, entry.requires, tunables
        )
    yield listing
