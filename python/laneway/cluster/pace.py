# SPDX-License-Identifier: BSD-3-Clause
"""The options that say how fast the lanes of a cluster are, wherever one is made."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import click

from laneway.cluster.spec import (
    SLOW_MOTION,
    ClusterSpec,
    SpecError,
    format_rate,
    format_rates,
    format_time,
    parse_rate,
    parse_rates,
    parse_time,
    rates_in_words,
    slow_motion,
)

Command = TypeVar("Command", bound=Callable[..., Any])

Pace = Mapping[str, Any]
"""Fields of a ClusterSpec that were asked for: of rate, lane_rates, latency, gap and slower."""

Rates = Sequence[Sequence[int]]
"""Bits a second of each lane of each node, [node][lane]."""

_TOLD: dict[str, Callable[[Any], str]] = {
    "rate": format_rate,
    "lane_rates": format_rates,
    "latency": format_time,
    "gap": format_time,
    "slower": str,
}


def asked(
    *,
    rate: str | None = None,
    lane_rates: str | None = None,
    latency: str | None = None,
    gap: str | None = None,
    slower: int | None = None,
    preset: bool = False,
) -> Pace:
    """The pace that the options ask for; explicit options win over the preset of slow motion.

    Raises SpecError for what is no rate or no time.
    """
    given = {
        "rate": None if rate is None else parse_rate(rate),
        "lane_rates": None if lane_rates is None else parse_rates(lane_rates),
        "latency": None if latency is None else parse_time(latency),
        "gap": None if gap is None else parse_time(gap),
        "slower": slower,
    }
    pace = slow_motion(SLOW_MOTION if slower is None else slower) if preset else {}
    return {**pace, **{name: value for name, value in given.items() if value is not None}}


def mismatch(spec: ClusterSpec, pace: Pace, now: Rates = ()) -> str | None:
    """Why a cluster is not what was asked for; None where it is.

    `now` are the rates of its lanes, [node][lane], where they may have been changed.
    """
    of_each = tuple(pace.get("lane_rates") or ())
    for name, value in pace.items():
        is_said_below = bool(of_each if name == "rate" else now and name == "lane_rates")
        if getattr(spec, name) != value and not is_said_below:
            told = _TOLD[name]
            is_ = told(getattr(spec, name))
            return f"cluster {spec.name!r} has {name} {is_}, not {told(value)}"
    asked = of_each or ((pace["rate"],) * spec.lanes if "rate" in pace else ())
    return rates_mismatch(spec, now or (spec.rates,), (asked,)) if asked else None


def rates_mismatch(spec: ClusterSpec, now: Rates, asked: Rates) -> str | None:
    """Why the lanes' rates are not those asked for, [node][lane], where one row may be of all."""
    if {*now} == {*asked} and (len(asked) == 1 or tuple(now) == tuple(asked)):
        return None
    has, wanted = rates_in_words(now), rates_in_words(asked)
    return f"cluster {spec.name!r} has lanes of {has}, not {wanted}"


def options(spec: Pace) -> Iterator[str]:
    """The options that ask for lanes as fast as those of `spec`, to the bit."""
    usual = ClusterSpec().to_json()
    spec = {**spec, "lane_rates": tuple(spec.get("lane_rates", ()))}  # JSON knows no tuples
    told = {name: spec[name] for name in _TOLD if spec.get(name, usual[name]) != usual[name]}
    if told.get("slower", 1) > 1 and told == slow_motion(told["slower"]):
        yield "--slow-motion"
        told = {} if told["slower"] == SLOW_MOTION else {"slower": told["slower"]}
    for name, value in told.items():
        yield from (f"--{name.replace('_', '-')}", _exactly(name, value))


def _exactly(name: str, value: Any) -> str:
    if name == "lane_rates":
        return ",".join(_exactly("rate", rate) for rate in value)
    told = _TOLD[name](value)
    unit, read = {"rate": ("bit", parse_rate)}.get(name, ("ns", parse_time))
    return told if name == "slower" or read(told) == value else f"{value}{unit}"


def paced(command: Command) -> Command:
    """Adds the options that say how fast lanes are: the command gets them as `pace`."""

    @functools.wraps(command)
    def wrapper(
        *,
        rate: str | None,
        lane_rates: str | None,
        latency: str | None,
        gap: str | None,
        slower: int | None,
        preset: bool,
        **options: Any,
    ) -> Any:
        try:
            pace = asked(
                rate=rate,
                lane_rates=lane_rates,
                latency=latency,
                gap=gap,
                slower=slower,
                preset=preset,
            )
        except SpecError as error:
            raise click.UsageError(str(error)) from error
        return command(pace=pace, **options)

    for option in reversed(_OPTIONS):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]


_OPTIONS = (
    click.option(
        "--rate",
        metavar="RATE",
        help="Rate of each emulated lane, in each direction: 100mbit.  [default: 200mbit]",
    ),
    click.option(
        "--lane-rates",
        metavar="RATES",
        help="Rates of the lanes, where an emulated cluster's are not alike: 200mbit,100mbit.",
    ),
    click.option(
        "--latency",
        metavar="TIME",
        help="Latency of each emulated lane, in one direction: 1ms.  [default: 0]",
    ),
    click.option(
        "--gap",
        metavar="TIME",
        help="Least time between the starts of two frames that a lane sends, or receives: 100us.  "
        "[default: 0]",
    ),
    click.option(
        "--slower",
        type=click.IntRange(1),
        metavar="FACTOR",
        help="How many times slower all of this is than the machine it stands for.  [default: 1; "
        f"with --slow-motion {SLOW_MOTION}]",
    ),
    click.option(
        "--slow-motion",
        "preset",
        is_flag=True,
        help="A machine of 1 us, 0.1 us and 100 Gbit/s a lane, --slower times slower: latency 1ms, "
        "gap 100us, rate 100mbit. The options above win.",
    ),
)
