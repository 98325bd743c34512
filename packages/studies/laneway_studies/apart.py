# SPDX-License-Identifier: BSD-3-Clause
"""The sections of a study, for each MPI library and each number of lanes apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from laneway.units import counted
from laneway_studies.study import Section, Study, StudyPart

TellRows = Callable[[StudyPart], Iterable[Section]]

_MEASURED = ("sample", "probe")


def _lanes(value: Any) -> str:
    return "lanes as found" if value is None else counted(value, "lane")


@dataclass(frozen=True)
class _ToldApart:
    """A fact of rows whose values are never in one figure."""

    name: str
    words: Callable[[Any], str] = str
    """A value in the title of a section."""
    is_of_simulations: bool = True
    """Whether simulated rows differ in it for that reason as well."""


_FACTS = (_ToldApart("library"), _ToldApart("lanes", _lanes, is_of_simulations=False))


def sections(study: Study, part: StudyPart) -> Iterator[Section]:
    """The sections on a part's rows, without a figure of two libraries or numbers of lanes.

    A study lays facts side by side where it names them in `compares`.
    """
    tell: TellRows = study.sections
    for fact in reversed(_FACTS):
        if fact.name not in study.compares:
            tell = _each(fact, tell)
    yield from tell(part)


def _each(fact: _ToldApart, tell: TellRows) -> TellRows:
    """The sections for each value apart, where there are several."""
    name = fact.name

    def told(part: StudyPart) -> Iterator[Section]:
        values = {row[name] for row in part.rows if row["kind"] in _MEASURED and name in row}
        is_asked = fact.is_of_simulations or part.origin.simulated_on is None
        if len(values) < 2 or not is_asked:
            yield from tell(part)
            return
        for value in sorted(values, key=lambda value: (value is None, value)):
            rows = [row for row in part.rows if row.get(name, value) == value]
            for section in tell(replace(part, rows=rows)):
                yield section.of(name, value, fact.words(value))

    return told
