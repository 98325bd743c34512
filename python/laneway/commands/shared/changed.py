# SPDX-License-Identifier: BSD-3-Clause
"""How two measurements differ, as a table and in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich import box
from rich.markup import escape
from rich.table import Table

from laneway.guideline import Terms
from laneway.results.changes import Changed, Changes
from laneway.results.measurements import Measured
from laneway.showing.figures.names import KeyNames, shape_name
from laneway.units import counted, microseconds, ratio, size

COLOURS = {"SLOWER": "red", "FASTER": "green", "NO SLOWER": "default", "UNDECIDED": "yellow"}

LESS = ("q", "interval", "runs")
"""Columns that a narrow terminal goes without, from the first one on."""


def table(found: Changes) -> Table:
    """A line for each case."""
    cases = found.cases
    names = KeyNames([each.key for each in cases])
    places = {shape_name(each.key) for each in cases}
    libraries = {each.key.library for each in cases}
    listing = Table(title="New against old", title_justify="left", box=box.SIMPLE_HEAD,
                    pad_edge=False, padding=(0, 1, 0, 0))  # fmt: skip
    apart = [
        *(["library"] if len(libraries) > 1 else ()),
        *(["where"] if len(places) > 1 else ()),
    ]
    for heading in (*apart, "operation"):
        listing.add_column(heading, no_wrap=True)
    listing.add_column("bytes", justify="right", no_wrap=True)
    listing.add_column("algorithm", no_wrap=True)
    for heading in ("old us", "new us", "ratio", "interval", "q", "runs"):
        listing.add_column(heading, justify="right", no_wrap=True)
    listing.add_column("verdict", no_wrap=True)
    for each in cases:
        own = each.difference
        told = {"library": each.key.library, "where": shape_name(each.key)}
        interval = f"{ratio(own.low)} to {ratio(own.high)} ({own.confidence:.0%})"
        listing.add_row(
            *(escape(told[name]) for name in apart),
            escape(names.operation(each.key)),
            size(each.key.bytes),
            escape(names.curve(each.key)),
            microseconds(each.old_us),
            microseconds(each.new_us),
            ratio(own.ratio),
            interval if own.confidence else "-",
            f"{_q(each):.2g}",
            f"{each.old_runs}, {each.new_runs}",
            f"[{COLOURS[own.change]}]{own.change}[/]",
        )
    return listing


def _q(each: Changed) -> float:
    own = each.difference
    by_change = {"FASTER": own.q_faster, "NO SLOWER": own.q_no_slower}
    return by_change.get(own.change, own.q_slower)


def closing(found: Changes, sides: Sequence[tuple[Path, Measured]], terms: Terms) -> Iterator[str]:
    """The differences in sentences, and what they cannot show."""
    (old, _), (new, _) = sides
    before, after = (f"{path} ({', '.join(own.libraries)})" for path, own in sides)
    yield f"Old: {before}; new: {after}."
    for change, word, extreme in (("SLOWER", "slower", max), ("FASTER", "faster", min)):
        some = [each for each in found.cases if each.difference.change == change]
        if some:
            most = extreme(some, key=lambda each: each.difference.ratio)
            own = most.difference
            yield (
                f"{new} is {word} than {old} in {len(some)} of {counted(len(found.cases), 'case')}"
                f", most in {most.key.collective} of {size(most.key.bytes)}: it takes "
                f"{ratio(own.ratio)} times as long ({ratio(own.low)} to {ratio(own.high)})."
            )
    as_fast = sum(each.difference.change == "NO SLOWER" for each in found.cases)
    if as_fast:
        yield f"{new} is not slower by {terms.margin:.0%} in {counted(as_fast, 'case')}."
    reasons = dict.fromkeys(each.difference.reason for each in found.cases)
    for reason in filter(None, reasons):
        number = sum(each.difference.reason == reason for each in found.cases)
        yield f"{counted(number, 'case')} undecided: {reason}."
    for number, where in ((found.only_old, old), (found.only_new, new)):
        if number:
            yield f"{counted(number, 'case')} left out: only {where} has them."
    for key, why in found.wrong.items():
        yield f"{key.collective} of {size(key.bytes)} by {key.algorithm} on {new}: {why}."
    if found.without_time:
        yield f"{counted(found.without_time, 'case')} left out: a time is zero."
    if found.cases:
        yield (
            "Runs of different jobs are no pairs: whatever else has changed between them, other "
            "nodes or another load, is in the difference."
        )


def seeing(sources: Sequence[Path]) -> str:
    """The command that shows both measurements."""
    return f"to see both: {shlex.join(['laneway', 'report', *map(str, sources)])}"
