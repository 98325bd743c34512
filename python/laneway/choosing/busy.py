# SPDX-License-Identifier: BSD-3-Clause
"""Whether something kept a machine busy while it was measured: more runs help little then."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from laneway.results.measurements import Measured
from laneway.rows import NATIVE, Row
from laneway.units import ratio

LOADED = 0.25
"""Load of others at the beginning, as a part of the cores, above which it is told."""

UNSTEADY = 2.0
"""Median over least time, above which medians tell more of the scheduler than the algorithm."""


def signs(measured: Measured) -> list[str]:
    """Signs that the machine was busy, a few words each."""
    return [*_of_machine(measured.of_kind("campaign")), *_of_times(measured)]


def sentence(measured: Measured) -> str:
    """These signs as a sentence; empty where there are none."""
    found = signs(measured)
    return f"The machine was busy: {'; '.join(found)}." if found else ""


def _of_machine(campaigns: list[Row]) -> Iterator[str]:
    """Signs by load and ranks; of several campaigns the least load, as later ones see earlier."""
    if not campaigns:
        return
    load, cores = min((row.get("load") or 0.0, row["machine"]["cores"]) for row in campaigns)
    if load > LOADED * cores:
        yield f"other processes were at work when it began (load {load:g} on {cores} cores)"
    # On an emulated cluster that is so by design, and lanes are slower than that.
    if any(row.get("oversubscribed") and not row["cluster"] for row in campaigns):
        yield f"there were more ranks than cores ({cores})"


def _of_times(measured: Measured) -> Iterator[str]:
    """How far the library's own medians are from its least times."""
    own = [each for each in measured.summaries if each.key.algorithm == NATIVE and each.min_us > 0]
    times = median(each.median_us / each.min_us for each in own) if own else 1.0
    if times > UNSTEADY:
        yield f"native's median is {ratio(times)} times its least time"
