# SPDX-License-Identifier: BSD-3-Clause
"""The parts shared by the commands that ask which rule decides on a call."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from laneway.cluster.spec import BINDINGS
from laneway.collectives import OF_UNKNOWN_BYTES
from laneway.collectives import collective as spelled
from laneway.commands.shared import completing
from laneway.commands.shared.options import Command
from laneway.commands.shared.parameters import Bytes
from laneway.launching import this_machine
from laneway.libraries import profile
from laneway.libraries.native import NativeBuild
from laneway.libraries.profile import Fact
from laneway.units import exact_size

_SEVERAL = 2
"""Lanes of a node that are enough for the built-in rules."""

UNKNOWN = "unknown"
"""The binding, or the cores, of which nobody knows anything."""

CORES = ("each", "shared")
"""How processes of a node share cores, as rules ask for it."""


@dataclass(frozen=True)
class AskedCall:
    """A call on a communicator of some shape, and the profiles that are asked."""

    collective: str
    bytes: int
    nodes: int
    ppn: int
    lanes: int
    """Lanes of a node; 0: as the settings say."""
    binding: str | None
    """How processes share lanes; None: as the settings say, or the environment of a job here."""
    cores: str | None
    """How processes of a node share cores; None: as the settings say, or as they would here."""
    files: tuple[Path, ...]
    """Profiles in place of those of LANEWAY_PROFILE; empty: those."""

    @property
    def spelled(self) -> str:
        """The collective as profiles name it: bcast, bcast@lane."""
        name, at, scope = self.collective.partition("@")
        return f"{spelled(name)}{at}{scope}"

    def rule(self, build: NativeBuild) -> Fact:
        """The rule that decides, as the library says; see libraries.profile.show()."""
        environment = dict(os.environ)
        if self.files:
            environment["LANEWAY_PROFILE"] = profile.variable(self.files)
        if self.lanes:
            environment["LANEWAY_LANES"] = str(self.lanes)
        cores = self.cores or environment.get("LANEWAY_CORES") or this_machine.sharing(self.ppn)
        shape = profile.CommunicatorShape(self.nodes, self.ppn, self.lanes, self.binding, cores)
        return profile.show(build, shape, self.spelled, str(self.bytes), environment)

    def told(self, rule: Fact, build: NativeBuild) -> str:
        """The algorithm that serves the call, in words, and by which rule."""
        known = rule.get("binding", UNKNOWN)
        binding = "" if known == UNKNOWN else f", binding {known}"
        cores = f", cores {rule['cores']}" if self.nodes == 1 else ""
        shape = f"{self.nodes} x {self.ppn}{binding}{cores}"
        call = f"{self.spelled} of {exact_size(self.bytes)} bytes on {shape}"
        if not rule["rule"]:
            return f"{call}: native, no rule fits{self._with_lanes(build)}"
        return f"{call}: {served(rule)}\nby {rule['rule']}{self._by_rows(rule)}"

    def _by_rows(self, rule: Fact) -> str:
        """A line about what decides on blocks where a rule cannot ask for bytes."""
        if self.spelled not in OF_UNKNOWN_BYTES:
            return ""
        whole, straight = (rule["tunables"].get(name, 0) for name in ("whole", "straight"))
        said = [
            *([f"up to {exact_size(whole)} go by one lane"] if whole else []),
            *([f"from {exact_size(straight)} on go straight"] if straight else []),
        ]
        if not said:
            return "\na rule for all sizes"
        return f"\na rule for all sizes; blocks of one node for another: {', '.join(said)}"

    def _with_lanes(self, build: NativeBuild) -> str:
        """A line about the built-in rule for nodes with lanes, where nobody has named any lanes."""
        if (
            self.lanes
            or "LANEWAY_LANES" in os.environ
            or os.environ.get("LANEWAY_DEFAULT") == "off"
        ):
            return ""
        several = profile.CommunicatorShape(self.nodes, self.ppn, _SEVERAL)
        rule = profile.built_in(build, several, self.spelled, self.bytes)
        if not rule["rule"]:
            return ""
        return f"\non nodes with {_SEVERAL} lanes or more: {served(rule)}; say --lanes N"

    def table(self, rule: Fact) -> Table:
        """The rule as the one line of a table."""
        return rules_table([{"collective": self.spelled, "where": {}, **rule}])


def rules_table(rules: Sequence[Fact]) -> Table:
    """A table of rules: collective, conditions and algorithm."""
    table = Table(box=None, pad_edge=False)
    for heading in ("rule", "collective", "where", "served by"):
        table.add_column(heading, overflow="fold")
    for rule in rules:
        words = (
            _from_here(rule["rule"]),
            rule["collective"],
            conditions(rule["where"]),
            served(rule) + inferred(rule),
        )
        table.add_row(*map(escape, words), style="dim" if "hidden_by" in rule else None)
    return table


def _from_here(origin: str) -> str:
    """The origin FILE:LINE, its file relative to this folder where it lies below."""
    path = Path(origin)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else origin


def conditions(where: Mapping[str, Any]) -> str:
    """The conditions of a rule as profiles spell them."""

    def shown(value: Any) -> str:
        if isinstance(value, str):
            return value
        least, most = value
        return f"{least}" if least == most else f"{least}..{'' if most is None else most}"

    return " ".join(f"{name}={shown(value)}" for name, value in where.items()) or "always"


def inferred(rule: Fact) -> str:
    """Words behind an algorithm: the origin of a rule for which only published times speak."""
    if "inferred" not in rule:
        return ""
    return f"; inferred from times of {rule['inferred']}" if rule["inferred"] else "; inferred"


def served(choice: Fact) -> str:
    """An algorithm with its tunables and components, in words."""
    tunables = ", ".join(f"{name}={value}" for name, value in choice["tunables"].items())
    components = " ".join(
        f"{name}={served(chosen)}" for name, chosen in choice.get("components", {}).items()
    )
    return (
        str(choice["algorithm"])
        + (f"({tunables})" if tunables else "")
        + (f" with {components}" if components else "")
    )


def asked_call(command: Command) -> Command:
    """Adds COLLECTIVE, its bytes, and the shape of a communicator: the command gets `asked`."""

    @functools.wraps(command)
    def wrapper(
        *,
        collective: str,
        size: int,
        nodes: int,
        ppn: int,
        lanes: int | None,
        binding: str | None,
        cores: str | None,
        files: tuple[Path, ...],
        **options: Any,
    ) -> Any:
        asked = AskedCall(collective, size, nodes, ppn, lanes or 0, binding, cores, files)
        return command(asked=asked, **options)

    for option in reversed(
        (
            click.argument("collective", shell_complete=completing.components),
            click.option(
                "--bytes",
                "size",
                type=Bytes(least=0),
                default="0",
                metavar="SIZE",
                help="Bytes of the call: 512, 64K, 2M; of a block, where there is one a rank.",
            ),
            click.option(
                "--nodes", type=click.IntRange(1), required=True, help="Nodes of the communicator."
            ),
            click.option("--ppn", type=click.IntRange(1), required=True, help="Processes a node."),
            click.option(
                "--lanes", type=click.IntRange(1), help="Network lanes.  [default: as set]"
            ),
            click.option(
                "--binding",
                type=click.Choice(BINDINGS),
                help="How processes share lanes.  [default: as set, or as variables here say]",
            ),
            click.option(
                "--cores",
                type=click.Choice(CORES),
                help="How processes of a node share cores.  [default: as set, or as they would "
                "on this machine]",
            ),
            click.option(
                "--profile",
                "files",
                multiple=True,
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="These profiles instead of those of LANEWAY_PROFILE; repeatable.",
            ),
        )
    ):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]
