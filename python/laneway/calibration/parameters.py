# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of the simulation that a machine's times of patterns show.

The model is LogGP with several lanes (docs/simulation.md). In it, o is the work of a process with a
message, g that of a lane. L is the latency, G the time of a byte, and c the number of processes on
the busiest lane. The patterns take in it:

    between  2 (2 o + g + L + c G m)
    inside   the same time within a node
    burst    the greater of g and o for a message more
    fan      o for a message more

A message of `fan` has four works: at both sides, there and back. Where a node has fewer processors
than these, it takes them in turn: four o over its processors. A message of more than `eager` bytes
takes `handshake` more. Sources: Alexandrov, Ionescu, Schauser and Scheiman, LogGP, 1995; Culler et
al., "Assessing fast network interfaces", IEEE Micro 16(1), 1996, for the patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from statistics import median

from laneway.calibration.patterns import WINDOW, Patterns
from laneway.calibration.regression import (
    LinearFit,
    TimesBySize,
    beyond_burst,
    line,
    sizes_in_words,
    with_jumps,
)
from laneway.units import size as in_units

FILLED = 0.9
"""A lane, or a node, is full at this share of the most that any number of processes carries."""

BANDWIDTH = ("lanes", "bandwidth")

WORKS = 4
"""Works of a message of `fan`: it is sent and received, and so is its answer."""

HIGHEST = 4.0
"""A handshake on the lanes takes at most so many times what 0 bytes take: a round trip is 2.

Anything more is a time of bytes, which would be missing from the bandwidth.
"""


@dataclass(frozen=True)
class ParameterValue:
    """A parameter: microseconds, bytes, or microseconds a byte."""

    value: float
    source: str
    """Pattern, sizes and fit, in a line."""
    residual: float | None = None
    """How far times are from the fit, relative; None: the fit tells other numbers, too."""


@dataclass(frozen=True)
class Parameters:
    """A machine as measured, by the table and key of a machine file; None: nothing to be seen."""

    lanes: int
    figures: Mapping[tuple[str, str], ParameterValue]
    by_receiver: bool | None
    """Whether messages leave by their receiver's lane; None: unknown."""
    remarks: tuple[str, ...]
    """Facts that there is no parameter for."""
    delays: Mapping[int, float] = field(default_factory=dict)
    """Microseconds that a message waits besides, by its bytes."""
    weights: tuple[int, ...] = ()
    """Weights of lanes that are not alike."""

    def weighed(self, weights: tuple[int, ...]) -> Parameters:
        """These parameters where lanes have weights.

        The bandwidth was that of the slowest lane, and is that of the fastest now.
        """
        bandwidth = self.figures.get(BANDWIDTH)
        if not bandwidth or not min(weights):
            return self
        source = f"{bandwidth.source}; it is the slowest lane's, and the fastest has more"
        byte = bandwidth.value * min(weights) / max(weights)
        fastest = replace(bandwidth, value=byte, source=source)
        return replace(self, weights=weights, figures={**self.figures, BANDWIDTH: fastest})


def fitted(patterns: Patterns) -> Parameters:
    """The parameters of the machine on which patterns were measured."""
    work = _work_of_a_message(patterns)
    found = {} if work is None else {("process", "send"): work, ("process", "receive"): work}
    own = work.value if work else 0.0
    found |= _of_lanes(patterns, own) | _of_node(patterns, own)
    for key in ("reduce", "copy", "pack"):
        times = patterns.of(key)
        if times and (fit := line(times)).byte > 0:
            source = f"{key}, all processes at once, {sizes_in_words(times)}: slope"
            found["process", key] = ParameterValue(fit.byte, source, fit.residual)
    shape = patterns.shape
    remarks = (
        *_filling(patterns, "between", "lanes", lambda k: k / shape.on_a_lane(k)),
        *_filling(patterns, "inside", "a node", lambda _: 1.0),
    )
    return Parameters(shape.lanes, found, _leaves_by_receiver(patterns), remarks)


def _leaves_by_receiver(patterns: Patterns) -> bool | None:
    """Whether all lanes carry what one process sends to one on each lane of another node."""
    lanes = patterns.shape.lanes
    one, several = patterns.of("cross", 1), patterns.of("cross", lanes)
    if lanes == 1 or not one or not several:
        return None
    size = max(one)
    return min(several[size]) < (1 + lanes) / 2 * min(one[size])  # disturbances only add


