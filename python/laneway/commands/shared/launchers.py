# SPDX-License-Identifier: BSD-3-Clause
"""The options of commands that start jobs: the launcher, and the batch system."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from laneway.commands.shared.options import Command
from laneway.errors import Misuse
from laneway.launching import batch
from laneway.launching.place import LAUNCHERS
from laneway.units import parse_seconds

_OWN = {"--launcher": True, "--walltime": True, "--job-option": True, "--submit": False,
        "--dry-run": False}  # fmt: skip
"""Options about handing a job to a batch system, and whether they take a value."""


JobSize = tuple[int | None, int | None]


def _walltime(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if batch.is_walltime(value):
        return value
    try:
        minutes, seconds = divmod(math.ceil(parse_seconds(value)), 60)
    except ValueError:
        raise click.BadParameter(f"'{value}' is no time such as 01:30:00, or 90m") from None
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}"


def asked_size(options: Mapping[str, Any]) -> JobSize:
    """Nodes and processes a node, as options say."""
    return options["nodes"], max(options["ppn"], default=None)


def launched(
    command: Command, size: Callable[[Mapping[str, Any]], JobSize] = asked_size
) -> Command:
    """Adds `--launcher` and the options that belong to it.

    The command gets `launcher`, one of LAUNCHERS, or None where it is not given. With a batch
    system the command is not called: a script that calls it on a job's nodes is printed or handed
    in.
    `size` tells the job's nodes and processes a node from the other options.
    """

    @functools.wraps(command)
    def wrapper(
        *,
        launcher: str | None,
        walltime: str,
        job_option: tuple[str, ...],
        submit: bool,
        dry_run: bool,
        **options: Any,
    ) -> Any:
        if launcher not in batch.SYSTEMS:
            if submit or dry_run or job_option:
                raise Misuse(
                    "--submit, --dry-run and --job-option need --launcher "
                    + "|".join(batch.SYSTEMS)
                )
            return command(launcher=launcher, **options)
        if submit == dry_run:
            raise Misuse(f"--launcher {launcher}: say --dry-run to see the script, or --submit")
        nodes, ppn = size(options)
        if not (nodes and ppn):
            raise Misuse(f"--launcher {launcher}: the job's size is needed, nodes and ppn")
        words = batch.without(sys.argv[1:], _OWN)
        script = batch.Script(batch.SYSTEMS[launcher], words, nodes, ppn, walltime, job_option)
        click.echo(script.text() if dry_run else script.submit(), nl=not dry_run)
        return None

    for option in reversed(
        (
            click.option(
                "--launcher",
                type=click.Choice((*LAUNCHERS, *batch.SYSTEMS)),
                help="By local, mpirun starts jobs on the emulated cluster or virtual nodes. By "
                "mpirun, srun and flux, jobs start on the nodes of the batch job that this is "
                "called in. Job scripts are for "
                f"{', '.join(batch.SYSTEMS)}.  "
                "[default: local, or as a plan says; in a batch job, say which]",
            ),
            click.option("--dry-run", is_flag=True, help="Print the job script."),
            click.option("--submit", is_flag=True, help="Hand the job script in."),
            click.option(
                "--walltime",
                default="01:00:00",
                show_default=True,
                metavar="H:M:S|TIME",
                callback=_walltime,
                help="Time that the batch job may take.",
            ),
            click.option(
                "--job-option",
                multiple=True,
                metavar="'...'",
                help="A further directive of the job script: '--partition=test'. Repeatable.",
            ),
        )
    ):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]
