# SPDX-License-Identifier: BSD-3-Clause
"""The contents of a machine file: tables, their keys, their values, and which go together.

`machine` reads files by these types. A field is named like its key; its alias is the option of
laneway-simulate, or a fact for people.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from laneway import units
from laneway.errors import WrongFileError
from laneway.modelling.floor import BITS
from laneway.modelling.lane_weights import LaneWeights
from laneway.simulation.machine_limits import (
    LEAST_RATE,
    LONGEST,
    MOST_LANES,
    MOST_LINKS,
    MOST_NODES,
    MOST_RATE,
    weights_of_lanes,
)

_TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_RATES = {
    prefix + unit + "/s": 1000.0**power / bits
    for power, prefix in enumerate(("", "k", "M", "G", "T"))
    for unit, bits in (("B", 1), ("bit", BITS))
}

# ---- values --------------------------------------------------------------------------------------


def _number(value: Any, units: Mapping[str, float], example: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(\S+)", str(value).strip())
    if not isinstance(value, str) or not found or found[2] not in units:
        raise ValueError(f'{value!r} is not of the form "{example}"; units: {", ".join(units)}')
    return float(found[1]) * units[found[2]]


def _time(value: Any) -> float:
    time = _number(value, _TIMES, "2 us")
    if time > LONGEST:
        raise ValueError(f"{value!r} is more than an hour: is the unit right?")
    return time


def _rate(value: Any) -> float:
    rate = _number(value, _RATES, "12.5 GB/s")
    if rate == 0:
        raise ValueError("nothing would ever arrive; what is left out takes no time")
    if not LEAST_RATE <= rate <= MOST_RATE:
        raise ValueError(f"{value!r} is not from 1 kB/s to 1000 TB/s: is the unit right?")
    return rate


def _bytes(value: Any) -> int:
    return units.parse_size(str(value))


def _up_to(most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise ValueError(f"{value!r} is no number from 1 to {most}")
        return value

    return read


def _one_of(*words: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in words:
            raise ValueError(f"{value!r} is neither " + " nor ".join(f'"{word}"' for word in words))
        return str(value)

    return read


def _delays(value: Any) -> tuple[tuple[int, float], ...]:
    points = []
    for point in value if isinstance(value, list) else [value]:
        if not isinstance(point, list) or len(point) != 2:
            raise ValueError(f'{point!r} is not of the form ["4 KiB", "2 us"]')
        points.append((_bytes(point[0]), _time(point[1])))
    sizes = [size for size, _ in points]
    if not points or sorted({*sizes}) != sizes:
        raise ValueError("its messages do not get longer one by one")
    return tuple(points)


def _weights(value: Any) -> str:
    """The weights of a list, or of a text where some nodes have others."""
    if isinstance(value, str):
        return weights_of_lanes(value)
    if not isinstance(value, list) or not all(type(each) is int for each in value):
        raise ValueError(f"{value!r} has no number for each lane")
    return weights_of_lanes(":".join(map(str, value)))


def _shape(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{value!r} is no list of the nodes of each dimension, as [4, 3, 2]")
    shape = tuple(map(_up_to(MOST_NODES), value))
    if math.prod(shape) > MOST_NODES:
        raise ValueError(f"{math.prod(shape)} nodes are more than {MOST_NODES}")
    return shape


Seconds = Annotated[float, BeforeValidator(_time)]
BytesASecond = Annotated[float, BeforeValidator(_rate)]
ByteCount = Annotated[int, BeforeValidator(_bytes)]
Lanes = Annotated[int, BeforeValidator(_up_to(MOST_LANES))]
Weights = Annotated[str, BeforeValidator(_weights)]
Nodes = Annotated[int, BeforeValidator(_up_to(MOST_NODES))]
Delays = Annotated[tuple[tuple[int, float], ...], BeforeValidator(_delays)]
"""Delays in seconds, by bytes."""
TorusNodes = Annotated[tuple[int, ...], BeforeValidator(_shape)]
Sharing = Annotated[str, BeforeValidator(_one_of("fifo", "fair"))]
LeavesBy = Annotated[str, BeforeValidator(_one_of("sender", "receiver"))]
Topology = Annotated[str, BeforeValidator(_one_of("flat", "torus", "fat_tree"))]

# ---- tables --------------------------------------------------------------------------------------


def _option(name: str, key: str | None = None) -> Any:
    """A value that may be left out; `key` where the field cannot have the key's name."""
    return Field(None, validation_alias=key, serialization_alias=name)


