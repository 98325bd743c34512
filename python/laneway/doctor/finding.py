# SPDX-License-Identifier: BSD-3-Clause
"""The finding of a check, and the files that most checks read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any


class Status(StrEnum):
    """The meaning of a finding for a measurement."""

    GOOD = "good"
    NOTE = "note"
    """Nothing is wrong, but it is good to know."""
    UNKNOWN = "unknown"
    """The machine does not say."""
    WARNING = "warning"
    """Figures will be noisier, or mean something else than they seem to."""
    BAD = "bad"
    """Figures will mislead, or nothing can be measured."""


@dataclass(frozen=True)
class Finding:
    """The result of a check."""

    check: str
    status: Status
    found: str
    advice: str = ""
    """The remedy; empty where nothing is to be done."""

    def to_json(self) -> dict[str, Any]:
        """The line of `--json`."""
        return asdict(self)


@dataclass(frozen=True)
class Files:
    """The files in which the kernel describes the machine, below a root folder."""

    root: Path = Path("/")

    def text(self, path: str) -> str | None:
        """The contents of a file without blanks at the ends; None where it cannot be read."""
        try:
            return (self.root / path).read_text(errors="replace").strip()
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        """The number in a file; None where there is none."""
        try:
            return int(self.text(path) or "")
        except ValueError:
            return None

    def matching(self, pattern: str) -> Iterator[str]:
        """The paths below the root that match a pattern, in order."""
        return (str(path.relative_to(self.root)) for path in sorted(self.root.glob(pattern)))

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        return (self.root / path).exists()


def numbers_of(text: str) -> list[int]:
    """The numbers of a list such as 0-3,8: as the kernel writes sets of processors."""
    found: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found
