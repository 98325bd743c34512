# SPDX-License-Identifier: BSD-3-Clause
"""Figures of cases: their times, their ratios to native, the fastest, every sample."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import quantiles
from typing import Any

from laneway.results.measurements import Measured
from laneway.rows import NATIVE, CaseSummary
from laneway.showing.figures.names import CASE, FigureTable, KeyNames
from laneway.simulation.prediction import Predictions


def points(measured: Measured, predictions: Predictions | None = None) -> FigureTable:
    """Everything that is known of each algorithm at each size.

    `place` and `operation` name the picture that a line of the table belongs to, `curve` the curve.
    """
    names = KeyNames([summary.key for summary in measured.summaries])
    predicted = predictions or Predictions("", {})
    return [
        {
            **_point(summary, names),
            "predicted_us": predicted.times_us.get(summary.key),
            "predicted_error": predicted.error(summary),
        }
        for summary in measured.summaries
    ]


def _band(medians: Sequence[float]) -> tuple[float, float]:
    """The bounds of a curve's band: the first and the last decile of the runs' medians."""
    if len(medians) == 1:
        return medians[0], medians[0]
    low, *_, high = quantiles(medians, n=10, method="inclusive")
    return low, high


def _point(summary: CaseSummary, names: KeyNames) -> dict[str, Any]:
    low, high = _band(summary.medians_us)
    return {
        **names.case(summary.key),
        "datatype": summary.key.datatype,
        "statistic": summary.key.statistic,
        "runs": summary.runs,
        "repetitions": summary.repetitions,
        "min_us": summary.min_us,
        "median_us": summary.median_us,
        "mean_us": summary.mean_us,
        "low_us": low,
        "high_us": high,
        "floor_us": summary.floor_us,
        "over_floor": summary.over_floor,
        "ratio_to_native": summary.ratio_to_native,
        "native_binding": summary.native_binding,
        "slower": summary.slower,
    }


def _columns(table: FigureTable, *names: str) -> FigureTable:
    return [{name: line[name] for name in names} for line in table]


def times(measured: Measured) -> FigureTable:
    """Time against size: median, band over the runs, minimum and mean, and the floor."""
    kept = (
        "statistic",
        "runs",
        "repetitions",
        "min_us",
        "median_us",
        "mean_us",
        "low_us",
        "high_us",
    )
    return _columns(points(measured), *CASE, *kept, "floor_us", "over_floor", "slower")


def ratios(measured: Measured) -> FigureTable:
    """How many times as fast as native every other algorithm is, and what runs say about it.

    `verdict` is that of the guideline "native is as fast as this algorithm": VIOLATED means that
    the algorithm is faster, beyond what runs differ by. `low` and `high` bound the ratio.
    """
    names = KeyNames([summary.key for summary in measured.summaries])
    found = []
    for summary in measured.summaries:
        if summary.ratio_to_native is None or summary.key.algorithm == NATIVE:
            continue
        verdict = measured.verdicts.get(summary.key)
        found.append(
            {
                **names.case(summary.key),
                "ratio_to_native": summary.ratio_to_native,
                "native_binding": summary.native_binding,
                "runs": summary.runs,
                "verdict": str(verdict.verdict) if verdict else None,
                "low": verdict.low if verdict else None,
                "high": verdict.high if verdict else None,
                "more_runs": verdict.more_runs if verdict else None,
            }
        )
    return found


def winners(measured: Measured) -> FigureTable:
    """The algorithm with the lowest median at each size, and what runs say about it.

    `margin` is how many times as long the next algorithm takes, as in `ratios`. `verdict` is the
    one on "another algorithm is as fast", tested against all others. VIOLATED means that the winner
    is faster than each, beyond what runs differ by.
    """
    summaries = {summary.key: summary for summary in measured.summaries}
    names = KeyNames([*summaries])
    order = {key: position for position, key in enumerate(summaries)}
    found: FigureTable = []
    for standing in sorted(measured.standings, key=lambda each: order[each.best]):
        best, runner_up = summaries[standing.best], summaries[standing.runner_up]
        found.append(
            {
                **{name: getattr(names, name)(best.key) for name in ("place", "operation")},
                "count": best.key.count,
                "bytes": best.key.bytes,
                "winner": best.key.algorithm,
                "binding": best.key.binding,
                "median_us": best.median_us,
                "ratio_to_native": best.ratio_to_native,
                "runner_up": runner_up.key.algorithm,
                "margin": standing.margin,
                "runs": best.runs,
                "verdict": str(standing.verdict),
                "more_runs": standing.more_runs,
            }
        )
    return found


def samples(measured: Measured) -> FigureTable:
    """Every repetition, in the order in which those of a case were measured."""
    names = KeyNames([*measured.samples])
    found = []
    for key, own in measured.samples.items():
        case = {
            "place": names.place(key),
            "operation": names.operation(key),
            "curve": names.curve(key),
            "count": key.count,
            "bytes": key.bytes,
            "statistic": key.statistic,
            "slower": own.wire.slower if own.wire else 1,
        }
        found += [
            {**case, "run": run, "order": order, "time_us": time}
            for run, times_us in sorted(own.times_us.items())
            for order, time in enumerate(times_us)
        ]
    return found