def _misfit(key: str, reason: str, table: str | None = None) -> PydanticCustomError:
    """An error for a key, of this table or another one, that does not fit the rest."""
    told = {"reason": reason, "key": key, "table": table}
    return PydanticCustomError("misfit", "{reason}", told)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LanesTable(_Table):
    """`[lanes]`: the lanes between the nodes."""

    number: Lanes | None = _option("lanes")
    weights: Weights | None = _option("lane-weights")
    bandwidth: BytesASecond | None = _option("lane-bandwidth")
    latency: Seconds | None = _option("lane-latency")
    message: Seconds | None = _option("lane-message")
    delays: Delays | None = _option("lane-delays")
    burst: ByteCount | None = _option("lane-burst")
    sharing: Sharing | None = _option("sharing")
    leaves_by: LeavesBy | None = _option("leaves-by")
    eager: ByteCount | None = _option("lane-eager")
    handshake: Seconds | None = _option("lane-handshake")

    @model_validator(mode="after")
    def _burst_ends(self) -> Self:
        if self.burst and self.bandwidth and self.burst / self.bandwidth > LONGEST:
            raise _misfit("burst", "[lanes]: 'burst' takes a lane more than an hour")
        return self

    @model_validator(mode="after")
    def _weights_are_of_lanes(self) -> Self:
        if self.weights and LaneWeights.parse(self.weights).lanes != (self.number or 1):
            raise _misfit("weights", "[lanes]: 'weights' has a number for each of its 'number'")
        return self


