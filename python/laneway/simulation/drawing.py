# SPDX-License-Identifier: BSD-3-Clause
"""A schedule as a drawing: which rank sends to which in each round."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from laneway.errors import Misuse
from laneway.simulation.schedule import Schedule
from laneway.units import size

MOST_RANKS, MOST_ROUNDS, MOST_MESSAGES = 256, 250, 20_000
"""The most that a drawing can show."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#44aa99")
"""Colours of lanes, which people who see few colours tell apart, too."""

INSIDE = "#999999"

_LEFT, _TOP, _ROW, _GAP = 90, 70, 16, 10
_WIDEST, _NARROWEST = 90, 14


def svg(schedule: Schedule) -> str:
    """The drawing: a row a rank, a column a round, an arrow a message. Raises Misuse."""
    nodes, rounds = schedule.call.nodes, schedule.costs["rounds"]
    for name, number, most in (
        ("ranks", sum(nodes), MOST_RANKS),
        ("rounds", rounds, MOST_ROUNDS),
        ("messages", len(schedule.messages), MOST_MESSAGES),
    ):
        if number > most:
            raise Misuse(f"--svg: {number} {name} are too many for a drawing; at most {most}")
    across = max(_NARROWEST, min(_WIDEST, 1600 // max(1, rounds)))
    first = [sum(nodes[:node]) for node in range(len(nodes) + 1)]
    height = {
        rank: _TOP + rank * _ROW + node * _GAP
        for node, (start, end) in enumerate(pairwise(first))
        for rank in range(start, end)
    }
    bottom = max(height.values()) + _ROW
    width = _LEFT + rounds * across + 40
    call = schedule.call
    title = f"{call.collective}, {call.algorithm}: {size(schedule.costs['bytes'])}"
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 10}" '
            f'width="{width}" height="{bottom + 10}" font-family="sans-serif" font-size="11">'
        ),
        f"<title>{escape(title)}</title>",
        *_markers(schedule.lanes),
        f'<rect width="{width}" height="{bottom + 10}" fill="white"/>',
        f'<text x="10" y="20" font-size="14">{escape(title)}</text>',
        *_legend(schedule.lanes),
    ]
    for node, (start, end) in enumerate(pairwise(first)):
        top = height[start] - _ROW / 2
        parts += [
            (
                f'<rect x="{_LEFT - 8}" y="{top}" width="{width - _LEFT - 16}" '
                f'height="{(end - start) * _ROW}" fill="#f3f3f3"/>'
            ),
            f'<text x="8" y="{top + 12}">node {node}</text>',
        ]
        parts += [
            f'<text x="{_LEFT - 12}" y="{height[rank] + 4}" text-anchor="end">{rank}</text>'
            for rank in range(start, end)
        ]
    parts += [
        f'<text x="{_LEFT + (number - 0.5) * across:.0f}" y="{_TOP - 14}" '
        f'text-anchor="middle" fill="#666">{number}</text>'
        for number in range(1, rounds + 1)
        if across > 20 or number % 5 == 0
    ]
    for message in schedule.messages:
        lane = message["lane"]
        kind = "inside" if lane is None else f"lane{lane % len(COLOURS)}"
        colour = INSIDE if lane is None else COLOURS[lane % len(COLOURS)]
        start, end = _LEFT + (message["round"] - 1) * across, _LEFT + message["round"] * across - 4
        words = f"{message['from']} to {message['to']}: {message['bytes']} bytes"
        parts.append(
            f'<line x1="{start}" y1="{height[message["from"]]}" x2="{end}" '
            f'y2="{height[message["to"]]}" stroke="{colour}" marker-end="url(#{kind})">'
            f"<title>{words}</title></line>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _markers(lanes: int) -> list[str]:
    """The heads of arrows."""
    kinds = {"inside": INSIDE} | {
        f"lane{lane}": COLOURS[lane] for lane in range(min(lanes, len(COLOURS)))
    }
    return [
        f'<defs><marker id="{kind}" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" '
        f'markerHeight="5" orient="auto"><path d="M0 0 6 3 0 6z" fill="{colour}"/></marker></defs>'
        for kind, colour in kinds.items()
    ]


def _legend(lanes: int) -> list[str]:
    named = [
        *((f"lane {lane}", COLOURS[lane % len(COLOURS)]) for lane in range(min(lanes, 8))),
        ("within a node", INSIDE),
    ]
    return [
        f'<text x="{10 + 70 * place}" y="38" fill="{colour}">{name}</text>'
        for place, (name, colour) in enumerate(named)
    ]
