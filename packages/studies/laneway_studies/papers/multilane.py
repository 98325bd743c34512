# SPDX-License-Identifier: BSD-3-Clause
"""Every table of Träff and Hunold 2020: lanes, collectives, and what decomposing them gains.

Times are the fastest published ones. Counts are those of the paper's benchmark: elements of the
message, or of a block where there is a block a rank. In the lane pattern they are a node's, in
several collectives at once what a process sends to all others together.
"""

from __future__ import annotations

import csv
import functools
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import fmean

from laneway.campaign import Plan
from laneway.collectives import COLLECTIVES, IN_BLOCKS, REDUCTIONS, ROOTED
from laneway.errors import Misuse
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.plans import comparison
from laneway.rows import NATIVE, SIMULATED, CaseKey, Row
from laneway.showing.diagram import Curve, Plot
from laneway.simulation import native, program
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway_studies import figures
from laneway_studies.agreement import Agreement, agreement
from laneway_studies.study import (
    Asked,
    Effort,
    Measuring,
    PublishedComparison,
    Section,
    SimulatedPoint,
    Study,
    StudyPart,
    TellPart,
    each_library,
)

TABLES = Path(figures.__file__).parent / "multilane_collectives.csv"

REPETITIONS = 50
"""Repetitions of the lane pattern in one time (Section 2)."""

ALONE = 2
"""Virtual lanes up to which each process of Hydra has a lane of its own."""


@dataclass(frozen=True)
class System:
    """A machine of the paper with an MPI library."""

    name: str
    library: str
    """The library; the tables call both so."""
    native: str
    """The native profile that stands for the library."""
    same_side: float = 0.85
    near: float = 0.60
    """The shares of telling ratios that should be on the same side, and near."""
    exchanged: bool = False
    """Whether times called lane and hierarchical seem to be each other's; that is told as well."""
    beyond: frozenset[str] = frozenset()
    """Collectives whose hierarchical times seem to lack the lanes; what the others say is told."""


SYSTEMS = {
    "hydra": System("Hydra", "Open MPI 4.0.1", "openmpi-4.0", beyond=frozenset({"reduce"})),
    "hydra-mpich": System("Hydra", "MPICH 3.3", "mpich-3.3"),
    "hydra-intelmpi": System("Hydra", "Intel MPI 2018", "intelmpi-2018"),
    "vsc3": System(
        "VSC-3", "Intel MPI 2018", "intelmpi-2018", 0.80, 0.50, beyond=frozenset({"reduce"})
    ),
    "jupiter": System("Jupiter", "MVAPICH2 2-2.3.1", "mvapich2-2.3", 0.80, 0.50, exchanged=True),
}
"""By machine file."""


IN_REGULAR = ("gather", "scatter", "reduce_scatter_block")
DIVIDED = ("bcast", "allreduce", "reduce")
"""Collectives whose mock-ups have regular components: always, and where processes of a node divide
the count (Section 4)."""

REASONS = {
    "reduce": "Open MPI's segmented reductions take two to five times as long as copying, adding "
    "and the work for messages do in the model; so the share of reductions in lane, which does "
    "them on nodes, is too small",
    "reduce_scatter_block": "the same: Open MPI reduces all to one rank first",
    "allreduce": "copies through caches, and the same of reductions",
    "allgather": "what strided types cost by length of their blocks: the model has one rate",
    "scatter": "the library's sends come back before messages have left: in the model they are one "
    "after the other",
    "gather": "what strided types cost by length of their blocks: the model has one rate, and the "
    "root unpacks all that comes to its node",
    "bcast": "chains of short segments take longer on nodes than copying in and out does",
    "alltoall": "many messages under way at once: matching and caches are not in the model",
}
"""Why ratios of a collective miss, as far as found."""

NOT_FOUND = "there is no simulated time yet"
BELOW_LANES = "published times are shorter than lanes allow"
NOT_PUBLISHED = "what Intel MPI chooses is not published"
EXCHANGED = (
    "times called hierarchical seem to be those of lanes, and the other way round: they take about "
    "0.1 ms more than native ones by the same two levels, which take as long as what is called lane"
)