class NetworkTable(_Table):
    """`[network]`: the links between the lanes, where there are any."""

    topology: Topology | None = _option("topology")
    shape: TorusNodes | None = _option("shape")
    leaf: Nodes | None = _option("leaf")
    up: Nodes | None = _option("up")
    bandwidth: BytesASecond | None = _option("link-bandwidth")
    latency: Seconds | None = _option("hop-latency")

    @property
    def kind(self) -> str:
        """The topology: flat, unless another one is given."""
        return self.topology or "flat"

    @model_validator(mode="after")
    def _keys_of_the_topology(self) -> Self:
        for own, keys in _OF_TOPOLOGY.items():
            for key in keys:
                told = key in self.model_fields_set
                if own == self.kind and not told:
                    raise _misfit("topology", f"[network]: \"{own}\" needs the key '{key}'")
                if own != self.kind and told:
                    reason = f'[network]: \'{key}\' is a key of "{own}", not of "{self.kind}"'
                    raise _misfit(key, reason)
        return self

    @model_validator(mode="after")
    def _no_links_in_a_flat_one(self) -> Self:
        for key in ("bandwidth", "latency"):
            if self.kind == "flat" and key in self.model_fields_set:
                reason = f"[network]: there are no links in a \"flat\" network: no '{key}'"
                raise _misfit(key, reason)
        return self

    def links(self, nodes: int) -> int:
        """The number of links, both directions of each; of a fat tree, for so many nodes."""
        if self.shape:
            return 2 * math.prod(self.shape) * len(self.shape)
        return 2 * -(-nodes // self.leaf) * self.up if self.leaf and self.up else 0


_OF_TOPOLOGY = {"torus": ("shape",), "fat_tree": ("leaf", "up")}
"""Keys of [network] that one topology needs and no other knows."""


class NodeTable(_Table):
    """`[node]`: how many there are, and messages within one."""

    number: Nodes | None = _option("nodes")
    processes: Nodes | None = _option("processes")
    bandwidth: BytesASecond | None = _option("node-bandwidth")
    latency: Seconds | None = _option("node-latency")
    socket_latency: Seconds | None = _option("socket-latency")
    # Models have a method of the name `copy`.
    copy_: BytesASecond | None = _option("node-copy", "copy")
    fragment: ByteCount | None = _option("node-fragment")
    pack: BytesASecond | None = _option("node-pack")
    eager: ByteCount | None = _option("node-eager")
    handshake: Seconds | None = _option("node-handshake")


class CachedTable(_Table):
    """`[cached]`: rates for data that fit into a process's part of the caches."""

    size: ByteCount | None = _option("cache-size")
    node_bandwidth: BytesASecond | None = _option("cached-node-bandwidth")
    node_copy: BytesASecond | None = _option("cached-node-copy")
    node_pack: BytesASecond | None = _option("cached-node-pack")
    reduce: BytesASecond | None = _option("cached-reduce")
    copy_: BytesASecond | None = _option("cached-copy", "copy")
    pack: BytesASecond | None = _option("cached-pack")


class ProcessTable(_Table):
    """`[process]`: the work that a process does itself."""

    send: Seconds | None = _option("send")
    receive: Seconds | None = _option("receive")
    reduce: BytesASecond | None = _option("reduce")
    copy_: BytesASecond | None = _option("copy", "copy")
    pack: BytesASecond | None = _option("pack")
    eager: ByteCount | None = _option("eager")


def _residuals_of(name: str, table: type[_Table]) -> BeforeValidator:
    """How far times are from the fit of a table's numbers, relative, by their keys."""

    def read(value: Any) -> dict[str, float]:
        if not isinstance(value, dict):
            raise _misfit(name, f"{name}: {value!r} is no table: write [fit.{name}]", "fit")
        for key, off in value.items():
            if key not in _keys_of(table):
                raise _misfit(key, f"[{name}] has no number '{key}' to be fitted", f"fit.{name}")
            if isinstance(off, bool) or not isinstance(off, int | float) or off < 0:
                reason = f"{key}: {off!r} is no residual, such as 0.03 for 3%"
                raise _misfit(key, reason, f"fit.{name}")
        return {key: float(off) for key, off in value.items()}

    return BeforeValidator(read)


LanesResiduals = Annotated[dict[str, float], _residuals_of("lanes", LanesTable)]
NodeResiduals = Annotated[dict[str, float], _residuals_of("node", NodeTable)]
ProcessResiduals = Annotated[dict[str, float], _residuals_of("process", ProcessTable)]


class FitTable(_Table):
    """`[fit]`: residuals, and the nodes and processes a node with which the numbers were found."""

    nodes: Nodes | None = None
    processes: Nodes | None = None
    lanes: LanesResiduals = {}
    node: NodeResiduals = {}
    process: ProcessResiduals = {}


class MachineFile(_Table):
    """The whole file."""

    name: str | None = None
    lanes: LanesTable = LanesTable()
    network: NetworkTable = NetworkTable()
    node: NodeTable = NodeTable()
    cached: CachedTable = CachedTable()
    process: ProcessTable = ProcessTable()
    fit: FitTable = FitTable()

    @model_validator(mode="after")
    def _network_fits(self) -> Self:
        network = self.network
        if network.kind == "flat":
            return self
        if self.lanes.burst is not None:
            reason = "[lanes]: there are no bursts where there is a [network]"
            raise _misfit("burst", reason, "lanes")
        if self.lanes.weights is not None:
            reason = "[lanes]: all are alike where there is a [network]"
            raise _misfit("weights", reason, "lanes")
        if self.lanes.bandwidth is None:
            reason = "[network]: links need lanes with a [lanes] bandwidth at their ends"
            raise _misfit("topology", reason, "network")
        if (links := network.links(self.node.number or 1)) > MOST_LINKS:
            key = "shape" if network.shape else "up"
            raise _misfit(key, f"[network]: {links} links are more than {MOST_LINKS}", "network")
        return self

    def options(self) -> dict[str, str]:
        """The values that the file has, by option."""
        told = self.model_dump(by_alias=True, exclude_unset=True, exclude=_ABOUT)
        return {name: _spelled(value) for table in told.values() for name, value in table.items()}

    def takes_time(self) -> bool:
        """Whether anything takes time on such a machine."""
        told = self.model_dump(exclude_unset=True, exclude=_ABOUT)
        values = (value for table in told.values() for value in table.values())
        return self.lanes.delays is not None or any(isinstance(value, float) for value in values)


_ABOUT = {"name", "fit"}
"""Keys that describe the machine, and that the simulation does not ask for."""


def _spelled(value: Any) -> str:
    """A value as laneway-simulate reads it: times in seconds, rates in bytes a second."""
    match value:
        case float():
            return f"{value:.17g}"
        case ((_, _), *_):
            return ",".join(f"{size}={time:.17g}" for size, time in value)
        case tuple():
            return "x".join(map(str, value))
    return str(value)


# ---- files ---------------------------------------------------------------------------------------


def read(text: str, origin: str) -> MachineFile:
    """The contents of a file named `origin`. Raises WrongFileError for the first thing wrong."""
    try:
        found = MachineFile.model_validate(_tables(text, origin))
    except ValidationError as error:
        wrong = [_located(each, text, origin) for each in error.errors()]
        raise min(wrong, key=lambda each: each.line or 0) from error
    if not found.takes_time():
        raise WrongFileError(
            origin,
            None,
            "no time and no rate is told, so nothing would take any time: write, say, "
            '[lanes] with bandwidth = "12.5 GB/s" and latency = "1.5 us" (docs/simulation.md)',
        )
    return found


def _tables(text: str, origin: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(found[1]) if found else len(text.splitlines())
        raise WrongFileError(origin, line, re.sub(r" *[(]at .*", "", str(error))) from error


def _located(error: Any, text: str, origin: str) -> WrongFileError:
    """An error of pydantic's, with its line and in words."""
    told = error.get("ctx", {})
    table, key = (*error["loc"], None, None)[:2]
    if error["type"] == "misfit":
        table, key = told["table"] or table, told["key"]
    line = _line(text, str(table)) if key is None else _line(text, str(key), str(table))
    return WrongFileError(origin, line, _complaint(error, table, key))


def _complaint(error: Any, table: Any, key: Any) -> str:
    match error["type"]:
        case "misfit":
            return str(error["msg"])
        case "extra_forbidden" if key is None:
            tables = (f"[{each}]" for each in MachineFile.model_fields if each != "name")
            return f"nothing here is called '{table}'; known: name, {', '.join(tables)}"
        case "extra_forbidden":
            return f"[{table}] has no key '{key}'; known: {', '.join(_keys(table))}"
        case "model_type":
            return f"'{table}' has keys of its own: write [{table}], and these below"
        case "string_type":
            return f'{table}: {error["input"]!r} is no text, as "mine"'
    return f"{key}: {str(error['msg']).removeprefix('Value error, ')}"


def _keys(table: str) -> list[str]:
    model: Any = MachineFile.model_fields[table].annotation
    return _keys_of(model)


def _keys_of(model: type[BaseModel]) -> list[str]:
    return [str(field.validation_alias or name) for name, field in model.model_fields.items()]


def _line(text: str, key: str, table: str | None = None) -> int:
    """The number of the line on which a key stands, of a table or at the top.

    Where the key has no line of its own, it is the table's line, else the first one.
    """
    current: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if heading := re.match(r"\s*\[+\s*([\w.-]+)", line):
            current = heading[1]
            if current == (key if table is None else f"{table}.{key}"):
                return number
        elif current == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return 1 if table is None else _line(text, table)