def _of_lanes(patterns: Patterns, work: float) -> dict[tuple[str, str], ParameterValue]:
    """The parameters between nodes; `work` is o."""
    shape = patterns.shape
    alone = max(k for k in patterns.numbers("between") if shape.on_a_lane(k) == 1)
    there = _halved(patterns.of("between", alone))
    burst = beyond_burst(there)
    fit = with_jumps(there, lambda size: max(0, size - burst), HIGHEST)
    gap = _gap(patterns)
    latency = max(0.0, fit.start - gap.value - 2 * work)
    source = f"between, {alone} at once, {sizes_in_words(there)}"
    figures = {
        "bandwidth": ParameterValue(fit.byte, f"{source}: slope", fit.residual),
        "latency": ParameterValue(latency, f"{source}: half of it at 0 B, less 2 o and g"),
        "message": gap,
        "burst": ParameterValue(burst, f"{source}: bytes that take no time, by the criterion"),
        **eager(fit, source, latency),
    }
    return {("lanes", key): figure for key, figure in figures.items() if figure.value > 0}


def _of_node(patterns: Patterns, work: float) -> dict[tuple[str, str], ParameterValue]:
    """The parameters within nodes; `work` is o."""
    times = _halved(patterns.of("inside"))
    if not times:
        return {}
    pairs = max(patterns.numbers("inside"))
    fit = with_jumps(times)
    latency = max(0.0, fit.start - 2 * work)
    source = f"inside, {pairs} at once, {sizes_in_words(times)}"
    figures = {
        "bandwidth": ParameterValue(fit.byte / pairs, f"{source}: slope", fit.residual),
        "latency": ParameterValue(latency, f"{source}: half of it at 0 B, less 2 o"),
        **eager(fit, source, latency),
    }
    return {("node", key): figure for key, figure in figures.items() if figure.value > 0}


def _work_of_a_message(patterns: Patterns) -> ParameterValue | None:
    """o, for sending as for receiving: they overlap in every pattern but at its ends."""
    fan = _by_number(patterns, "fan")
    if len(fan) < 2:
        return None
    fit = line(fan)
    size = in_units(_least(patterns, "fan"))
    told = f"fan, 1 to {max(fan)} messages of {size}: one more"
    in_turn = WORKS / patterns.shape.processors
    if in_turn > 1:
        told += f"; {in_turn:.3g} works a processor"
    if fit.byte <= 0:
        return None
    return ParameterValue(fit.byte / max(1.0, in_turn), told, fit.residual)


def _gap(patterns: Patterns) -> ParameterValue:
    """g: what one message more in a row takes, where only one process of a node sends.

    With more of them the processors would set it, which many ranks may share, and not the lane.
    """
    single, row = patterns.of("between", 1), patterns.of("burst", 1)
    if not single or not row:
        return ParameterValue(0, "")
    least = min(row)
    gap = max(0.0, median(row[least]) - median(single[least])) / (WINDOW - 1)
    return ParameterValue(
        gap, f"burst, 1 at once, {in_units(least)}: of {WINDOW} in a row, one more"
    )


def eager(fit: LinearFit, source: str, latency: float) -> dict[str, ParameterValue]:
    """The longest message that is sent at once, and what longer ones take more: the highest jump.

    A jump of less than a latency is no handshake.
    """
    highest = max(fit.jumps, key=lambda jump: jump.time, default=None)
    if highest is None or highest.time <= latency:
        return {}
    return {
        "eager": ParameterValue(highest.size, f"{source}: longer ones take more, by the criterion"),
        "handshake": ParameterValue(
            highest.time, f"{source}: so much; two latencies: {2 * latency:.4g} us"
        ),
    }


def _filling(
    patterns: Patterns, pattern: str, what: str, used: Callable[[int], float]
) -> list[str]:
    """How many processes at once fill lanes or a node; `used` are the lanes that k of them use."""
    rates = {}
    for k in patterns.numbers(pattern):
        times = _halved(patterns.of(pattern, k))
        largest = max(times)
        rates[k] = k * largest / median(times[largest]) / used(k)
    if not rates:
        return []
    enough = min(k for k, rate in rates.items() if rate >= FILLED * max(rates.values()))
    told = ", ".join(f"{k}: {rate:.4g} MB/s" for k, rate in rates.items())
    return [f"{pattern}, {in_units(largest)}, of each of {what} by k at once: {told}; k = {enough}"]


def _by_number(patterns: Patterns, pattern: str) -> TimesBySize:
    """Times of the pattern's shortest messages, by how many there are."""
    numbers = patterns.numbers(pattern)
    return {k: patterns.of(pattern, k)[_least(patterns, pattern)] for k in numbers}


def _least(patterns: Patterns, pattern: str) -> int:
    return min(patterns.of(pattern))


def _halved(times: TimesBySize) -> dict[int, list[float]]:
    return {size: [time / 2 for time in own] for size, own in times.items()}
