# SPDX-License-Identifier: BSD-3-Clause
"""The subcommands of `laneway`, a module each. A new one needs its module, and its line here."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from laneway import extras
from laneway.errors import Problem

GROUPS = {
    "To run a program": {
        "exec": "commands.exec:exec_command",
        "hang": "commands.hang:hang_command",
        "tune": "commands.tune:tune_command",
        "profile": "commands.profile:profile_group",
        "decisions": "commands.decisions:decisions_command",
        "explain": "commands.explain:explain",
        "env": "commands.exec:env_command",
    },
    "To look after a machine": {
        "doctor": "commands.doctor:doctor_command",
        "probe": "commands.probe:probe_command",
        "verify": "commands.verify:verify_command",
        "prefix": "commands.prefix:prefix_command",
        "completion": "commands.completion:completion_command",
    },
    "To measure collectives": {
        "demo": "commands.demo:demo_command",
        "algorithms": "commands.algorithms:algorithms_command",
        "compare": "commands.compare:compare_command",
        "bench": "commands.bench:bench_command",
        "campaign": "commands.campaign:campaign",
        "report": "commands.report:report_command",
        "plot": "commands.report:plot_command",
        "export": "commands.export:export_command",
        "cluster": "commands.cluster:cluster",
    },
    "To simulate and model": {
        "simulate": "commands.simulate:simulate_command",
        "scale": "commands.scale:scale_command",
        "machine": "commands.machine:machine_group",
        "calibrate": "commands.calibrate:calibrate_command",
        "study": extras.STUDIES,
        "model": "commands.model:model",
    },
}
"""The groups of docs/questions.md: each command with its module in this package and function, or
with the other distribution that has it."""

EXTRAS = {"study": "Do a published study again: its figures beside simulated or measured ones."}
"""The commands of other distributions, a line each: the list of commands loads none of them."""

COMPLETION = "_LANEWAY_COMPLETE"
"""The variable by which a shell asks for the completions of a line, as click has it."""


class Deferred(click.Command):
    """A subcommand whose module is loaded once it is called: `laneway exec` starts every job.

    A list of the commands, and completing their names in a shell, load none.
    """

    def __init__(self, name: str, where: str) -> None:
        super().__init__(name)
        self._module, _, self._function = where.partition(":")

    def loaded(self) -> click.Command:
        """The command itself."""
        command: click.Command = getattr(import_module(f"laneway.{self._module}"), self._function)
        return command

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Override of click's: from here on, the context's command is the loaded one."""
        return self.loaded().make_context(info_name, args, parent, **extra)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Override of click's: the first sentence of the function's docstring, from the source."""
        source = Path(__file__).parent.parent.joinpath(*self._module.split("."))
        for each in ast.parse(source.with_suffix(".py").read_text(encoding="utf-8")).body:
            if isinstance(each, ast.FunctionDef) and each.name == self._function:
                help_ = ast.get_docstring(each)
                return click.Command(self.name, help=help_).get_short_help_str(limit)
        return self.loaded().get_short_help_str(limit)


class Extra(Deferred):
    """A subcommand of another distribution. It is always listed: calling it tells more."""

    def __init__(self, name: str) -> None:
        click.Command.__init__(self, name, help=EXTRAS[name])

    def loaded(self) -> click.Command:
        """The command itself. Raises Problem where the distribution is not installed."""
        command: click.Command = extras.load(str(self.name), f"laneway {self.name}")
        return command

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Override of Deferred's: a shell that completes a line has no room for a complaint."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except Problem:
            if not extra.get("resilient_parsing"):
                raise
            return click.Context(self, parent, info_name)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Override of Deferred's."""
        return click.Command.get_short_help_str(self, limit)


COMMANDS = tuple(
    Extra(name) if name in EXTRAS else Deferred(name, where)
    for own in GROUPS.values()
    for name, where in own.items()
)
