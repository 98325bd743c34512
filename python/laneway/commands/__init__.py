# SPDX-License-Identifier: BSD-3-Clause
"""The subcommands of `laneway`, a module each. To add one: its module, and its line here."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

import click

WHERE = {
    "algorithms": "commands.algorithms:algorithms_command",
    "bench": "commands.bench:bench_command",
    "calibrate": "commands.calibrate:calibrate_command",
    "campaign": "commands.campaign:campaign",
    "cluster": "commands.cluster:cluster",
    "compare": "commands.compare:compare_command",
    "completion": "commands.completion:completion_command",
    "decisions": "commands.decisions:decisions_command",
    "demo": "commands.demo:demo_command",
    "doctor": "commands.doctor:doctor_command",
    "env": "commands.exec:env_command",
    "exec": "commands.exec:exec_command",
    "export": "commands.export:export_command",
    "explain": "commands.explain:explain",
    "machine": "commands.machine:machine_group",
    "model": "commands.model:model",
    "plot": "commands.report:plot_command",
    "prefix": "commands.prefix:prefix_command",
    "probe": "commands.probe:probe_command",
    "profile": "commands.profile:profile_group",
    "report": "commands.report:report_command",
    "scale": "commands.scale:scale_command",
    "simulate": "commands.simulate:simulate_command",
    "study": "commands.study:study_group",
    "tune": "commands.tune:tune_command",
    "verify": "commands.verify:verify_command",
}
"""Each command's module in this package, and the function in it."""

COMPLETION = "_LANEWAY_COMPLETE"
"""The variable by which a shell asks for what completes a line, as click has it."""


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
        """Override of click's: from here on, the context's command is the one that is meant."""
        return self.loaded().make_context(info_name, args, parent, **extra)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Override of click's: the first sentence of the function's docstring, from the source."""
        source = Path(__file__).parent.parent.joinpath(*self._module.split("."))
        for each in ast.parse(source.with_suffix(".py").read_text(encoding="utf-8")).body:
            if isinstance(each, ast.FunctionDef) and each.name == self._function:
                help_ = ast.get_docstring(each)
                return click.Command(self.name, help=help_).get_short_help_str(limit)
        return self.loaded().get_short_help_str(limit)


COMMANDS = tuple(Deferred(name, where) for name, where in WHERE.items())