def _reason(system: System, one: PublishedComparison) -> str:
    """Why a ratio misses, as far as found; empty where it was not."""
    hierarchical = one.case["ratio"] == "hierarchical/lane"
    if one.ours is None:
        return NOT_FOUND
    if hierarchical and system.name == "Jupiter":
        return EXCHANGED
    if hierarchical and one.case["collective"] == "reduce":
        return BELOW_LANES
    if not hierarchical and system.native == "intelmpi-2018":
        return NOT_PUBLISHED
    return REASONS.get(one.case["collective"], "")


@dataclass(frozen=True, order=True)
class PublishedCase:
    """The case that a published time is of."""

    benchmark: str
    """lane_pattern, multi_collective, collective or node_vs_lane."""
    section: str
    collective: str
    nodes: int
    ppn: int
    count: int
    variant: str
    """native, lane, hier ...; empty for probes."""
    virtual_lanes: int
    """The virtual lanes of a probe; else 0."""

    @classmethod
    def of(cls, row: Mapping[str, str]) -> PublishedCase:
        """The case of a row of the tables."""
        return cls(
            row["benchmark"],
            row["section"],
            row["collective"],
            int(row["nodes"]),
            int(row["processes_per_node"]),
            int(row["count_mpi_int"]),
            row["variant"],
            int(row["virtual_lanes"] or 0),
        )

    @property
    def shape(self) -> Sequence[int]:
        """Processes of each node."""
        return (self.ppn,) * self.nodes

    @property
    def algorithm(self) -> str:
        """Our algorithm for it: the paper's own mock-ups, which send nothing as a whole."""
        regular = self.collective in IN_REGULAR or (
            self.collective in DIVIDED and self.count % self.ppn == 0
        )
        if self.benchmark != "collective":
            return NATIVE
        return {
            "native": NATIVE,
            "lane": "lane_regular" if regular else self.irregular,
            "lane_irregular": self.irregular,
            "lane_no_datatypes": "lane_reorder",
            "hier": f"hierarchical{self._whole}",
        }[self.variant]

    @property
    def irregular(self) -> str:
        """The lanes' mock-up with vector collectives on nodes.

        It stands for the regular one as well where processes divide the count, but not the units
        of several elements in which ours moves data.
        """
        return f"lane{self._whole}"

    @property
    def _whole(self) -> str:
        return "(whole=0)" if self.collective == "bcast" else ""


@functools.cache
def published(system: System) -> Mapping[PublishedCase, float]:
    """The fastest times in microseconds; Jupiter's tables print one case twice."""
    times: dict[PublishedCase, float] = {}
    with TABLES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (row["system"], row["mpi_library"]) == (system.name, system.library):
                case, time = PublishedCase.of(row), float(row["min_us"])
                times[case] = min(time, times.get(case, time))
    return times


def _system(machine: str) -> System:
    if machine not in SYSTEMS:
        raise Misuse(
            f"no tables were published for the machine {machine}; there are some for "
            f"{', '.join(SYSTEMS)}"
        )
    return SYSTEMS[machine]


def points(machine: Machine, _: Asked) -> Iterator[SimulatedPoint]:
    """Every time of the tables. Raises Misuse for a machine that they are not of."""
    library = native.load(_system(machine.name).native)
    for case in published(_system(machine.name)):
        yield _point(case, machine, library)


