# SPDX-License-Identifier: BSD-3-Clause
"""MPI libraries that are only described: native profiles, which come with Laneway or are files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from laneway.errors import Misuse
from laneway.libraries import profile_header
from laneway.libraries.native import is_called
from laneway.rows import Row
from laneway.simulation.machine import OWN as MACHINES

OWN = MACHINES / "native"
"""The folder of native profiles that come with Laneway."""


@dataclass(frozen=True)
class Native:
    """A library, by the rules that say what serves its collectives."""

    name: str
    path: Path

    @cached_property
    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.splitlines()

    @property
    def options(self) -> dict[str, str]:
        """Options of laneway-simulate for the library of mock-ups: components are the library's."""
        return {"library": str(self.path)}

    @property
    def under_laneway(self) -> dict[str, str]:
        """Options of laneway-simulate for a library under a program: Laneway's short components."""
        return {**self.options, "short": "laneway"}

    @property
    def stand_in(self) -> str:
        """The library whose rules these are, where the library's own are unknown; else empty."""
        return profile_header.header(self._text).get("stand-in", "")

    def facts(self, rules: Iterable[str], judged: str = "") -> Row:
        """Keys of rows about the library, where these rules have decided."""
        stand_in = {"stand_in": self.stand_in} if self.stand_in else {}
        return {"native": self.name, "inferred": self.inferred(rules, judged), **stand_in}

    def inferred(self, rules: Iterable[str], judged: str = "") -> bool:
        """Whether one of these rules, which have decided (`file:line`), could only be inferred.

        Where `judged` names a machine, rules inferred from another machine's times do not count:
        for the judged one, they are predictions.
        """
        for rule in rules:
            machine = profile_header.inferred(self._lines[int(rule.rpartition(":")[2]) - 1])
            if machine is not None and (not judged or machine in ("", judged)):
                return True
        return False


def names() -> list[str]:
    """The native profiles that come with Laneway."""
    return sorted(file.stem for file in OWN.glob("*.conf"))


def of_library(library: str) -> Native | None:
    """Laneway's native profile of a library such as Open MPI 4.1.4, or None."""
    own = next((name for name in names() if is_called(library, name)), None)
    return load(own) if own else None


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
