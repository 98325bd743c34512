# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of machines: files in TOML, some of which come with Laneway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from laneway.errors import Misuse
from laneway.files import users_folder
from laneway.modelling.floor import BITS, Wire
from laneway.modelling.lane_weights import LaneWeights

OWN = Path(__file__).parent / "machines"
"""The folder of machines that come with Laneway."""


WEIGHTS = "lane-weights"
"""The option of laneway-simulate for lanes that are not alike."""


@dataclass(frozen=True)
class Machine:
    """A machine as the simulation sees it."""

    name: str
    lanes: int
    values: Mapping[str, str]
    """Options of laneway-simulate."""
    nodes: int | None = None
    """The nodes of the machine; None: unknown."""
    processes: int | None = None
    """Processes a node, as jobs usually have them: one a core, or as the source of the figures."""

    @property
    def options(self) -> dict[str, str]:
        """The options of laneway-simulate that describe the machine."""
        return {"lanes": str(self.lanes), **self.values}

    def with_lanes(self, lanes: int | None) -> Machine:
        """The machine with another number of lanes, which are alike; None: those that it has."""
        if lanes in (None, self.lanes):
            return self
        values = {name: value for name, value in self.values.items() if name != WEIGHTS}
        return replace(self, lanes=lanes, values=values)

    def with_weights(self, weights: str | None) -> Machine:
        """The machine with lanes of these weights, as 2:1; None: those that it has."""
        if weights is None:
            return self
        lanes = LaneWeights.parse(weights).lanes
        return replace(self, lanes=lanes, values={**self.values, WEIGHTS: weights})

    @property
    def weights(self) -> LaneWeights | None:
        """How much each lane carries in the time of the others; None: they are alike."""
        return LaneWeights.parse(self.values[WEIGHTS]) if WEIGHTS in self.values else None

    def with_shape(self, shape: str | None) -> Machine:
        """The torus with another shape, as 4x3x2; None: as it is. Raises Misuse for no torus."""
        if shape is None:
            return self
        if self.values.get("topology") != "torus":
            raise Misuse(f"--shape: the machine {self.name} is no torus")
        return replace(self, values={**self.values, "shape": shape})

    def seconds(self, option: str) -> float:
        """A time in seconds, by its option; 0 where there is none."""
        return float(self.values.get(option, 0))

    def rate(self, option: str) -> float | None:
        """A rate in bytes a second, by its option; None where bytes take no time."""
        return float(self.values[option]) if option in self.values else None

    def cluster(self) -> dict[str, Any] | None:
        """The lanes as rows describe them, for the floor; None where they are infinitely fast."""
        rate = self.rate("lane-bandwidth")
        if rate is None:
            return None
        burst = int(self.values.get("lane-burst", 0))
        # A floor knows either bursts or the time of a message; without the other it is lower.
        return {
            "rate": round(rate * BITS),
            "burst": burst,
            "latency": 0 if burst else int(self.seconds("lane-latency") * 1e9),
            "gap": 0 if burst else int(self.seconds("lane-message") * 1e9),
            **({"rates": _rates(self.weights, rate * BITS)} if self.weights else {}),
        }

    @property
    def wire(self) -> Wire | None:
        """The lanes; None where they are infinitely fast."""
        return Wire.of(self.cluster())


def _rates(weights: LaneWeights, fastest: float) -> list[list[int]]:
    """Bits a second of each lane, [node][lane]; of one that is taken out, hardly any.

    The last row is that of all further nodes.
    """
    further = 1 + max(map(int, weights.of_nodes), default=-1)
    return [
        [max(1, round(fastest * each / weights.most)) for each in weights.of_node(str(node))]
        for node in range(further + 1)
    ]


def folder() -> Path:
    """The folder where `laneway calibrate` puts the machines of this user."""
    return users_folder() / "machines"


def own_names() -> list[str]:
    """The machines that come with Laneway."""
    return sorted(file.stem for file in OWN.glob("*.toml"))


def names() -> list[str]:
    """The machines that can be named: those that come with Laneway, and this user's."""
    return sorted({*own_names(), *(file.stem for file in folder().glob("*.toml"))})


def file_of(name: str) -> Path:
    """The file of a machine, by its name or path. Raises Misuse where there is none."""
    path = Path(name)
    if name in names():
        return (OWN if name in own_names() else folder()) / f"{name}.toml"
    if path.suffix != ".toml" and not path.exists():
        raise Misuse(
            f"no machine '{name}'; known: {', '.join(names())}, or a file such as mine.toml"
        )
    return path


def text_of(name: str) -> str:
    """The file of a machine as it stands. Raises Misuse."""
    path = file_of(name)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{path}: cannot be read: {error}") from error


def load(name: str) -> Machine:
    """The machine of a name, or of a file. Raises Misuse; WrongFileError where a file is wrong."""
    return parse(text_of(name), str(file_of(name)))


def parse(text: str, origin: str) -> Machine:
    """The machine that a text describes. Raises WrongFileError."""
    from laneway.simulation import machine_file

    found = machine_file.read(text, origin)
    values = found.options()
    lanes = int(values.pop("lanes", "1"))
    facts = {fact: int(values.pop(fact)) for fact in ("nodes", "processes") if fact in values}
    return Machine(found.name or origin, lanes, values, **facts)