def _point(case: PublishedCase, machine: Machine, library: native.Native) -> SimulatedPoint:
    call = Call(
        "alltoall" if case.virtual_lanes else case.collective,
        case.algorithm,
        case.count,
        case.shape,
    )
    # The mock-ups share out whatever there is, also less than an element a process.
    options = {**call.options, **machine.options, **library.options, "shares": "empty"}
    what = "probe" if case.virtual_lanes else "time"
    if case.virtual_lanes:
        lanes = case.benchmark == "lane_pattern"
        options["pattern"] = "lanes" if lanes else "collectives"
        options["virtual-lanes"] = str(case.virtual_lanes)
        options["repetitions"] = str(REPETITIONS if lanes else 1)

    def rows(tell: TellPart) -> Iterator[Row]:
        (result,) = program.lines(what, options, tell)
        if case.algorithm == "lane_regular" and not call.is_served(result):
            irregular = {**options, "algorithm": case.irregular}
            (result,) = program.lines(what, irregular, tell)
        elif not call.is_served(result):
            return
        yield {
            "kind": "sample",
            "run": 1,
            **vars(case),
            "algorithm": case.algorithm,
            "datatype": "int",
            "bytes": result["bytes"],
            "lanes": machine.lanes,
            "library": SIMULATED,
            "binding": "lane",
            "op": "sum" if case.collective in REDUCTIONS else None,
            "root": 0 if case.collective in ROOTED else None,
            **library.facts(result["rules"], judged=machine.name),
            "served_by": result["served_by"],
            "time_us": result["time_us"],
        }

    words = f"{case.benchmark} {case.collective} {case.variant or case.virtual_lanes} {case.count}"
    told = f"{words}, {case.nodes} x {case.ppn}"
    facts = {what: options, "case": vars(case), "rules": library.path.read_text(encoding="utf-8")}
    return SimulatedPoint(told, facts, rows)


@dataclass(frozen=True)
class RowTime:
    """The time of one case in the rows."""

    time_us: float
    inferred: bool
    served_by: str


def sections(part: StudyPart) -> Iterator[Section]:
    """Agreement first, then every table."""
    if part.origin.simulated_on is None:
        yield from _measured(part)
        return
    system = _system(part.origin.simulated_on)
    theirs = published(system)
    ours = _found(part, theirs)
    compared = [*_ratios(theirs, ours)]
    further = []
    if system.exchanged:
        found = agreement(_ratios(_exchanged(theirs), ours))
        further.append(f"With lane and hierarchical exchanged: {found}")
    if system.beyond:
        whole = [
            one
            for one in compared
            if one.case["collective"] not in system.beyond
            or not str(one.case["ratio"]).startswith("hierarchical")
        ]
        further.append(
            f"Without hierarchical {', '.join(sorted(system.beyond))}, whose times seem to lack "
            f"the lanes: {agreement(whole)}"
        )
    yield _summary(system, agreement(compared), further)
    for benchmark, title in (
        ("lane_pattern", "The lane pattern"),
        ("multi_collective", "Alltoall on several lanes at once"),
    ):
        yield _probes(title, [case for case in theirs if case.benchmark == benchmark], theirs, ours)
    for collective in COLLECTIVES:
        own = [one for one in compared if one.case["collective"] == collective]
        cases = [
            case
            for case in theirs
            if case.benchmark == "collective" and case.collective == collective
        ]
        if own:
            yield Section(
                f"{collective}: ratios",
                comparisons=own,
                quantity="ratio of times",
                ratios=True,
            )
            yield Section(
                f"{collective}: times",
                comparisons=_times(cases, theirs, ours),
                plots=[*_plots(cases, theirs, ours)],
            )
    if rest := [case for case in theirs if case.benchmark == "node_vs_lane"]:
        yield Section(
            "Allgather on a node, and between nodes",
            comparisons=_times(rest, theirs, ours),
            plots=[*_plots(rest, theirs, ours)],
        )


def _found(part: StudyPart, theirs: Mapping[PublishedCase, float]) -> dict[PublishedCase, RowTime]:
    """The times in the rows, case by case. Cases that the tables have are marked as shown."""
    ours = {}
    for row in part.rows:
        if row["kind"] == "sample" and "benchmark" in row:
            case = PublishedCase(**{name: row[name] for name in PublishedCase.__dataclass_fields__})
            ours[case] = RowTime(row["time_us"], row["inferred"], row["served_by"] or "")
            if case in theirs:
                part.shown.add(CaseKey.of(row))
    return ours


