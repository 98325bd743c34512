# SPDX-License-Identifier: BSD-3-Clause
"""Diagrams as data: curves over an axis, which `drawing` makes pictures of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """Points of a plot that belong together."""

    label: str
    points: Sequence[tuple[float, float]]
    published: bool = False
    """Whether the curve is drawn dotted, with hollow markers, in the colour of its `of`."""
    of: str | None = None
    """The name that decides the colour: curves of one name share it; None: the label."""
    line: bool = True
    """Whether points are joined; a fit has a line alone, see `markers`."""
    markers: bool = True
    band: Sequence[tuple[float, float, float]] = ()
    """An interval round the curve: x, from, to."""


@dataclass(frozen=True)
class Plot:
    """A diagram in the form of the paper's."""

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    log_x: bool = False
    log_y: bool = False
