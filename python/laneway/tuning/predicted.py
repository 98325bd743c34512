# SPDX-License-Identifier: BSD-3-Clause
"""Predicted profiles: rules by the simulated clock for a machine that is calibrated, not measured.

They hold where nobody has tuned: the library reads them after the profiles that Laneway brings, and
before all others (docs/tuning.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from laneway import files
from laneway.choosing.profile import of_others
from laneway.collectives import EQUAL, IN_BLOCKS, OF_UNKNOWN_BYTES, VECTORS
from laneway.files import users_folder
from laneway.libraries.profile import CommunicatorShape
from laneway.libraries.profile_header import header, named
from laneway.rows import NATIVE
from laneway.simulation.wins import KEPT, Forecast, Win
from laneway.units import microseconds, ratio
from laneway.units import size as in_words

LEAST = 4
"""Bytes of the shortest calls: an int."""

MOST = 4 << 20
"""Bytes of the longest calls: of all blocks, where there are some."""

STEPS = ((64, 2), (256, 4), (1 << 31, 16))
"""The factor between neighbouring sizes, up to so many ranks each: more ranks take longer."""

_BY_ITSELF = ("predicted", "simulated")
"""Statements that differ between predictions from the same descriptions."""


@dataclass(frozen=True)
class KeptRules:
    """The rules of an earlier profile for collectives that were not simulated again."""

    collectives: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    """Rules, and the comments above them."""

    @property
    def rules(self) -> int:
        """How many there are."""
        return sum(bool(line) and not line.startswith("#") for line in self.lines)


@dataclass(frozen=True)
class PredictedProfile:
    """The predictions for one MPI library on communicators of one shape."""

    build: str
    """The build's id, openmpi-4.1."""
    library: str
    """Name and version, as headers of profiles have them: Open MPI 4.1.4."""
    shape: CommunicatorShape
    machine: str
    """The file that describes the machine."""
    native: str
    """The native profile that says what the library does."""
    margin: float
    """Times as fast as native that a rule's algorithm must be."""
    date: str
    """The date as 2026-11-25."""
    wins: Mapping[str, Sequence[Win]]
    """The wins by collective, for all collectives that were simulated."""
    kept: KeptRules = field(default_factory=KeptRules)
    layouts: Sequence[str] = (EQUAL,)
    """Layouts of the blocks of vector collectives that were simulated."""

    @property
    def rules(self) -> int:
        """How many there are."""
        return sum(map(len, self.wins.values())) + self.kept.rules

    @property
    def path(self) -> Path:
        """The path where the library finds the profile by itself."""
        shape = self.shape
        name = f"{self.build}-{shape.nodes}x{shape.ppn}-{shape.lanes}-lanes.conf"
        return folder() / name

    def text(self) -> str:
        """The profile, sealed."""
        shape = self._conditions
        lines = [*self._head(), *self.kept.lines]
        for collective, own in self.wins.items():
            for win in own:
                lines += ["", *(f"# {reason(each, win.algorithm)}" for each in win.forecasts)]
                lines.append(f"{collective:<10} {shape}{_range(collective, win)}  "
                             f"use {win.algorithm}")  # fmt: skip
        return files.sealed("\n".join(lines) + "\n")

    def keeping(self, earlier: str) -> PredictedProfile | None:
        """The profile with the rules of an earlier one for other collectives.

        None: the earlier one is of another machine, or was predicted otherwise.
        """
        told, own = header(earlier), header("\n".join(self._head()))
        if _without(told, _BY_ITSELF) != _without(own, _BY_ITSELF):
            return None
        names = told.get("simulated", "").split()
        others = tuple(name for name in names if name not in self.wins)
        return replace(self, kept=KeptRules(others, tuple(of_others(earlier, self.wins))))

    @property
    def _conditions(self) -> str:
        return f"nodes={self.shape.nodes} ppn={self.shape.ppn} lanes={self.shape.lanes}"

    def _head(self) -> list[str]:
        """The lines before the rules."""
        simulated = " ".join((*self.kept.collectives, *self.wins))
        return [
            "laneway profile 1",
            *(f"# {line}".rstrip() for line in self._provenance()),
            f"library {self.library}",
            f"shape {self._conditions}",
            f"predicted {self.date}",
            f"machine {named(self.machine)}",
            f"native {named(self.native)}",
            f"margin {ratio(self.margin)}",
            *([f"simulated {simulated}"] if simulated else []),
            "elsewhere ignore",
            f"lanes {self.shape.lanes}",
        ]

    def _provenance(self) -> Iterator[str]:
        yield "Predicted by laneway, not measured: `laneway calibrate`, `laneway profile predict`"
        yield "write it anew unless somebody has changed it. `laneway tune` measures instead."
        yield "A rule holds where the simulated clock has an algorithm at least"
        yield f"{ratio(self.margin)} times as fast as native; it chooses that, or what would serve"
        yield f"otherwise if that takes at most {ratio(KEPT)} times as long. Or it says native,"
        yield f"where what would serve otherwise takes {ratio(KEPT)} times as long. Other"
        yield "profiles decide on all else."
        yield ""
        least, most = in_words(LEAST), in_words(MOST)
        yield f"Simulated are messages of {least} to {most} (of all blocks, where"
        yield "there are some), int; what native does, by its native profile."
        if {*self.wins} & {*VECTORS}:
            yield f"Blocks of vector collectives: {', '.join(self.layouts)}; the worst counts."
            yield "A rule that cannot ask for bytes gains that on the mean, and nowhere loses."


def _without(told: Mapping[str, str], words: Sequence[str]) -> dict[str, str]:
    return {word: value for word, value in told.items() if word not in words}


def _range(collective: str, win: Win) -> str:
    """The condition on bytes of a rule that can ask for them, after a blank."""
    for_all = collective == "barrier" or collective in OF_UNKNOWN_BYTES
    return "" if for_all else f" bytes={win.least}..{win.most}"


def reason(forecast: Forecast, algorithm: str) -> str:
    """The reason for an algorithm at a size, in the form that `laneway explain choice` reads."""
    native = microseconds(forecast.native_us)
    if algorithm == NATIVE:
        other = forecast.standing
        longer = ratio(1 / forecast.gain(other))
        return (
            f"{forecast.bytes} bytes: native is predicted to take {native} us; {other}, which "
            f"would serve, {longer} times as long"
        )
    took = microseconds(forecast.times_us[algorithm])
    gain = ratio(forecast.gain(algorithm))
    following = forecast.next_to(algorithm)
    after = f"; next {following[0]}, {ratio(following[1])} times as long" if following else ""
    return (
        f"{forecast.bytes} bytes: predicted {gain} times as fast as native ({took} us, "
        f"native {native} us){after}"
    )


def folder() -> Path:
    """The folder where the library looks for predicted profiles of this user."""
    return users_folder() / "predicted"


def sizes(collective: str, ranks: int) -> list[int]:
    """Bytes that are simulated, as conditions of rules count them, a factor of STEPS apart."""
    if collective == "barrier":
        return [0]
    step = next(step for limit, step in STEPS if ranks <= limit)
    most = MOST // ranks if collective in IN_BLOCKS else MOST
    found = []
    size = LEAST
    while size <= most:
        found.append(size)
        size *= step
    return found
