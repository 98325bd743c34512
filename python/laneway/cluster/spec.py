# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a cluster: nodes, lanes, rates and addresses. Nothing here touches the system."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from laneway.units import counted, parse_seconds

Fabric = Literal["separate", "joint"]
"""A switch a lane, or one for all lanes."""
FABRICS: tuple[Fabric, ...] = get_args(Fabric)

Binding = Literal["lane", "all", "one"]
"""The lanes of its node that a rank sees: one, rank j lane j mod L; all of them; the first."""
BINDINGS: tuple[Binding, ...] = get_args(Binding)

BINDINGS_IN_WORDS: dict[str, str] = {
    "lane": "each rank on a lane of its own, in turn",
    "all": "every rank sees all lanes",
    "one": "every rank on the first lane",
}

LOGIN = "login"
"""Host name of the node that launches jobs; it has no lanes."""

MANAGEMENT = "mgmt"
"""The interface of every node on the unlimited network of the launchers' daemons."""

MANAGEMENT_NETWORK = "10.0.0.0/16"

BURST = 18 * 1024
"""Bytes that a full token bucket lets pass at once: two frames of 9000 bytes. A smaller bucket
costs throughput, a larger one lets whole messages slip past the rate."""

USUAL_RATE = 200 * 10**6
"""Bits a second of a lane, unless something else is asked."""

WINDOW = 512 * 1024
"""Bytes that one TCP connection may have under way, or twice what a lane holds in a round trip if
that is more."""

MAX_WINDOW = 2**30
"""Bytes that a connection may have under way, at most: the kernel can count no more."""

MAX_NODES = 64
MAX_LANES = 16

MAX_TIME = 10**9
"""Latency and gap at most, in nanoseconds: a second."""

FULL_SPEED = {"latency": 1000, "gap": 100, "rate": 100 * 10**9}
"""A lane of the machines that a cluster in slow motion stands for, were it not slowed: 1 us,
0.1 us, 100 Gbit/s."""

SLOW_MOTION = 1000
"""How many times slower than that a cluster in slow motion is unless something else is asked."""

_TIME_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
_RATE_UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")


MADE_FOR_IT = "own-"
"""The beginning of the name of a cluster that a command made for itself, and took down."""


class SpecError(ValueError):
    """A cluster that can't be described."""


def check_rate(rate: int) -> None:
    """Raise SpecError for a rate that no lane can have."""
    if not 10**6 <= rate <= 32 * 10**9:
        raise SpecError(f"rate {format_rate(rate)}: expected 1mbit to 32gbit")


