# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway`: its subcommands together, and how an error ends it."""

from __future__ import annotations

import errno
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

import click

import laneway
from laneway.commands import COMMANDS, COMPLETION, GROUPS
from laneway.commands.shared.exit_codes import INTERRUPTED
from laneway.commands.shared.helping import Group
from laneway.errors import Misuse, Problem, with_suggestion


def _print_version(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from laneway.libraries import native  # noqa: PLC0415 - only this needs it

        try:
            builds = ", ".join(build.id for build in native.described())
        except Problem as problem:
            builds = str(problem)
        click.echo(f"laneway {laneway.__version__} ({builds or 'no native build'})")
        context.exit()


class _Laneway(Group):
    """The command: its list of subcommands has their groups."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Override of click's."""
        for heading, names in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl(self.lines(ctx, names), col_max=20)


@click.group(
    cls=_Laneway,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and the native builds, and exit.",
)
def cli() -> None:
    """MPI collectives for nodes with several network lanes.

    \b
    See what it does here:         laneway demo
    Compare algorithms:            laneway compare bcast -m 4K:1M

    \b
    See what a program could gain: laneway exec --advise -- mpirun -np 8 ./app
    Use what is faster:            laneway exec --profile FILE -- mpirun -np 8 ./app
    """  # noqa: D301 - \b is click's mark for lines to be left as they are


for command in COMMANDS:
    cli.add_command(command)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> NoReturn:
    """The console command: an error is one line on standard error, and an exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    if COMPLETION in os.environ:
        import laneway.commands.completion  # noqa: F401, PLC0415 - it has click complete as it says
    try:
        code = cli.main(prog_name="laneway", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        # The user typed something wrong, as far as click can tell.
        code = _complain(error.format_message(), error.exit_code)
    except (Problem, Misuse) as error:
        code = _complain(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        code = _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:  # `laneway algorithms | head`
        _forget_output()
        code = 1
    except OSError as error:
        code = _complain(_of_the_system(error), Problem.exit_code)
    sys.exit(code)


def _of_the_system(error: OSError) -> str:
    """The system's refusal in words. Files of ours are named where they are written (files.py)."""
    reason = error.strerror or str(error)
    if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        _forget_output()
        return f"cannot write standard output: {reason}"
    return reason if error.filename is None else f"{error.filename}: {reason}"


def _forget_output() -> None:
    """Drops output that is still to be written, which would be tried again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, code: int) -> int:
    click.echo(f"laneway: {with_suggestion(message)}", err=True)
    return code