def _exchanged(theirs: Mapping[PublishedCase, float]) -> Mapping[PublishedCase, float]:
    """Times called lane as the hierarchical mock-up's, and the other way round, where both are."""
    other = {"lane": "hier", "hier": "lane"}
    swapped = {
        case: replace(case, variant=other.get(case.variant, case.variant)) for case in theirs
    }
    return {(there if there in theirs else case): theirs[case] for case, there in swapped.items()}


def _ratios(
    theirs: Mapping[PublishedCase, float], ours: Mapping[PublishedCase, RowTime]
) -> Iterator[PublishedComparison]:
    """Ratios of native and the hierarchical mock-up to the lanes', for every row of every table."""
    tables: dict[Hashable, dict[str, PublishedCase]] = defaultdict(dict)
    for case in theirs:
        if case.benchmark == "collective":
            key = (case.section, case.collective, case.nodes, case.ppn, case.count)
            tables[key][case.variant] = case
    for variants in tables.values():
        lane = variants.get("lane")
        for name in ("native", "hier"):
            if lane is None or name not in variants:
                continue
            case = variants[name]
            there = case in ours and lane in ours
            ratio = ours[case].time_us / ours[lane].time_us if there else None
            inferred = there and (ours[case].inferred or ours[lane].inferred)
            yield PublishedComparison(
                {
                    "section": case.section,
                    "collective": case.collective,
                    "ppn": case.ppn,
                    "count": case.count,
                    "ratio": f"{'hierarchical' if name == 'hier' else name}/lane",
                    "native by": ours[case].served_by if there and name == "native" else None,
                },
                theirs[case] / theirs[lane],
                ratio,
                counts=not inferred,
                remark="a rule of the library was inferred from the tables" if inferred else "",
            )


def _summary(system: System, found: Agreement, further: Sequence[str]) -> Section:
    verdicts = {None: "nothing to judge", True: "reached", False: "not reached"}
    verdict = verdicts[found.reaches(system.same_side, system.near)]
    asked = f"Asked for are {system.same_side:.0%} and {system.near:.0%}: {verdict}."
    stand_in = native.load(system.native).stand_in
    said = f"{system.native} is a stand-in, whose choices are not the library's: {stand_in}."
    return Section(
        f"How near: {system.name} with {system.library}",
        [str(found), *further, *([said] if stand_in else []), f"{asked} What misses is below."],
        table=[{**one.line(), "reason": _reason(system, one)} for one in found.missed],
    )


def _probes(
    title: str,
    cases: Sequence[PublishedCase],
    theirs: Mapping[PublishedCase, float],
    ours: Mapping[PublishedCase, RowTime],
) -> Section:
    off: dict[bool, list[float]] = defaultdict(list)
    for case in cases:
        if case in ours:
            alone = case.virtual_lanes <= ALONE
            off[alone].append(abs(ours[case].time_us / theirs[case] - 1))
    said = []
    if off[True]:
        said.append(f"One and two processes a node: off by {max(off[True]):.1%} at most.")
    if off[False]:
        said.append(f"More: off by {fmean(off[False]):.1%} on average.")
    return Section(
        title,
        said,
        _times(cases, theirs, ours),
        plots=[*_plots(cases, theirs, ours, lambda case: f"k = {case.virtual_lanes}")],
    )


def _times(
    cases: Iterable[PublishedCase],
    theirs: Mapping[PublishedCase, float],
    ours: Mapping[PublishedCase, RowTime],
) -> list[PublishedComparison]:
    return [
        PublishedComparison(
            {
                "section": case.section,
                "nodes": case.nodes,
                "ppn": case.ppn,
                "count": case.count,
                **({"k": case.virtual_lanes} if case.virtual_lanes else {"variant": case.variant}),
            },
            theirs[case],
            ours[case].time_us if case in ours else None,
        )
        for case in cases
    ]


