# SPDX-License-Identifier: BSD-3-Clause
"""A simulated call as a drawing: the work of each rank and each lane over time."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from laneway.rows import Row
from laneway.simulation.drawing import COLOURS
from laneway.simulation.trace import Trace
from laneway.units import microseconds

MOST_MESSAGES = 800
"""The most messages that a drawing can show."""

KINDS = {
    "send": "#0072b2",
    "wait": "#dddddd",
    "reduce": "#d55e00",
    "copy": "#e69f00",
    "join": "#eeeeee",
}
"""Colours of a rank's steps; on lanes, messages have a colour for each rank that sends."""

_LEFT, _TOP, _ROW, _GAP, _WIDTH = 110, 60, 14, 8, 1100


def svg(found: Trace) -> str:
    """The drawing: a row a rank, below a node's ranks a row a lane and direction, over time."""
    rows = _rows(found)
    height = {name: _TOP + place for name, place in rows.items()}
    bottom = max(height.values(), default=_TOP) + _ROW + 24
    width = _LEFT + _WIDTH + 30
    scale = _WIDTH / found.time_us if found.time_us else 0
    call = found.call
    title = (
        f"{call.collective} {call.count}, {call.algorithm}, on the simulated machine "
        f"{found.machine.name}: {microseconds(found.time_us)} us"
    )
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom}" '
                f'width="{width}" height="{bottom}" font-family="sans-serif" font-size="10">'
            ),
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{bottom}" fill="white"/>',
            f'<text x="10" y="20" font-size="14">{escape(title)}</text>',
            *(
                f'<text x="{10 + 70 * place}" y="40" fill="{KINDS[kind]}" stroke="#999" '
                f'stroke-width="0.2">{kind}</text>'
                for place, kind in enumerate(("send", "wait", "reduce", "copy"))
            ),
            '<text x="300" y="40">lanes: messages, coloured by the rank that sends them</text>',
            *(
                f'<text x="{_LEFT - 6}" y="{top + _ROW - 4}" text-anchor="end">{name}</text>'
                for name, top in height.items()
            ),
            *(_bar(step, f"rank {step['rank']}", height, scale) for step in _by_kind(found)),
            *(_bar(each, _lane(each), height, scale) for each in found.passages),
            *_axis(found.time_us, bottom - 8),
            "</svg>",
            "",
        ]
    )


def _rows(found: Trace) -> dict[str, int]:
    """The place of each row, below the top."""
    rows = {}
    place = rank = 0
    for node, ranks in enumerate(found.call.nodes):
        names = [f"rank {own}" for own in range(rank, rank + ranks)]
        names += [
            f"{node}: lane {lane} {way}"
            for lane in range(found.machine.lanes)
            for way in ("out", "in")
        ]
        for name in names:
            rows[name] = place
            place += _ROW
        place += _GAP
        rank += ranks
    return rows


def _by_kind(found: Trace) -> list[Row]:
    """The steps of ranks: waiting first, so that another segment's work meanwhile is seen."""
    return sorted(found.steps, key=lambda step: step["step"] not in ("wait", "join"))


def _lane(passage: Row) -> str:
    return f"{passage['node']}: lane {passage['lane']} {'in' if passage['comes'] else 'out'}"


def _bar(row: Row, name: str, height: dict[str, int], scale: float) -> str:
    if "step" in row:
        colour = KINDS[row["step"]]
        words = row["step"] + (f" to {row['peer']}" if "peer" in row else "")
    else:
        colour = COLOURS[row["from"] % len(COLOURS)]
        words = f"{row['from']} to {row['to']}"
    if "bytes" in row:
        words += f", {row['bytes']} bytes"
    left = _LEFT + row["began_us"] * scale
    width = max(0.4, (row["ended_us"] - row["began_us"]) * scale)
    times = f"{microseconds(row['began_us'])} to {microseconds(row['ended_us'])} us"
    return (
        f'<rect x="{left:.2f}" y="{height[name] + 1}" width="{width:.2f}" height="{_ROW - 3}" '
        f'fill="{colour}" stroke="white" stroke-width="0.3"><title>{name}: {words}, {times}</title>'
        "</rect>"
    )


def _axis(time_us: float, bottom: int) -> Iterator[str]:
    parts = 5
    for number in range(parts + 1):
        left = _LEFT + _WIDTH * number / parts
        yield (
            f'<line x1="{left}" y1="{_TOP - 6}" x2="{left}" y2="{bottom - 12}" stroke="#999" '
            'stroke-width="0.3"/>'
        )
        yield (
            f'<text x="{left}" y="{bottom}" text-anchor="middle" fill="#666">'
            f"{microseconds(time_us * number / parts)}</text>"
        )
