# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a study: points that are found out, and sections that say what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from laneway.campaign import Plan
from laneway.errors import Misuse
from laneway.launching.allocation import Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.probe.summary import ProbeKey, ProbeSummary, summarise
from laneway.results.measurements import Measured
from laneway.rows import NATIVE, CaseKey, CaseSummary, Row
from laneway.showing.diagram import Plot
from laneway.simulation.machine import Machine
from laneway.units import counted

Summary = TypeVar("Summary", bound=CaseSummary | ProbeSummary)

TellPart = Callable[[float], None]
"""A function that is told which part of something is done, from 0 to 1."""


@dataclass(frozen=True)
class SimulatedPoint:
    """A simulation in one go, which is kept: the same facts give the same rows."""

    told: str
    """The words for it, for people."""
    facts: Mapping[str, Any]
    """All that the rows follow from, besides the machine and the program that simulates."""
    rows: Callable[[TellPart], Iterable[Row]]
    """Rows as the benchmark's; that they are simulated, and where, is added to them."""
    work: float = 1
    """About how much there is to simulate, over that of other points of the study."""


@dataclass(frozen=True)
class TimesOrigin:
    """The origin of times. Times from different places are never in one figure."""

    simulated_on: str | None
    """The machine file's name; None: measured."""
    place: str = ""
    """The machine that was measured, in words."""

    def __str__(self) -> str:
        if self.simulated_on is not None:
            several = "s" if ", " in self.simulated_on else ""
            return f"simulated, by the machine file{several} {self.simulated_on}"
        return f"measured on {self.place}" if self.place else "measured"

    @property
    def short(self) -> str:
        """The origin in a word, for labels and names of files."""
        return self.simulated_on or "measured"

    @property
    def facts(self) -> Row:
        """The facts of it that each line of a table says."""
        return {"simulated": self.simulated_on is not None, "machine": str(self.short)}


Asked = Mapping[str, Any]
"""The values that were asked for, by the names of a study's parameters."""


@dataclass(frozen=True)
class StudyPart:
    """The rows of one origin, of which a study says what they mean."""

    origin: TimesOrigin
    rows: Sequence[Row]
    asked: Asked
    shown: set[CaseKey | ProbeKey] = field(default_factory=set, compare=False)
    """Cases that some section shows. Whatever else was found is counted by `without_section`."""

    @cached_property
    def summaries(self) -> list[CaseSummary]:
        """A summary of every case among them."""
        return Measured(self.rows).summaries

    def probes(self, name: str) -> list[ProbeSummary]:
        """A summary of every pattern of a probe. There is no floor: campaigns differ in lanes."""
        return summarise(row for row in self.rows if row.get("probe") == name)

    def show(self, summaries: Iterable[Summary]) -> list[Summary]:
        """The summaries of a section, noted as shown."""
        own: list[Summary] = [*summaries]
        self.shown.update(summary.key for summary in own)
        return own


@dataclass(frozen=True)
class PublishedComparison:
    """A published figure, and ours for the same case."""

    case: Row
    """The facts that tell it from others, by column."""
    published: float
    ours: float | None
    """None: there is none."""
    counts: bool = True
    """Whether it is judged by; where not, `remark` says why."""
    remark: str = ""

    @property
    def quotient(self) -> float | None:
        """Ours over the published one: of ratios, the ratio of ratios."""
        return None if self.ours is None or not self.published else self.ours / self.published

    def line(self) -> Row:
        """Its line in a table."""
        remark = {"remark": self.remark} if self.remark else {}
        return {
            **self.case,
            "published": self.published,
            "ours": self.ours,
            "ours/published": self.quotient,
            **remark,
        }


@dataclass(frozen=True)
class Section:
    """One part of a report: a question, what is to be said of it, figures."""

    title: str
    said: Sequence[str] = ()
    """Sentences, a paragraph each."""
    comparisons: Sequence[PublishedComparison] = ()
    quantity: str = "time in us"
    """The quantity that is compared."""
    ratios: bool = False
    """Whether comparisons are ratios, on one side of 1 or the other: then they are judged."""
    table: Sequence[Row] = ()
    """Further numbers."""
    plots: Sequence[Plot] = ()

    @property
    def lines(self) -> list[Row]:
        """All numbers: comparisons, and the further ones behind them."""
        return [*(one.line() for one in self.comparisons), *self.table]

    def of(self, fact: str, value: Any, words: str) -> Section:
        """The section with a fact that tells it from others, in its title and in every line."""
        own = {fact: value}
        return replace(
            self,
            title=f"{self.title}, {words}",
            comparisons=[replace(one, case={**own, **one.case}) for one in self.comparisons],
            table=[{**own, **line} for line in self.table],
        )


