# SPDX-License-Identifier: BSD-3-Clause
"""The commands `laneway exec` and `laneway env`."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from laneway import exec as execution
from laneway.commands.common import Command, mpi_option


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


@click.command("exec", context_settings={"allow_interspersed_args": False})
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


@click.command("env")
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