def _plots(
    cases: Iterable[PublishedCase],
    theirs: Mapping[PublishedCase, float],
    ours: Mapping[PublishedCase, RowTime],
    label: Callable[[PublishedCase], str] = lambda case: case.variant,
) -> Iterator[Plot]:
    """A diagram a table: time over count, published and ours."""

    def table(case: PublishedCase) -> tuple[str, int]:
        return case.section, 0 if case.benchmark == "node_vs_lane" else case.ppn

    for (section, ppn), own in groupby(sorted(cases, key=table), key=table):
        curves: dict[str, list[PublishedCase]] = defaultdict(list)
        for case in sorted(own):
            curves[label(case)].append(case)
        shape = f"{ppn} processes a node" if ppn else "32 processes"
        yield Plot(
            f"{shape} ({'main text' if section == 'main' else f'Appendix {section}'})",
            "count",
            "us",
            [
                curve
                for name, each in curves.items()
                for curve in (
                    Curve(
                        f"{name}, published",
                        [(case.count, theirs[case]) for case in each],
                        published=True,
                        of=name,
                    ),
                    Curve(
                        name,
                        [(case.count, ours[case].time_us) for case in each if case in ours],
                        of=name,
                    ),
                )
            ],
            log_x=True,
            log_y=True,
        )


COMPARED = (NATIVE, "lane", "hierarchical")
MEASURED_COUNTS = (10, 1000, 100000)
MEASURED_BLOCKS = (1, 10, 1000)
"""Counts of collectives with a block a rank."""


def _plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, _: Asked
) -> Mapping[str, Plan]:
    arms = [comparison.Arm(setting, COMPARED) for setting in settings]
    whole = [name for name in COLLECTIVES if name not in IN_BLOCKS]
    blocks = [name for name in COLLECTIVES if name in IN_BLOCKS]
    return {
        "collectives": comparison.ComparisonPlan(
            build, arms, whole, MEASURED_COUNTS, further=[(blocks, MEASURED_BLOCKS)], **effort
        )
    }


def _case(key: CaseKey) -> tuple[str, int, int, int]:
    """The facts at which native, lane and hierarchical are compared."""
    return key.collective, key.nodes, key.ppn, key.count


def _measured(part: StudyPart) -> Iterator[Section]:
    """The times of native and hierarchical over lane's, where those were measured."""
    times: dict[tuple[str, int, int, int], dict[str, float]] = defaultdict(dict)
    for summary in part.summaries:
        algorithm, own = summary.key.algorithm, times[_case(summary.key)]
        own[algorithm] = min(summary.median_us, own.get(algorithm, summary.median_us))
    lines = [
        {
            **dict(zip(("collective", "nodes", "ppn", "count"), case, strict=True)),
            "lane us": own["lane"],
            "native/lane": own[NATIVE] / own["lane"] if NATIVE in own else None,
            "hierarchical/lane": (
                own["hierarchical"] / own["lane"] if "hierarchical" in own else None
            ),
        }
        for case, own in times.items()
        if "lane" in own
    ]
    part.show(
        summary
        for summary in part.summaries
        if summary.key.algorithm in COMPARED and "lane" in times[_case(summary.key)]
    )
    if lines:
        yield Section("What native and hierarchical take, to lane", table=lines)


STUDY = Study(
    title="Decomposing collectives over lanes",
    source="J. L. Träff, S. Hunold: Decomposing Collectives for Exploiting Multi-lane "
    "Communication, January 2020 (arXiv:1910.13373)",
    told="All tables of the paper and its appendices: how much several processes of a node carry "
    "at once, and what native, full-lane and hierarchical collectives take, on Hydra with three "
    "MPI libraries, VSC-3 and Jupiter. The libraries are described by native profiles. Lanes of "
    "the machines are fitted to the tables of the lane pattern; the work for a message to Hydra's "
    "alltoall on one lane at once (multi-collective), and is the same on the others.",
    machines=tuple(SYSTEMS),
    points=points,
    sections=each_library(sections),
    measuring=Measuring(_plans),
)
