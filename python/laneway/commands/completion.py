# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway completion`."""

from __future__ import annotations

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from laneway.commands import COMPLETION


@add_completion_class
class Bash(BashComplete):
    """Completion in bash, which splits words such as bcast@lane=chain at '=' and '@'.

    It replaces the last part alone.
    """

    _BREAKS = ("=", "@")

    def get_completion_args(self) -> tuple[list[str], str]:
        """Override of click's: puts such words together."""
        args, incomplete = super().get_completion_args()
        whole: list[str] = []
        for word in (*args, incomplete):
            if whole and (word in self._BREAKS or whole[-1].endswith(self._BREAKS)):
                whole[-1] += word
            else:
                whole.append(word)
        last = whole[-1]
        before = "" if last == incomplete else last[: max(map(last.rfind, self._BREAKS)) + 1]
        self._before = before.partition("=")[2] if before.startswith("-") else before
        return whole[:-1], last

    def format_completion(self, item: CompletionItem) -> str:
        """Override of click's."""
        return f"{item.type},{item.value.removeprefix(self._before)}"


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script by which a shell completes the words of `laneway`.

    \b
    eval "$(laneway completion bash)"                    in ~/.bashrc
    eval "$(laneway completion zsh)"                     in ~/.zshrc
    laneway completion fish > ~/.config/fish/completions/laneway.fish
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    found = get_completion_class(shell)
    if found is None:  # click knows all of these
        raise click.ClickException(f"no completion for {shell}")
    click.echo(found(context.find_root().command, {}, "laneway", COMPLETION).source())
