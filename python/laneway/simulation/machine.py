# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of machines: files in TOML, some of which come with Laneway."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from laneway import units
from laneway.errors import Misuse
from laneway.files import users_folder
from laneway.modelling.floor import BITS, Wire

OWN = Path(__file__).parent / "machines"
"""Those that come with Laneway."""

MOST_LANES = 1024
MOST_NODES = 2**24
MOST_LINKS = 2**26
"""Between lanes, both directions of each."""
LONGEST = 3600.0
"""Seconds that anything may take."""
LEAST_RATE, MOST_RATE = 1e3, 1e15
"""Bytes a second."""
_TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_RATES = {
    prefix + unit + "/s": 1000.0**power / bits
    for power, prefix in enumerate(("", "k", "M", "G", "T"))
    for unit, bits in (("B", 1), ("bit", BITS))
}


@dataclass(frozen=True)
class Machine:
    """A machine as the simulation sees it."""

    name: str
    lanes: int
    values: Mapping[str, str]
    """Options of laneway-simulate."""
    nodes: int | None = None
    """As many as the machine has."""
    processes: int | None = None
    """Of a node, as jobs usually have them: one a core, or what the source of its figures had."""

    @property
    def options(self) -> dict[str, str]:
        """What laneway-simulate is told of it."""
        return {"lanes": str(self.lanes), **self.values}

    def with_lanes(self, lanes: int | None) -> Machine:
        """The same with another number of lanes; None: as many as it has."""
        return self if lanes is None else replace(self, lanes=lanes)

    def with_shape(self, shape: str | None) -> Machine:
        """The same torus of another shape, as 4x3x2; None: as it is. Raises Misuse for no torus."""
        if shape is None:
            return self
        if self.values.get("topology") != "torus":
            raise Misuse(f"--shape: the machine {self.name} is no torus")
        return replace(self, values={**self.values, "shape": shape})

    def seconds(self, option: str) -> float:
        """A time by its option; 0 where it takes none."""
        return float(self.values.get(option, 0))

    def rate(self, option: str) -> float | None:
        """Bytes a second by their option; None where they take no time."""
        return float(self.values[option]) if option in self.values else None

    def cluster(self) -> dict[str, Any] | None:
        """Its lanes as rows describe them, for the floor; None where they are infinitely fast."""
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
        }

    @property
    def wire(self) -> Wire | None:
        """Its lanes."""
        return Wire.of(self.cluster())


def folder() -> Path:
    """Where `laneway calibrate` puts the machines of this user."""
    return users_folder() / "machines"


def own_names() -> list[str]:
    """The machines that come with Laneway."""
    return sorted(file.stem for file in OWN.glob("*.toml"))


def names() -> list[str]:
    """The machines that can be named: those that come with Laneway, and this user's."""
    return sorted({*own_names(), *(file.stem for file in folder().glob("*.toml"))})


def file_of(name: str) -> Path:
    """The file of a machine of that name, or of that file. Raises Misuse where there is none."""
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
    """The machine of a name, or of a file. Raises Misuse that names file, line and reason."""
    return parse(text_of(name), str(file_of(name)))


def located(message: str, name: str) -> tuple[str, int, str]:
    """File, line and reason of what was wrong with the machine of a name."""
    found = re.match(r"(?P<file>.+?):(?P<line>\d+): (?P<reason>.*)", message, re.DOTALL)
    return (found["file"], int(found["line"]), found["reason"]) if found else (name, 1, message)


def parse(text: str, origin: str) -> Machine:
    """The machine that a text describes. Raises Misuse as `load` does."""
    name, values = _read(text, origin)
    if wrong := _misfit(values):
        table, key, reason = wrong
        raise Misuse(f"{origin}:{_line(text, key, table)}: {reason}")
    if not values.keys() & _TAKES_TIME:
        raise Misuse(
            f"{origin}: no time and no rate is told, so nothing would take any time: write, say, "
            '[lanes] with bandwidth = "12.5 GB/s" and latency = "1.5 us" (docs/simulation.md)'
        )
    facts = {fact: int(values.pop(fact)) for fact in ("nodes", "processes") if fact in values}
    return Machine(name, int(values.pop("lanes", "1")), values, **facts)


