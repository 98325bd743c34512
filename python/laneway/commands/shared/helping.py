# SPDX-License-Identifier: BSD-3-Clause
"""The help of commands: options under headings, descriptions that are never cut, hidden spellings.

Libraries that do this take longer to load than all that `laneway exec` needs before a job.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping

import click

HEADINGS = {
    "Where it runs": (
        *("cluster", "nodes", "ppn", "lanes", "threads", "unequal", "binding", "placement"),
        "realtime",
    ),
    "How fast the lanes of an emulated cluster are": (
        *("rate", "lane-rates", "latency", "gap", "slower", "slow-motion"),
    ),
    "How it is started": (
        *("launcher", "launcher-options", "dry-run", "submit", "walltime", "job-option"),
    ),
    "What is printed and kept": (*("json", "csv", "markdown", "report", "out", "output", "rows"),),
}
"""Options under headings of their own in the help of a command that starts jobs."""

_HEADING_OF = {f"--{name}": heading for heading, names in HEADINGS.items() for name in names}

UNCUT = 10_000
"""Letters of a description, more than any has."""


class Command(click.Command):
    """A command that starts jobs: many of its options say where and how, as in other commands."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Override of click's: the command's own options come first."""
        found: dict[str, list[tuple[str, str]]] = {"Options": []}
        found |= {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            # Newer versions of click have a record for arguments, too, which the usage line shows.
            if record is not None and isinstance(parameter, click.Option):
                found[_HEADING_OF.get(parameter.opts[0], "Options")].append(record)
        _write(formatter, found)


class Group(click.Group):
    """A group whose list of commands has the whole of their first sentences."""

    command_class = Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Override of click's."""
        _write(formatter, {"Commands": self.lines(ctx, self.list_commands(ctx))})

    def lines(self, ctx: click.Context, names: Iterable[str]) -> list[tuple[str, str]]:
        """Commands with what they do."""
        found = ((name, self.get_command(ctx, name)) for name in names)
        return [(name, each.get_short_help_str(UNCUT)) for name, each in found if each]


class Aliased(click.Option):
    """An option of several spellings, of which help shows the first word and the first letter."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Override of click's."""
        shown = copy.copy(self)
        letters = [spelling for spelling in self.opts if not spelling.startswith("--")]
        words = [spelling for spelling in self.opts if spelling.startswith("--")]
        shown.opts = [*letters[:1], *words[:1]]
        return click.Option.get_help_record(shown, ctx)


def _write(formatter: click.HelpFormatter, found: Mapping[str, list[tuple[str, str]]]) -> None:
    for heading, records in found.items():
        if records:
            with formatter.section(heading):
                formatter.write_dl(records)
