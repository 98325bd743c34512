# SPDX-License-Identifier: BSD-3-Clause
"""The fastest algorithm by number of nodes: a table, a drawing."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from laneway import files
from laneway.showing.plot import COLOURS, DASHES, MARKERS, STYLE
from laneway.simulation.scaling import Crossover, ScalingResult
from laneway.units import counted, microseconds, ratio, size

FORMATS = ("svg", "png")
"""Formats of drawings, by the endings of their files' names."""


def table(answer: ScalingResult) -> Table:
    """A line for each number of nodes: the fastest, and how much longer the next takes."""
    asked = answer.question
    found = Table(title=title(answer), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("nodes", "ranks", "fastest", "us", "next", "x as long", "others"):
        left = heading in ("fastest", "next", "others")
        found.add_column(heading, justify="left" if left else "right")
    for nodes in asked.nodes:
        times = answer.at(nodes)
        if not times:
            found.add_row(str(nodes), str(nodes * asked.ppn), *["-"] * 5)
            continue
        best, *others = times
        cells = [f"{each.algorithm} {ratio(each.time_us / best.time_us)}" for each in others]
        found.add_row(
            str(nodes),
            str(nodes * asked.ppn),
            best.algorithm,
            microseconds(best.time_us),
            others[0].algorithm if others else "-",
            ratio(others[0].time_us / best.time_us) if others else "-",
            ", ".join(cells[1:]) or "-",
        )
    return found


def title(answer: ScalingResult) -> str:
    """The title: machine, collective, ranks a node and lanes."""
    asked = answer.question
    return (
        f"Simulated machine {asked.machine.name}, {asked.collective} of {size(asked.size)}, "
        f"{counted(asked.ppn, 'rank')} a node, {counted(asked.machine.lanes, 'lane')}"
    )


def told(crossover: Crossover) -> str:
    """A crossover in a sentence."""
    where = f"from {counted(crossover.nodes, 'node')} on"
    if crossover.nodes - crossover.not_yet > 1:
        why = f"; no closer, as {crossover.coarse}" if crossover.coarse else ""
        where += f" (not yet with {crossover.not_yet}{why})"
    return f"{crossover.after} is faster than {crossover.before} {where}"


def draw(answer: ScalingResult, path: Path) -> None:
    """Draws times by nodes, a curve an algorithm; where winners change, a line. Raises Problem."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        canvas = Figure(figsize=(7.2, 4.6), layout="constrained")
        axes = canvas.subplots()
        for number, name in enumerate(_shown(answer)):
            own = [each for each in answer.times if each.algorithm == name]
            axes.plot(
                [each.nodes for each in own],
                [each.time_us for each in own],
                label=name,
                color=COLOURS[(number + 1) % len(COLOURS)],
                linestyle=DASHES[number % len(DASHES)],
                marker=MARKERS[number % len(MARKERS)],
                markersize=4,
            )
        for crossover in answer.crossovers:
            axes.axvline(crossover.nodes, color="0.5", lw=0.8, ls=":")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("nodes")
        axes.set_ylabel("us, simulated")
        axes.legend(frameon=False, fontsize=8)
        canvas.suptitle(title(answer), fontsize=10, x=0.01, ha="left")
        picture = io.BytesIO()
        extension = path.suffix.removeprefix(".")
        metadata = {"Date": None} if extension == "svg" else None
        canvas.savefig(picture, format=extension, dpi=160, metadata=metadata)
    files.replace(path, picture.getvalue())


def _shown(answer: ScalingResult) -> Sequence[str]:
    """Algorithms by name, without those that never come near the fastest: the table has them."""
    near = {
        each.algorithm
        for nodes in answer.question.nodes
        for times in [answer.at(nodes)]
        for each in times
        if each.time_us <= NEAR * times[0].time_us
    }
    return sorted(near)


NEAR = 2.0
"""Time over the fastest's, on some number of nodes, up to which an algorithm is drawn."""
