# SPDX-License-Identifier: BSD-3-Clause
"""The numbers that a report's script draws, packed into the page."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from laneway.results.measurements import Measured
from laneway.results.reference import Published
from laneway.showing import figures
from laneway.showing.figures import FigureTable
from laneway.showing.report import said

SAMPLES_SHOWN = 250_000
"""Repetitions in a report at most; if there are more, evenly spaced ones of each run are shown."""


def collect(
    measured: Measured, points: FigureTable, ratios: FigureTable, published: Sequence[Published]
) -> tuple[dict[str, Any], str]:
    """Everything that is drawn, and a sentence about samples that are left out."""
    samples, thinned = _samples(measured)
    return {
        "algorithms": figures.native_first(point["algorithm"] for point in points),
        "focus": focus(points, ratios),
        "points": points,
        "samples": samples,
        "fastest": said.fastest(measured),
        "lanes": figures.lanes(measured),
        "carried": figures.carried(measured),
        "counters": figures.counters(measured),
        "reference": [one.line() for one in published],
    }, thinned


def focus(points: FigureTable, ratios: FigureTable) -> dict[str, Any] | None:
    """The case that is looked at first: that of the largest gain shown, or largest difference."""
    if not points:
        return None
    shown = [line for line in ratios if line["verdict"] == "VIOLATED"]
    found: Mapping[str, Any] = points[-1]
    if shown:
        found = max(shown, key=lambda line: (line["lanes"] or 0, line["low"]))  # not the control
    elif different := [line for line in ratios if line["ratio_to_native"] > 0]:
        found = max(different, key=lambda line: abs(math.log(line["ratio_to_native"])))
    return {name: found[name] for name in ("place", "operation", "bytes")}


def packed(text: str) -> str:
    """The text compressed, in characters that are safe in HTML; the browser unpacks it."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def packed_json(data: Mapping[str, Any]) -> str:
    """Plain values as JSON, packed."""
    return packed(json.dumps(data, separators=(",", ":"), allow_nan=False))


def plotly() -> str:
    """The script that draws."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - slow to import, needed only here

    return str(get_plotlyjs())


def _samples(measured: Measured) -> tuple[dict[str, dict[int, list[float]]], str]:
    """The repetitions of each case and run, and a sentence about those left out."""
    lines = figures.samples(measured)
    step = max(1, math.ceil(len(lines) / SAMPLES_SHOWN))
    cases: dict[str, dict[int, list[float]]] = {}
    for line in lines:
        if line["order"] % step == 0:
            case = "|".join(str(line[key]) for key in ("place", "operation", "curve", "bytes"))
            time = float(f"{line['time_us']:.4g}")
            cases.setdefault(case, {}).setdefault(line["run"], []).append(time)
    thinned = f"One repetition of every {step} is shown, out of {len(lines):,}." if step > 1 else ""
    return cases, thinned
