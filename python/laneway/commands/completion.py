# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

VARIABLE = "_LANEWAY_COMPLETE"
"""By which a shell asks for what completes a line, as click has it."""


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print what has a shell complete the words of `laneway`.

    \b
    eval "$(laneway completion bash)"                    in ~/.bashrc
    eval "$(laneway completion zsh)"                     in ~/.zshrc
    laneway completion fish > ~/.config/fish/completions/laneway.fish
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    found = get_completion_class(shell)
    if found is None:  # click knows all of these
        raise click.ClickException(f"no completion for {shell}")
    click.echo(found(context.find_root().command, {}, "laneway", VARIABLE).source())
