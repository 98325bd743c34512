# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway prefix`."""

from __future__ import annotations

import click

from laneway.commands.shared.options import mpi_option
from laneway.libraries import native


@click.command("prefix")
@mpi_option
def prefix_command(mpi: str | None) -> None:
    """Print the folder of a native build: its lib, include, CMake package and laneway.pc.

    \b
    cmake -DCMAKE_PREFIX_PATH="$(laneway prefix)" ...
    PKG_CONFIG_PATH="$(laneway prefix)/lib/pkgconfig" pkg-config --cflags --libs laneway
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    click.echo(native.find(mpi).folder)
