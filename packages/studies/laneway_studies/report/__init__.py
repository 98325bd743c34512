# SPDX-License-Identifier: BSD-3-Clause
"""A study's report: one HTML file, published figures beside ours, that needs no network."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from laneway.errors import Problem
from laneway.files import slug
from laneway.rows import Row
from laneway.showing import drawing
from laneway.showing import report as measurements
from laneway.showing.diagram import Plot
from laneway_studies import agreement
from laneway_studies.folder import Told
from laneway_studies.study import Section, Study

HERE = Path(__file__).parent


def render(study: Study, facts: Mapping[str, Any], found: Sequence[Told], version: str) -> str:
    """The report as HTML. Raises Problem where there is nothing to report."""
    if not found:
        raise Problem("there is nothing to report: no row is about this study")
    environment = measurements.environment(HERE)
    environment.filters["cell"] = cell
    return environment.get_template("page.html.j2").render(
        study=study,
        facts=facts,
        version=version,
        parts=[
            (
                each.part.origin,
                [
                    {
                        "id": slug(f"{each.part.origin.short}-{section.title}"),
                        "section": section,
                        "columns": columns(section.lines),
                        "agreement": judged(section),
                        "plots": [Markup(_image(plot)) for plot in section.plots],  # noqa: S704 - ours
                    }
                    for section in each.sections
                ],
            )
            for each in found
        ],
        style=Markup((measurements.HERE / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - ours
    )


def judged(section: Section) -> agreement.Agreement | None:
    """How near ratios come; None for a section of other figures."""
    return agreement.agreement(section.comparisons) if section.ratios else None


def columns(lines: Sequence[Row]) -> list[str]:
    """The columns of a table: each key of any line."""
    return [*dict.fromkeys(name for line in lines for name in line)]


def cell(value: object) -> str:
    """A value as a table shows it; numbers with four digits."""
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _image(plot: Plot) -> str:
    """A plot as attributes of a page's element; as a picture it keeps its names to itself."""
    data = base64.b64encode(drawing.svg(plot)).decode()
    return f'src="data:image/svg+xml;base64,{data}"'
