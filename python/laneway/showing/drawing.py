# SPDX-License-Identifier: BSD-3-Clause
"""Diagrams as pictures, in the style of all others."""

from __future__ import annotations

import io

import matplotlib as mpl
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, NullFormatter

from laneway.showing.diagram import Curve, Plot
from laneway.showing.plot import COLOURS, DASHES, MARKERS, STYLE

FEW = 3
"""Curves whose names have room inside the diagram."""


def svg(plot: Plot) -> bytes:
    """A plot as SVG; the same plot gives the same bytes."""
    names = [*dict.fromkeys(_colour_of(curve) for curve in plot.curves)]
    with mpl.rc_context(STYLE):
        canvas = Figure(figsize=(8.4, 4.2), layout="constrained")
        axes = canvas.subplots()
        for curve in plot.curves:
            place = names.index(_colour_of(curve)) + 1  # the first colour is native's
            colour = COLOURS[place % len(COLOURS)]
            points = sorted(curve.points)
            axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                label=curve.label,
                color=colour,
                linestyle=":"
                if curve.published
                else DASHES[place % len(DASHES)]
                if curve.line
                else "none",
                marker=MARKERS[place % len(MARKERS)] if curve.markers else "",
                markersize=4.5,
                markerfacecolor="none" if curve.published else colour,
                linewidth=1.2,
            )
            if curve.band:
                xs, low, high = zip(*curve.band, strict=True)
                axes.fill_between(xs, low, high, color=colour, alpha=0.15, linewidth=0)
        if plot.log_x:
            axes.set_xscale("log", base=2)
            _ticks(axes.xaxis, LogLocator(base=2))
        if plot.log_y:
            axes.set_yscale("log")
            _ticks(axes.yaxis, LogLocator(subs=(1, 2, 5)))
        axes.set_xlabel(plot.x)
        axes.set_ylabel(plot.y)
        beside = len(plot.curves) > FEW
        axes.legend(
            frameon=False,
            fontsize=8,
            loc="center left" if beside else "best",
            bbox_to_anchor=(1.01, 0.5) if beside else None,
        )
        canvas.suptitle(plot.title, fontsize=10, x=0.01, ha="left")
        picture = io.BytesIO()
        canvas.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()


def _ticks(axis: Axis, where: Locator) -> None:
    """Sets ticks with plain numbers, which are readable and fast to set; powers are neither."""
    axis.set_major_locator(where)
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _colour_of(curve: Curve) -> str:
    return curve.label if curve.of is None else curve.of