def _tables(text: str, origin: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        where = f"{origin}:{found[1]}" if found else f"{origin}:{len(text.splitlines())}"
        raise Misuse(f"{where}: {re.sub(r' *[(]at .*', '', str(error))}") from error


def _read(text: str, origin: str) -> tuple[str, dict[str, str]]:
    """Name and values by option. Raises Misuse."""
    name = origin
    values: dict[str, str] = {}
    for table, entries in _tables(text, origin).items():
        if table == "name":
            if not isinstance(entries, str):
                where = f"{origin}:{_line(text, table)}"
                raise Misuse(f'{where}: name: {entries!r} is no text, as "mine"')
            name = entries
            continue
        known = _KEYS.get(table)
        if known is not None and not isinstance(entries, dict):
            where = f"{origin}:{_line(text, table)}"
            raise Misuse(
                f"{where}: '{table}' has keys of its own: write [{table}], and these below"
            )
        if known is None:
            raise Misuse(
                f"{origin}:{_line(text, table)}: nothing here is called '{table}'; known: name, "
                + ", ".join(f"[{each}]" for each in _KEYS)
            )
        for key, value in entries.items():
            where = f"{origin}:{_line(text, key, table)}"
            if key not in known:
                raise Misuse(f"{where}: [{table}] has no key '{key}'; known: {', '.join(known)}")
            option, read = known[key]
            try:
                values[option] = read(value)
            except ValueError as error:
                raise Misuse(f"{where}: {key}: {error}") from error
    return name, values


def _misfit(values: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Table and key of what does not fit the others, and why; None: all do."""
    if "lane-burst" in values:
        if values.get("topology", "flat") != "flat":
            return "lanes", "burst", "[lanes]: there are no bursts where there is a [network]"
        rate = float(values.get("lane-bandwidth", "inf"))
        if int(values["lane-burst"]) / rate > LONGEST:
            return "lanes", "burst", "[lanes]: 'burst' takes a lane more than an hour"
    if wrong := _misfit_of_network(values):
        return "network", *wrong
    return None


def _misfit_of_network(values: Mapping[str, str]) -> tuple[str, str] | None:
    topology = values.get("topology", "flat")
    for own, keys in _OF_TOPOLOGY.items():
        for key, option in keys.items():
            if own == topology and option not in values:
                return "topology", f"[network]: \"{topology}\" needs the key '{key}'"
            if own != topology and option in values:
                return key, f'[network]: \'{key}\' is a key of "{own}", not of "{topology}"'
    if topology == "flat":
        for key, option in (("bandwidth", "link-bandwidth"), ("latency", "hop-latency")):
            if option in values:
                return key, f"[network]: there are no links in a \"flat\" network: no '{key}'"
    elif "lane-bandwidth" not in values:
        return "topology", "[network]: links need lanes with a [lanes] bandwidth at their ends"
    elif (links := _links(values)) > MOST_LINKS:
        key = "shape" if topology == "torus" else "up"
        return key, f"[network]: {links} links are more than {MOST_LINKS}"
    return None


def _links(values: Mapping[str, str]) -> int:
    """Of a network, both directions of each; of a fat tree, for the nodes that are told."""
    if values["topology"] == "torus":
        sizes = [int(size) for size in values["shape"].split("x")]
        return 2 * math.prod(sizes) * len(sizes)
    leaves = -(-int(values.get("nodes", 1)) // int(values["leaf"]))
    return 2 * leaves * int(values["up"])


def _line(text: str, key: str, table: str | None = None) -> int:
    """The number of the line on which a key stands, of a table or at the top."""
    current: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if heading := re.match(r"\s*\[+\s*([\w.-]+)", line):
            current = heading[1]
            if table is None and current == key:
                return number
        elif current == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return 1


def _number(value: Any, units: Mapping[str, float], example: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(\S+)", str(value).strip())
    if not isinstance(value, str) or not found or found[2] not in units:
        raise ValueError(f'{value!r} is not of the form "{example}"; units: {", ".join(units)}')
    return float(found[1]) * units[found[2]]


def _time(value: Any) -> str:
    time = _number(value, _TIMES, "2 us")
    if time > LONGEST:
        raise ValueError(f"{value!r} is more than an hour: is the unit right?")
    return f"{time:.17g}"


def _rate(value: Any) -> str:
    rate = _number(value, _RATES, "12.5 GB/s")
    if rate == 0:
        raise ValueError("nothing would ever arrive; what is left out takes no time")
    if not LEAST_RATE <= rate <= MOST_RATE:
        raise ValueError(f"{value!r} is not from 1 kB/s to 1000 TB/s: is the unit right?")
    return f"{rate:.17g}"


def _lanes(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_LANES:
        raise ValueError(f"{value!r} is no number from 1 to {MOST_LANES}")
    return str(value)


def _one_of(*words: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in words:
            raise ValueError(f"{value!r} is neither " + " nor ".join(f'"{word}"' for word in words))
        return str(value)

    return read


def _delays(value: Any) -> str:
    points = []
    for point in value if isinstance(value, list) else [value]:
        if not isinstance(point, list) or len(point) != 2:
            raise ValueError(f'{point!r} is not of the form ["4 KiB", "2 us"]')
        points.append((int(_bytes(point[0])), _time(point[1])))
    sizes = [size for size, _ in points]
    if not points or sorted({*sizes}) != sizes:
        raise ValueError("its messages do not get longer one by one")
    return ",".join(f"{size}={time}" for size, time in points)


def _count(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_NODES:
        raise ValueError(f"{value!r} is no number from 1 to {MOST_NODES}")
    return str(value)


def _shape(value: Any) -> str:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{value!r} is no list of the nodes of each dimension, as [4, 3, 2]")
    sizes = [_count(size) for size in value]
    if math.prod(value) > MOST_NODES:
        raise ValueError(f"{math.prod(value)} nodes are more than {MOST_NODES}")
    return "x".join(sizes)


def _bytes(value: Any) -> str:
    return str(units.parse_size(str(value)))


_KEYS: dict[str, dict[str, tuple[str, Callable[[Any], str]]]] = {
    "lanes": {
        "number": ("lanes", _lanes),
        "bandwidth": ("lane-bandwidth", _rate),
        "latency": ("lane-latency", _time),
        "message": ("lane-message", _time),
        "delays": ("lane-delays", _delays),
        "burst": ("lane-burst", _bytes),
        "sharing": ("sharing", _one_of("fifo", "fair")),
        "leaves_by": ("leaves-by", _one_of("sender", "receiver")),
        "eager": ("lane-eager", _bytes),
        "handshake": ("lane-handshake", _time),
    },
    "network": {
        "topology": ("topology", _one_of("flat", "torus", "fat_tree")),
        "shape": ("shape", _shape),
        "leaf": ("leaf", _count),
        "up": ("up", _count),
        "bandwidth": ("link-bandwidth", _rate),
        "latency": ("hop-latency", _time),
    },
    "node": {
        "number": ("nodes", _count),
        "processes": ("processes", _count),
        "bandwidth": ("node-bandwidth", _rate),
        "latency": ("node-latency", _time),
        "copy": ("node-copy", _rate),
        "fragment": ("node-fragment", _bytes),
        "pack": ("node-pack", _rate),
        "eager": ("node-eager", _bytes),
        "handshake": ("node-handshake", _time),
    },
    "cached": {
        "size": ("cache-size", _bytes),
        "node_bandwidth": ("cached-node-bandwidth", _rate),
        "node_copy": ("cached-node-copy", _rate),
        "node_pack": ("cached-node-pack", _rate),
        "reduce": ("cached-reduce", _rate),
        "copy": ("cached-copy", _rate),
        "pack": ("cached-pack", _rate),
    },
    "process": {
        "send": ("send", _time),
        "receive": ("receive", _time),
        "reduce": ("reduce", _rate),
        "copy": ("copy", _rate),
        "pack": ("pack", _rate),
        "eager": ("eager", _bytes),
    },
}
"""By table and key: the option of laneway-simulate, or a fact for people, and how it is read."""

_TAKES_TIME = {
    option
    for keys in _KEYS.values()
    for option, read in keys.values()
    if read in (_time, _rate, _delays)
}
"""The options by which a machine takes time at all."""

_OF_TOPOLOGY = {"torus": {"shape": "shape"}, "fat_tree": {"leaf": "leaf", "up": "up"}}
"""Keys of [network] that one topology needs and no other knows, and their options."""
