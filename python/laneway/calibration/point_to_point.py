# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of lanes from messages of two processes, where `laneway calibrate` did not measure.

There are two patterns: ping-pong, as in OSU's and IMB's benchmarks, and the lane pattern (Träff and
Hunold 2020, Section 2). In that one, k processes of a node share what it sends. Neither tells work
of processes from latency: what is not known from elsewhere is called latency. Both patterns are of
messages between nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median

from laneway.calibration import lane_pattern
from laneway.calibration.lane_pattern import Known, LaneTime
from laneway.calibration.parameters import Parameters, ParameterValue, eager
from laneway.calibration.regression import LinearFit, TimesBySize, sizes_in_words, with_jumps
from laneway.errors import Problem
from laneway.rows import Row
from laneway.units import size as in_units

PING_PONG = "pingpong"
LANE_PATTERN = "lane-pattern"


def of_rows(rows: Iterable[Row], known: Known | None = None) -> Parameters:
    """The lanes that rows show; `known` is what the lane pattern does not show.

    Raises Problem where there is neither of the patterns, or what is known is of no use.
    """
    pings: dict[int, list[float]] = defaultdict(list)
    exchanges: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["kind"] == "sample" and row["collective"] == PING_PONG:
            pings[row["bytes"]].append(row["time_us"])
        elif row["kind"] == "probe" and row["probe"] == LANE_PATTERN:
            one = row["time_us"] / row["inner_repetitions"]
            exchanges[row["virtual_lanes"]][row["bytes"]].append(one)
    if exchanges:
        return by_lane_pattern(exchanges, known or Known())
    if known is not None:
        raise Problem(
            "nothing has to be known besides these rows: they are not of the lane pattern"
        )
    if pings:
        return by_ping_pong(pings)
    raise Problem(
        "no messages between nodes among these rows: machines are fitted to those of "
        "`laneway calibrate`, of the probe lane-pattern, or of ping-pong"
    )


def by_ping_pong(times: TimesBySize) -> Parameters:
    """The parameters by half round trips in microseconds, by bytes: of one lane in any case."""
    _enough(times)
    fit = with_jumps(_medians(times))
    return Parameters(
        1,
        _figures(fit, f"{PING_PONG}, {sizes_in_words(times)}"),
        None,
        ("Two processes show one lane: `number` is not measured, nor is anything of a node.",),
    )


def by_lane_pattern(times: Mapping[int, TimesBySize], known: Known) -> Parameters:
    """The parameters by exchanges in microseconds, by k and the bytes of a node.

    The number of lanes is the factor by which one process is outdone at the most bytes.
    """
    if 1 not in times:
        raise Problem("the lane pattern with one process a node was not measured: nothing to go by")
    single = times[1]
    _enough(single)
    most = max(single)
    alone = median(single[most])
    speedups = {k: alone / median(own[most]) for k, own in sorted(times.items()) if most in own}
    lanes = max(1, round(max(speedups.values())))
    told = ", ".join(f"k = {k}: {speedup:.2f}" for k, speedup in speedups.items())
    points = [
        LaneTime(k, size / k, median(own))
        for k, each in times.items()
        for size, own in each.items()
    ]
    found = lane_pattern.fitted(points, lanes, known)
    source = f"{LANE_PATTERN}, {sizes_in_words(single)}"
    alone_on = f"{source}, k up to {lanes}"
    figures = {
        "bandwidth": ParameterValue(1 / found.rate, f"{source}: the most, with any k"),
        "latency": ParameterValue(
            found.latency_us,
            f"{alone_on}: the shortest message, less work and the lane's time for it; "
            "its residual is the largest, with delays",
            found.residual,
        ),
    }
    return Parameters(
        lanes,
        {("lanes", key): figure for key, figure in figures.items() if figure.value > 0},
        None,
        (f"lane pattern, {in_units(most)} a node, times as fast as k = 1: {told}",),
        found.delays,
    )


def _figures(fit: LinearFit, source: str) -> dict[tuple[str, str], ParameterValue]:
    found = {
        "bandwidth": ParameterValue(fit.byte, f"{source}: slope", fit.residual),
        "latency": ParameterValue(fit.start, f"{source}: of 0 B, with the work of both processes"),
        **eager(fit, source, fit.start),
    }
    return {("lanes", key): figure for key, figure in found.items() if figure.value > 0}


def _medians(times: TimesBySize) -> dict[int, list[float]]:
    return {size: [median(own)] for size, own in times.items()}


def _enough(times: TimesBySize) -> None:
    if len(times) < 2:
        raise Problem("messages of two sizes at least: fewer do not tell latency from bandwidth")
