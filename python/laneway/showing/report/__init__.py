# SPDX-License-Identifier: BSD-3-Clause
"""A report of measurements: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jinja2
from markupsafe import Markup

from laneway import files, units
from laneway.modelling import full_speed
from laneway.results.measurements import Measured
from laneway.results.reference import Published
from laneway.rows import notes
from laneway.showing import figures
from laneway.showing.caveats import caveats
from laneway.showing.figures import FIGURES, FigureTable
from laneway.showing.report import answer, data, maps, said, wires
from laneway.simulation.prediction import Predictions

HERE = Path(__file__).parent

SCRIPTS = ("words", "look", "traces", "choices", "maps", "page")
"""Parts of the page's script, in the order in which they build on each other."""


def write(
    measured: Measured,
    path: Path,
    published: Sequence[Published] = (),
    predictions: Predictions | None = None,
    timeline: str = "",
) -> None:
    """Writes the report to `path`, its folder included.

    `timeline` is a drawing of the ranks' work over time, an element `svg`. Raises Problem where the
    report cannot be written.
    """
    files.replace(path, render(measured, published, predictions, timeline))


def render(
    measured: Measured,
    published: Sequence[Published] = (),
    predictions: Predictions | None = None,
    timeline: str = "",
) -> str:
    """The report as HTML: measurements, beside published and predicted times.

    It also has the drawing of the ranks' work over time, if there is one.
    """
    points = figures.points(measured, predictions)
    ratios = figures.ratios(measured)
    drawn, thinned = data.collect(measured, points, ratios, published)
    heat = maps.heat(ratios)
    wins = maps.wins(figures.winners(measured))
    against = wires.table(points, drawn["carried"])
    answers = answer.answers(measured)
    nothing = [] if answers else answer.nothing(ratios, measured)
    lanes, counters = drawn["lanes"], drawn["counters"]
    scripted = bool(points or lanes or counters)
    tunings = measured.of_kind("tuning")
    sections = {
        "answer": "What to use" if answers or nothing else "Overview",
        "faster": "How much faster" if points else "",
        "tuning": "What tuning cost" if tunings else "",
        "wires": "What the wires allow" if against else "",
        "timeline": "Who does what when" if timeline else "",
        "lanes": "More lanes" if lanes else "",
        "sure": "How sure" if points else "",
        "numbers": "All numbers" if points else "",
        "setup": "How measured",
    }
    return (
        environment(HERE)
        .get_template("page.html.j2")
        .render(
            title=said.title(measured),
            subtitle=said.subtitle(measured),
            slowed=full_speed.note(summary.slower for summary in measured.summaries),
            contents=[(id_, name) for id_, name in sections.items() if name],
            figures=FIGURES,
            statistics=said.once(summary.key.statistic for summary in measured.summaries),
            answers=answers,
            nothing=nothing,
            cards=said.cards(measured, points, ratios),
            failures=said.failures(measured),
            caveats=caveats(measured.rows),
            heat=heat,
            marks=maps.marks(ratios),
            wins=wins,
            tunings=tunings,
            against=against,
            carried=drawn["carried"],
            timeline=Markup(timeline),  # noqa: S704 - ours
            numbers=_numbers(points),
            thinned=thinned,
            lanes=lanes,
            counters=counters,
            lanes_used=said.lanes_used(measured.rows),
            floors=said.floors(measured),
            commands=said.commands(measured),
            environments=said.environments(measured),
            notes=notes(measured.rows),
            published=said.once(one.place for one in published),
            predicted=predictions.closing(measured.summaries) if predictions else "",
            style=_asset("style.css"),
            data=data.packed_json(drawn) if scripted else "",
            library=data.packed(data.plotly()) if scripted else "",
            script=script() if scripted else "",
        )
    )


def script() -> Markup:
    """The page's script: its parts, one after the other, in a scope of their own."""
    parts = Markup("\n").join(_asset(f"script/{name}.js") for name in SCRIPTS)
    return Markup('(async () => {\n"use strict";\n') + parts + Markup("})();\n")


def environment(folder: Path) -> jinja2.Environment:
    """The environment for templates of pages in a folder: values are text, none may be missing."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["microseconds"] = units.microseconds
    environment.filters["size"] = units.size
    environment.filters["ratio"] = units.ratio
    return environment


def _asset(name: str) -> Markup:
    """A file of ours, which goes into the page as it is."""
    return Markup((HERE / name).read_text(encoding="utf-8"))  # noqa: S704 - ours


def _numbers(points: FigureTable) -> list[tuple[str, str, FigureTable]]:
    return [
        (place, operation, lines)
        for place, in_place in maps.grouped(points, "place")
        for operation, lines in maps.grouped(in_place, "operation")
    ]