def parse_rate(text: str) -> int:
    """Bits a second of `200mbit`, `1gbit`, `1.5gbit`; decimal prefixes, as `tc` reads them."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?bit)", text.strip().lower())
    if not match:
        raise SpecError(f"rate {text!r}: expected a number with kbit, mbit or gbit, as in 200mbit")
    return round(float(match[1]) * _RATE_UNITS[match[2]])


def format_rate(bits: float) -> str:
    """The inverse of parse_rate, to three significant digits."""
    for unit in ("gbit", "mbit", "kbit"):
        number = f"{bits / _RATE_UNITS[unit]:.3g}"
        if bits >= _RATE_UNITS[unit] and "e" not in number:
            return number + unit
    return f"{bits:.0f}bit"


def parse_time(text: str) -> int:
    """Nanoseconds of `1ms`, `100us`, `1.5us`, `0`.

    Elsewhere a number alone is of seconds; of a lane nobody means that.
    """
    try:
        seconds = parse_seconds(text)
    except ValueError:
        seconds = math.inf
    if not math.isfinite(seconds) or (seconds and text.strip()[-1] in "0123456789."):
        raise SpecError(f"time {text!r}: expected a number with ns, us, ms or s, as in 1.5ms, or 0")
    return round(seconds * _TIME_UNITS["s"])


def parse_rates(text: str) -> tuple[int, ...]:
    """Bits a second of each lane: `200mbit,100mbit`."""
    return tuple(map(parse_rate, text.split(",")))


def format_rates(rates: Sequence[float]) -> str:
    """The inverse of parse_rates."""
    return ",".join(map(format_rate, rates))


def rates_in_words(rates: Sequence[Sequence[int]]) -> str:
    """Rates of lanes, [node][lane], in words: `200mbit, on node1 200mbit and 20mbit`."""

    def told(own: Sequence[int]) -> str:
        return " and ".join(map(format_rate, own if len({*own}) > 1 else own[:1]))

    usual = Counter(map(tuple, rates)).most_common(1)[0][0]
    others = (f", on node{node} {told(own)}" for node, own in enumerate(rates) if own != usual)
    return told(usual) + "".join(others)


def format_time(nanoseconds: float) -> str:
    """The inverse of parse_time, to four significant digits."""
    for unit in ("s", "ms", "us"):
        if nanoseconds >= _TIME_UNITS[unit]:
            return f"{nanoseconds / _TIME_UNITS[unit]:.4g}{unit}"
    return f"{nanoseconds:.4g}ns" if nanoseconds else "0"


def slow_motion(slower: int = SLOW_MOTION) -> dict[str, int]:
    """Latency, gap and rate of a lane that is so many times slower than at full speed."""
    if slower < 1:
        raise SpecError(f"slower {slower}: expected a factor from 1 on")
    times = {name: FULL_SPEED[name] * slower for name in ("latency", "gap")}
    return {**times, "rate": round(FULL_SPEED["rate"] / slower), "slower": slower}


class Paced:
    """Facts that follow from the rate, the latency, the gap and the factor of lanes."""

    rate: int
    latency: int
    gap: int
    slower: int

    @property
    def mean_rate(self) -> float:
        """Bits a second of a lane, on average."""
        return self.rate

    @property
    def timed(self) -> bool:
        """Whether its lanes have a latency or a gap, which a switch of ours keeps."""
        return self.latency > 0 or self.gap > 0

    @property
    def pace(self) -> str:
        """Latency, gap and factor in words; empty where there are none."""
        told = []
        if self.timed:
            told += [f"latency {format_time(self.latency)}", f"gap {format_time(self.gap)}"]
        if self.slower > 1:
            told.append(f"{self.slower} times slower")
        return ", ".join(told)

    @property
    def axes(self) -> dict[str, float]:
        """Conditions that a time measured here must share with those it is compared with."""
        told: dict[str, float] = {}
        if self.timed:
            told |= {"latency_us": self.latency / 1000, "gap_us": self.gap / 1000}
        if self.timed or self.mean_rate != USUAL_RATE:
            told["rate_mbit"] = self.mean_rate / 10**6
        if self.slower > 1:
            told["slower"] = self.slower
        return told


@dataclass(frozen=True)
class ClusterSpec(Paced):
    """A cluster as asked for.

    The fields are:

        name     distinguishes clusters that are up at the same time
        nodes    N, number of nodes
        lanes    interfaces of a node with a rate of their own
        rate     bits a second of each lane and direction
        burst    bytes of the token bucket that keeps the rate
        fabric   `separate`: a switch a lane; `joint`: one switch for all lanes
        slots    processes a node if they differ from node to node, else empty
        latency  nanoseconds of a lane in one direction
        gap      the least time between the starts of two frames that a lane sends, or receives,
                 in nanoseconds: an adapter's work for a message
        slower   the factor by which all of it is slower than the machine that it stands for;
                 1: it is not, or nobody knows
        lane_rates  bits a second of each lane where they differ, else empty; then `rate` is theirs
    """

    name: str = "default"
    nodes: int = 4
    lanes: int = 2
    rate: int = USUAL_RATE
    burst: int = BURST
    fabric: Fabric = "separate"
    slots: tuple[int, ...] = ()
    latency: int = 0
    gap: int = 0
    slower: int = 1
    lane_rates: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise SpecError(f"name {self.name!r}: letters, digits, '_', '.', '-', at most 32")
        if not 1 <= self.nodes <= MAX_NODES:
            raise SpecError(f"{self.nodes} nodes: expected 1 to {MAX_NODES}")
        if not 1 <= self.lanes <= MAX_LANES:
            raise SpecError(f"{self.lanes} lanes: expected 1 to {MAX_LANES}")
        for rate in (self.rate, *self.lane_rates):
            check_rate(rate)
        self._check_lanes_alike()
        if self.fabric not in FABRICS:
            raise SpecError(f"fabric {self.fabric!r}: expected {' or '.join(FABRICS)}")
        if self.slots and (len(self.slots) != self.nodes or min(self.slots) < 1):
            raise SpecError(f"slots {self.slots}: expected {self.nodes} numbers from 1 on")
        self._check_slowness()

    def _check_lanes_alike(self) -> None:
        if not self.lane_rates:
            return
        if len(self.lane_rates) != self.lanes:
            raise SpecError(
                f"lane rates {format_rates(self.lane_rates)}: "
                f"expected {counted(self.lanes, 'rate')}"
            )
        if self.timed:
            raise SpecError("lanes with a latency or a gap all have one rate")

    def _check_slowness(self) -> None:
        for name, time in (("latency", self.latency), ("gap", self.gap)):
            if not 0 <= time <= MAX_TIME:
                raise SpecError(f"{name} {time} ns: expected 0 to {format_time(MAX_TIME)}")
        if self.slower < 1:
            raise SpecError(f"slower {self.slower}: expected a factor from 1 on")
        if self.slower > 1 and not self.timed:
            raise SpecError(
                f"slower {self.slower} says what times stand for, and slows nothing by itself. "
                "Give the latency and the gap of the slow lanes, too, or slow motion as a preset"
            )
        if self.window > MAX_WINDOW:
            raise SpecError(
                f"{format_rate(self.rate)} with a latency of {format_time(self.latency)}: one "
                f"connection would have {self.window} bytes under way, of at most {MAX_WINDOW}"
            )

    @property
    def window(self) -> int:
        """Bytes that one TCP connection may have under way: twice what a round trip holds."""
        return max(WINDOW, 2 * self.rate * 2 * self.latency // (8 * 10**9))

    @property
    def rates(self) -> tuple[int, ...]:
        """Bits a second of each lane."""
        return self.lane_rates or (self.rate,) * self.lanes

    @property
    def mean_rate(self) -> float:
        """Bits a second of a lane, on average."""
        return sum(self.rates) / self.lanes

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names of the nodes."""
        return tuple(f"node{node}" for node in range(self.nodes))

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of a node's lane interfaces, the same on every node."""
        return tuple(f"lane{lane}" for lane in range(self.lanes))

    def address(self, node: int, lane: int) -> str:
        """IPv4 address of a lane of a node. Lane l has the network 10.(l+1).0.0/16."""
        return f"10.{lane + 1}.0.{node + 1}"

    def hardware_address(self, node: int, lane: int) -> str:
        """Ethernet address of a lane of a node; the switch reads both numbers in it."""
        return f"02:4c:57:{lane:02x}:{node >> 8:02x}:{node & 0xFF:02x}"

    def management_address(self, node: int | None) -> str:
        """IPv4 address of a node on the management network; of the login node if None."""
        return "10.0.1.1" if node is None else f"10.0.0.{node + 1}"

    def ppn(self, default: int) -> tuple[int, ...]:
        """Processes on each node: what the cluster says, else the `default` of a job."""
        return self.slots or (default,) * self.nodes

    def to_json(self) -> dict[str, Any]:
        """The fields, in plain types."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> ClusterSpec:
        """Undo to_json; what an earlier version did not write has its default."""
        rows = {name: tuple(fields.get(name, ())) for name in ("slots", "lane_rates")}
        return cls(**{**fields, **rows})

    def __str__(self) -> str:
        nodes, lanes = counted(self.nodes, "node"), counted(self.lanes, "lane")
        text = f"{nodes}, {lanes} of {format_rates(self.lane_rates or (self.rate,))}"
        text += f", {self.pace}" if self.pace else ""
        text += f", {self.fabric} fabric"
        if self.slots:
            text += f", {','.join(map(str, self.slots))} processes a node"
        return text
