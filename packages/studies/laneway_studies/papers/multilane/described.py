# SPDX-License-Identifier: BSD-3-Clause
"""The machines of the paper, simulated: every table, and how near ours come to its ratios."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from laneway.collectives import COLLECTIVES, REDUCTIONS, ROOTED
from laneway.errors import Misuse
from laneway.rows import SIMULATED, CaseKey, Row
from laneway.simulation import native, program
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway_studies.agreement import Agreement, agreement
from laneway_studies.papers.multilane.diagrams import diagrams_of
from laneway_studies.papers.multilane.reasons import reason_of
from laneway_studies.papers.multilane.tables import (
    REPETITIONS,
    SYSTEMS,
    PublishedCase,
    System,
    published,
)
from laneway_studies.study import (
    Asked,
    PublishedComparison,
    Section,
    SimulatedPoint,
    StudyPart,
    TellPart,
)

ALONE = 2
"""Virtual lanes up to which each process of Hydra has a lane of its own."""


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
    system = _system(str(part.origin.simulated_on))
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
                plots=[*diagrams_of(cases, theirs, _us(ours))],
            )
    if rest := [case for case in theirs if case.benchmark == "node_vs_lane"]:
        yield Section(
            "Allgather on a node, and between nodes",
            comparisons=_times(rest, theirs, ours),
            plots=[*diagrams_of(rest, theirs, _us(ours))],
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
        table=[{**one.line(), "reason": reason_of(system, one)} for one in found.missed],
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
        plots=[*diagrams_of(cases, theirs, _us(ours), lambda case: f"k = {case.virtual_lanes}")],
    )


def _us(ours: Mapping[PublishedCase, RowTime]) -> dict[PublishedCase, float]:
    return {case: own.time_us for case, own in ours.items()}


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
