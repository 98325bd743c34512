# SPDX-License-Identifier: BSD-3-Clause
"""Summaries as a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich import box
from rich.table import Table

from laneway.rows import Summary

KIBI = 1024

NOTABLE = 0.05
"""Ratios closer to 1 than this are not coloured: two runs differ by as much."""


def microseconds(time: float) -> str:
    """A time with a precision that suits its size: 0.123, 12.3, 12345."""
    digits = 3 if time < 10 else 1 if time < 1000 else 0
    return f"{time:.{digits}f}"


def size(count: int) -> str:
    """A number of bytes with a binary unit: 4 B, 3.91 KiB."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < KIBI or unit == "GiB":
            break
        value /= KIBI
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.3g} {unit}"


def ratio(value: float) -> str:
    """A ratio with two digits at least: 12.31, 0.52, 0.013."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def render(summaries: Sequence[Summary], title: str) -> Table:
    """One line an algorithm, the cases apart; the fastest median of a case is bold."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("collective", "count", "bytes", "algorithm"):
        table.add_column(
            heading, justify="right" if heading in ("count", "bytes") else "left", no_wrap=True
        )
    for heading in ("min us", "median us", "mean us", "x native"):
        table.add_column(heading, justify="right", no_wrap=True)

    for _, group in groupby(summaries, key=lambda summary: summary.key.by("")):
        case = list(group)
        best = min(summary.median_us for summary in case)
        for position, summary in enumerate(case):
            key = summary.key
            first = position == 0
            table.add_row(
                key.collective if first else "",
                str(key.count) if first else "",
                size(key.bytes) if first else "",
                key.algorithm,
                microseconds(summary.min_us),
                microseconds(summary.median_us),
                microseconds(summary.mean_us),
                _coloured(summary.ratio_to_native),
                style="bold" if summary.median_us == best else None,
                end_section=position == len(case) - 1,
            )
    return table


def _coloured(value: float | None) -> str:
    if value is None:
        return "-"
    colour = "green" if value > 1 + NOTABLE else "red" if value < 1 - NOTABLE else "default"
    return f"[{colour}]{ratio(value)}[/]"
