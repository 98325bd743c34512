# SPDX-License-Identifier: BSD-3-Clause
"""Latency models as lines of tables and as plots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from laneway.calibration.latency_cases import Fitted
from laneway.rows import Row
from laneway.showing.diagram import Curve, Plot
from laneway.units import size

SHOWN = 5
"""Sizes with curves in a plot, at most."""


def lines(fitted: Fitted) -> Iterator[Row]:
    """A line for each coefficient, as the study prints them."""
    for each in fitted.model.coefficients:
        yield {
            **fitted.facts,
            "term": str(each.term),
            "estimate": each.estimate,
            "std. error": each.error,
            "t": each.t,
            "R2 adjusted": fitted.model.r_squared,
            "residual": fitted.model.residual,
        }


def predictions(fitted: Fitted, processes: Sequence[int], sizes: Sequence[int]) -> list[Row]:
    """Predictions for these processes and sizes; of one not given, for all that were observed."""
    if not processes and not sizes:
        return []
    seen = fitted.model.observations
    return [
        asdict(fitted.model.predict(p, m))
        for p in processes or sorted({one.p for one in seen})
        for m in sizes or sorted({one.m for one in seen})
    ]


def plot(fitted: Fitted, names: Iterable[str]) -> Plot:
    """Times as marks, the model as lines with the interval round them: over p, or else over m."""
    observed = fitted.model.observations
    title = ", ".join(str(fitted.facts[name]) for name in names if fitted.facts.get(name))
    sizes = sorted({one.m for one in observed})
    if len({one.p for one in observed}) == 1:
        p = observed[0].p
        predicted = [fitted.model.predict(p, m) for m in sizes if m]
        marks = [(one.m, one.time_us) for one in observed if one.m]
        band = [(each.m, each.low_us, each.high_us) for each in predicted]
        line = [(each.m, each.time_us) for each in predicted]
        return Plot(title, "bytes", "us", _curves(f"{p} processes", marks, line, band), True, True)
    shown = sizes[:: math.ceil(len(sizes) / SHOWN)]
    curves: list[Curve] = []
    ps = sorted({one.p for one in observed})
    for m in shown:
        predicted = [fitted.model.predict(p, m) for p in ps]
        curves += _curves(
            size(m),
            [(one.p, one.time_us) for one in observed if one.m == m],
            [(each.p, each.time_us) for each in predicted],
            [(each.p, each.low_us, each.high_us) for each in predicted],
        )
    return Plot(title, "processes", "us", curves, log_y=len(shown) > 1)


def _curves(
    label: str,
    marks: Sequence[tuple[float, float]],
    line: Sequence[tuple[float, float]],
    band: Sequence[tuple[float, float, float]],
) -> list[Curve]:
    return [
        Curve(label, marks, of=label, line=False),
        Curve(f"{label}, model", line, of=label, markers=False, band=band),
    ]
