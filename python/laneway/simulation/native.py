# SPDX-License-Identifier: BSD-3-Clause
"""MPI libraries that are only described: native profiles, which come with Laneway or are files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from laneway.errors import Misuse
from laneway.simulation.machine import OWN as MACHINES

OWN = MACHINES / "native"
"""Those that come with Laneway."""

INFERRED = "inferred"
"""The comment of a rule that only published times speak for."""


@dataclass(frozen=True)
class Native:
    """A library, by the rules that say what serves its collectives."""

    name: str
    path: Path

    @property
    def options(self) -> dict[str, str]:
        """What laneway-simulate is told of it."""
        return {"library": str(self.path)}

    def inferred(self, rules: Iterable[str]) -> bool:
        """Whether one of these rules, which have decided (`file:line`), could only be inferred."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        numbers = (int(rule.rpartition(":")[2]) for rule in rules)
        return any(lines[number - 1].partition("#")[2].strip() == INFERRED for number in numbers)


def names() -> list[str]:
    """Those that come with Laneway."""
    return sorted(file.stem for file in OWN.glob("*.conf"))


def load(name: str) -> Native:
    """The library of a name, or of a file. Raises Misuse where there is none."""
    if name in names():
        return Native(name, OWN / f"{name}.conf")
    path = Path(name)
    if path.suffix == ".conf" and path.is_file():
        return Native(path.stem, path)
    raise Misuse(
        f"no native profile '{name}'; known: {', '.join(names())}, or a file such as mine.conf"
    )
