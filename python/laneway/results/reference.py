# SPDX-License-Identifier: BSD-3-Clause
"""Published times of collectives, to lay beside measured ones. The figures come with an extra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from laneway import extras
from laneway.errors import Misuse
from laneway.rows import NATIVE
from laneway.units import shape_in_words


@dataclass(frozen=True)
class Published:
    """A published time of a collective."""

    source: str
    """Who published it."""
    system: str
    """Machine and MPI library."""
    nodes: int
    ppn: int
    collective: str
    algorithm: str
    bytes: int
    """Bytes counted as in rows: of the message, or of the block of a rank."""
    time_us: float
    """The average, or what the source calls the time."""
    ratio_to_native: float | None = None

    @property
    def name(self) -> str:
        """The machine in a word, by which it is chosen: hydra, vsc-3, jupiter, fugaku, juqueen."""
        return self.system.split(",")[0].lower()

    @property
    def place(self) -> str:
        """Where it was measured, and who says so."""
        return f"{self.system}, {shape_in_words(self.nodes, self.ppn)} ({self.source})"

    def line(self) -> dict[str, Any]:
        """A line of a figure's table."""
        return {"place": self.place, **asdict(self)}


def load(name: str = "all") -> list[Published]:
    """The published times of collectives on a machine, or on all; Misuse for an unknown one."""
    chosen = [each for each in _with_ratios(_every()) if name in ("all", each.name)]
    if not chosen:
        known = ", ".join(names())
        raise Misuse(f"--reference: no published figures of '{name}'; known: all, {known}")
    return chosen


def names() -> list[str]:
    """The machines."""
    return [*dict.fromkeys(each.name for each in _every())]


def _every() -> list[Published]:
    return [*extras.load("published", "--reference")()]


def _with_ratios(published: Sequence[Published]) -> list[Published]:
    """The times, with native's over each one's, where the source has both."""
    natives = {_case(each): each.time_us for each in published if each.algorithm == NATIVE}
    return [
        replace(
            each,
            ratio_to_native=natives[_case(each)] / each.time_us
            if _case(each) in natives and each.time_us > 0
            else None,
        )
        for each in published
    ]


def _case(one: Published) -> tuple[Any, ...]:
    return one.place, one.collective, one.bytes
