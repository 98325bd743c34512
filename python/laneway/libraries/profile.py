# SPDX-License-Identifier: BSD-3-Clause
"""Profiles as the library reads them: its own parser, in the program ``laneway-profile``."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from laneway import helpers
from laneway.errors import Misuse, Problem
from laneway.libraries import registry
from laneway.libraries.native import NativeBuild, building

Fact = dict[str, Any]
"""A line of ``laneway-profile``: a rule, or what is wrong, under ``error``."""


@dataclass(frozen=True)
class CommunicatorShape:
    """The shape of a communicator. `lanes` 0, no `binding`, no `cores`: as the settings say."""

    nodes: int
    ppn: int
    lanes: int = 0
    binding: str | None = None
    cores: str | None = None
    """`each` process has a core of its own, or they are `shared`."""
    ranks: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranks", self.nodes * self.ppn)

    def words(self) -> list[str]:
        """The words for ``laneway-profile show``."""
        return [str(n) for n in (self.ranks, self.nodes, self.ppn, self.ppn, self.lanes)]

    def variables(self) -> dict[str, str]:
        """The variables that say what `words()` do not."""
        return {"LANEWAY_CORES": self.cores} if self.cores else {}


def check(build: NativeBuild, files: Sequence[Path]) -> list[Fact]:
    """Every rule of profiles, and everything that is wrong with them."""
    return ask(build, ["check", *map(str, files)], os.environ)


def show(
    build: NativeBuild,
    shape: CommunicatorShape,
    collective: str,
    size: str,
    environment: Mapping[str, str],
) -> Fact:
    """The rule that decides on a collective of `size` bytes (64K ...), by the settings.

    Its key ``rule`` is empty where there is none; ``binding`` and ``cores`` are those that count.
    Raises Problem for damaged settings, Misuse for a collective or size that is none.
    """
    binding = [shape.binding] if shape.binding else []
    words = ["show", *shape.words(), collective, size, *binding]
    fact, *_ = ask(build, words, {**environment, **shape.variables()})
    if "error" in fact:
        raise Misuse(str(fact["error"]))
    return fact


def built_in(build: NativeBuild, shape: CommunicatorShape, collective: str, size: int) -> Fact:
    """The rule that decides by what Laneway brings alone: where nobody has tuned or predicted.

    Raises as show().
    """
    nowhere = {"XDG_CONFIG_HOME": os.devnull, "LANEWAY_PROFILE_DIR": "", "LANEWAY_PROFILE": ""}
    settings = {
        **{name: text for name, text in os.environ.items() if not name.startswith("LANEWAY")},
        **nowhere,
        **({"LANEWAY_LANES": str(shape.lanes)} if shape.lanes else {}),
    }
    return show(build, shape, collective, str(size), settings)


def standing(build: NativeBuild, shape: CommunicatorShape, collective: str, size: int) -> str:
    """The label of the algorithm that serves by what Laneway brings alone; native's, too.

    Raises as built_in().
    """
    rule = built_in(build, shape, collective, size)
    name = str(rule["algorithm"])
    entry = registry.by_key(build).get((collective, name))
    return name if entry is None else entry.label(rule["tunables"])


def used(build: NativeBuild, environment: Mapping[str, str]) -> list[Fact]:
    """The profiles that hold by the settings, a fact each, and each `remark`.

    A profile is a `file` with a number of `rules`, and the date at which they were `predicted`, if
    they were. One that is for another MPI library is `left_out`, and says for which `library`.
    Where settings are damaged, the one fact is the `error`.
    """
    return ask(build, ["used"], environment)


def is_built_in(fact: Fact) -> bool:
    """Whether a profile that holds is one of those that Laneway brings."""
    return Path(fact["file"]).parent.parts[-3:] == ("share", "laneway", "profiles")


def must_all_be_understood(build: NativeBuild, environment: Mapping[str, str]) -> None:
    """Raises Misuse unless the library understands all settings, and profiles that it finds."""
    for fact in used(build, environment):
        if "error" in fact:
            raise Misuse(fact["error"])


def must_be_understood(build: NativeBuild, settings: Mapping[str, str]) -> None:
    """Raises Misuse unless the library understands LANEWAY_ALGORITHM and LANEWAY_PROFILE."""
    asked = {
        name: settings[name]
        for name in ("LANEWAY_ALGORITHM", "LANEWAY_PROFILE")
        if name in settings
    }
    try:
        nothing_else = {"LANEWAY_DEFAULT": "off", "LANEWAY_PROFILE_DIR": ""}
        show(build, CommunicatorShape(1, 1), "barrier", "0", {**nothing_else, **asked})
    except Problem as error:
        raise Misuse(str(error)) from error


def variable(files: Sequence[Path]) -> str:
    """LANEWAY_PROFILE for files: ranks may start in another folder. Raises Misuse."""
    for file in files:
        if ":" in str(file.absolute()):
            raise Misuse(f"'{file}': the path of a profile cannot hold a colon")
    return ":".join(str(file.absolute()) for file in files)


def alone(files: Sequence[Path]) -> dict[str, str]:
    """The variables by which these profiles hold, above what Laneway brings, and no others.

    Calls that they leave undecided are served as for programs then. Raises Misuse.
    """
    return {
        "LANEWAY": "on",
        "LANEWAY_ADVISE": "0",
        "LANEWAY_ALGORITHM": "",
        "LANEWAY_DEFAULT": "on",
        "LANEWAY_DIVIDE_OPERATORS": "0",
        "LANEWAY_PATIENCE": "0",
        "LANEWAY_PROFILE_DIR": "",
        "LANEWAY_PROFILE": variable(files),
        "LANEWAY_REPRODUCIBLE": "0",
    }


_NOT_LOADED = 127
"""The loader's exit code: there is no MPI library."""


def ask(build: NativeBuild, words: list[str], environment: Mapping[str, str]) -> list[Fact]:
    """The answer of ``laneway-profile``. Raises Misuse, Problem."""
    with build.programs_here() as folder:
        program = folder / "laneway-profile"
        try:
            said = subprocess.run(
                [program, *words],
                env=dict(environment),
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=60,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise Problem(f"cannot run {program} ({error}): {building(build.family)}") from error
    if said.returncode == _NOT_LOADED:
        raise Problem(f"cannot run {program}: {said.stderr.strip()}")
    if said.returncode not in (0, 1):
        raise Misuse(said.stderr.strip().removeprefix("laneway-profile: "))
    return [helpers.answer(program.name, line) for line in said.stdout.splitlines()]
