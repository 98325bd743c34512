# SPDX-License-Identifier: BSD-3-Clause
"""The top of a report: which algorithm to use where, its gain, and the command."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from laneway.choosing import busy
from laneway.choosing.conclusion import MOST_RUNS, TOO_MANY
from laneway.choosing.profile import command, profile_text
from laneway.choosing.recommendation import (
    Recommendation,
    at_sizes,
    largest,
    recommendations,
)
from laneway.files import slug
from laneway.results.measurements import Measured
from laneway.showing.figures import FigureTable
from laneway.showing.report import said
from laneway.units import counted, ratio, size


@dataclass(frozen=True)
class AnswerLine:
    """One algorithm for one range of sizes."""

    collective: str
    sizes: str
    algorithm: str
    times: str
    interval: str
    allowed: str
    """The part of what the wires allow that the algorithm reaches; empty where it is unknown."""


@dataclass(frozen=True)
class LibraryAnswer:
    """The recommendations for one MPI library."""

    library: str
    sentence: str
    """The largest gain, in words."""
    places: Sequence[tuple[str, Sequence[AnswerLine]]]
    profile: str
    file: str
    """A name for the profile."""
    command: str

    @property
    def link(self) -> str:
        """The profile as an address: saving it needs no script and no network."""
        return f"data:text/plain;base64,{base64.b64encode(self.profile.encode()).decode()}"


def answers(measured: Measured) -> list[LibraryAnswer]:
    """An answer for each library for which something is confirmed."""
    found = sorted(
        recommendations(measured),
        key=lambda each: (each.library, -(each.where.lanes or 0)),  # the control comes last
    )
    return [_answer([*own], measured) for _, own in groupby(found, key=lambda each: each.library)]


def _answer(own: Sequence[Recommendation], measured: Measured) -> LibraryAnswer:
    library = own[0].library
    told = at_sizes(own)
    best = largest(own)
    file = f"{slug(library)}.conf"
    return LibraryAnswer(
        library,
        best.sentence(),
        [(str(where), [*map(_line, of_place)])
         for where, of_place in groupby(told, key=lambda each: each.where)],
        profile_text(own, measured),
        file,
        command(best, file),
    )  # fmt: skip


def _line(one: Recommendation) -> AnswerLine:
    first, last = one.gains[0].bytes, one.gains[-1].bytes
    best = one.best
    return AnswerLine(
        one.collective,
        size(first) if first == last else f"{size(first)} to {size(last)}",
        one.algorithm,
        f"{ratio(best.ratio)} ×",
        f"{ratio(best.low)} to {ratio(best.high)}"
        + ("" if first == last else f", at {size(best.bytes)}"),
        said.percent(1 / best.over_floor) if best.over_floor else "",
    )


def nothing(ratios: FigureTable, measured: Measured) -> list[str]:
    """Why nothing is recommended, and what to do about that; empty where nothing was compared."""
    if not ratios:
        return []
    still_open = said.undecided(ratios)
    if not still_open:
        cases = "the one case" if len(ratios) == 1 else f"all {len(ratios)} cases"
        return [f"Keep what you have: in {cases} the MPI library's own is as fast."]
    kept = "Keep the MPI library's own algorithms for now: no other is confirmed to be faster."
    told = [f"{kept} Of {counted(len(ratios), 'case')}: {', '.join(still_open)}."]
    if (runs := said.fewest_more(ratios)) is not None:
        total = runs + max(summary.runs for summary in measured.summaries)
        if busy_then := busy.sentence(measured):
            told.append(busy_then)
        told.append(
            f"Measure again with --runs {total}: {runs} more may decide the first of them."
            if total <= MOST_RUNS
            else TOO_MANY.format(total)
        )
    return told