def _operation(key: CaseKey | ProbeKey) -> tuple[str, str, int, int]:
    """The operation of a case, by which algorithm, and where: a probe is plain calls of MPI."""
    if isinstance(key, ProbeKey):
        return key.probe, NATIVE, key.nodes, key.ppn
    return key.collective, key.algorithm, key.nodes, key.ppn


_WHY = "The study has no figure of that operation, algorithm, size or shape."


def without_section(part: StudyPart) -> Iterator[Section]:
    """The cases that no section shows, counted, so that nothing is found and hidden."""
    cases: set[CaseKey | ProbeKey] = {
        *(CaseKey.of(row) for row in part.rows if row["kind"] == "sample"),
        *(ProbeKey.of(row) for row in part.rows if row["kind"] == "probe"),
    }
    hidden = Counter(_operation(key) for key in cases - part.shown)
    if hidden:
        names = ("operation", "algorithm", "nodes", "ppn")
        yield Section(
            "Without a section",
            said=[f"{counted(hidden.total(), 'case')} of {len(cases)} have none. {_WHY}"],
            table=[
                {**dict(zip(names, case, strict=True)), "cases": number}
                for case, number in sorted(hidden.items())
            ],
        )


@dataclass(frozen=True)
class Parameter:
    """An option that a study has of its own."""

    name: str
    """The name as on the command line, without `--`."""
    help: str
    default: str = ""
    metavar: str = "TEXT"
    read: Callable[[str], Any] = str
    """The value that a text says. Raises ValueError."""


Effort = Mapping[str, Any]
"""How long is measured: runs, seconds, repetitions, seed, silence, as in plans.comparison.Plan."""


def _one(wanted: Wanted, _asked: Asked) -> Sequence[Wanted]:
    return [wanted]


@dataclass(frozen=True)
class Measuring:
    """The part of a study that the machine at hand can do."""

    plans: Callable[[NativeBuild, Sequence[Setting], Effort, Asked], Mapping[str, Plan]]
    """Campaigns, by names of their folders."""
    places: Callable[[Wanted, Asked], Sequence[Wanted]] = _one
    """The shapes that are measured, of what is asked for: node counts, placements."""
    every_library: bool = False
    """Whether all MPI libraries are measured unless some are named; else it is the first."""


@dataclass(frozen=True)
class Study:
    """A published study."""

    title: str
    source: str
    """Who published it, as in REFERENCES.md."""
    told: str
    """The question of the study, in a paragraph."""
    machines: Sequence[str]
    """Machine files that it is simulated by, unless others are asked for."""
    points: Callable[[Machine, Asked], Iterable[SimulatedPoint]]
    """The points that are simulated on a machine."""
    sections: Callable[[StudyPart], Iterable[Section]]
    """The sections on rows, simulated and measured ones alike."""
    compares: Sequence[str] = ()
    """The facts, `library` or `lanes`, that sections lay side by side; others are told apart."""
    measuring: Measuring | None = None
    """None: nothing of it can be measured."""
    across: Callable[[Sequence[StudyPart]], Iterable[Section]] | None = None
    """The sections on several simulated machines together; None: there are none."""
    parameters: Sequence[Parameter] = field(default_factory=tuple)

    def asked(self, words: Mapping[str, str]) -> Asked:
        """The values of parameters. Raises Misuse for one that cannot be read."""
        found = {}
        for parameter in self.parameters:
            text = words.get(parameter.name, parameter.default)
            try:
                found[parameter.name] = parameter.read(text)
            except ValueError as error:
                raise Misuse(f"--{parameter.name}: {error}") from error
        return found


def parts(rows: Iterable[Row], asked: Asked) -> Iterator[StudyPart]:
    """Rows by where they come from, simulated and measured ones apart."""
    measured: list[Row] = []
    simulated: dict[str, list[Row]] = {}
    for row in rows:
        (simulated.setdefault(row["machine"], []) if row.get("simulated") else measured).append(row)
    for machine, own in simulated.items():
        yield StudyPart(TimesOrigin(machine), own, asked)
    if any(row["kind"] in ("sample", "probe") for row in measured):
        kinds = (row for row in measured if row["kind"] == "environment")
        places = dict.fromkeys(str(row.get("place") or "unnamed nodes") for row in kinds)
        yield StudyPart(TimesOrigin(None, "; ".join(places)), measured, asked)
