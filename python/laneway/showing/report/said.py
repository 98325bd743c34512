# SPDX-License-Identifier: BSD-3-Clause
"""The words of a report: title, numbers at a glance, failures, and how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from laneway.choosing.recommendation import gain_of
from laneway.guideline import GuidelineFinding, GuidelineVerdict
from laneway.modelling.floor import Wire
from laneway.results.measurements import Measured
from laneway.rows import NATIVE, CaseSummary, Row, describe, impossible, lane_use
from laneway.showing.figures import FigureTable
from laneway.showing.figures.names import KeyNames
from laneway.units import counted, size


@dataclass(frozen=True)
class Card:
    """A number at the top."""

    label: str
    value: str
    detail: str = ""


def title(measured: Measured) -> str:
    """The title: the collectives that were compared."""
    collectives = once(summary.key.collective for summary in measured.summaries)
    if not collectives:
        return "Lanes probed"
    if len(collectives) > 4:
        return f"{counted(len(collectives), 'collective')} compared"
    return f"{', '.join(collectives)} compared"


def subtitle(measured: Measured) -> str:
    """The subtitle: machines and date."""
    dates = sorted(row["date"] for row in measured.rows if "date" in row)
    machines = once(summary.machine for summary in measured.summaries if summary.machine)
    return "; ".join([*machines, *([dates[0][:10]] if dates else [])])


def cards(measured: Measured, points: FigureTable, ratios: FigureTable) -> list[Card]:
    """Numbers at a glance."""
    found = [_gains(ratios)] if ratios else []
    bounded = [point for point in points if point["over_floor"]]
    if bounded:
        best = min(bounded, key=lambda point: float(point["over_floor"]))
        share = f"{percent(1 / best['over_floor'])} of it"
        found.append(Card("closest to what the wires allow", share, which(best)))
    if points:
        repetitions = sum(point["repetitions"] for point in points)
        runs = max(point["runs"] for point in points)
        found.append(
            Card("measured", f"{repetitions:,}", f"samples of {counted(len(points), 'case')}")
        )
        found.append(Card("runs of mpirun", f"{runs}", "of each case at most"))
    libraries = once(row["library"] for row in measured.of_kind("environment"))
    if libraries:
        found.append(Card("MPI library", libraries[0], ", ".join(libraries[1:])))
    return found


def _gains(ratios: FigureTable) -> Card:
    """The gains over native that tests have shown: a maximum of noisy ratios shows none."""
    shown = [line for line in ratios if line["verdict"] == "VIOLATED"]
    still_open = undecided(ratios)
    decided = ", ".join(still_open) or "all decided"
    if not shown:
        what = "none shown yet" if still_open else "none"
        return Card("gain over native", what, f"of {counted(len(ratios), 'case')}; {decided}")
    return Card("shown to be faster", f"{len(shown)} of {len(ratios)}", f"cases; {decided}")


def fastest(measured: Measured) -> dict[str, dict[str, str]]:
    """The winner of each case by place, operation and bytes: its curve, and a sentence."""
    names = KeyNames([summary.key for summary in measured.summaries])
    summaries = {summary.key: summary for summary in measured.summaries}
    found = {}
    for key in (standing.best for standing in measured.standings):
        case = "|".join((names.place(key), names.operation(key), str(key.bytes)))
        told = _won(summaries[key], measured.verdicts.get(key))
        found[case] = {"curve": names.curve(key), "told": told}
    return found


def _won(summary: CaseSummary, finding: GuidelineFinding | None) -> str:
    """A sentence on a winner and the tests' verdict, as in the box at the top."""
    if finding is not None and finding.verdict is GuidelineVerdict.VIOLATED:
        return gain_of(summary, finding).sentence()
    name = summary.key.algorithm
    if summary.ratio_to_native is None:
        return f"{name} has the lowest median"
    if name == NATIVE:
        return f"{name} has the lowest median; no other is confirmed to be faster"
    return f"{name} has the lowest median, but is not confirmed to be faster than native"


def undecided(ratios: FigureTable) -> list[str]:
    """The numbers of cases without an answer, by reason."""
    verdicts = Counter(line["verdict"] for line in ratios)
    return [f"{n} {each.lower()}" for each in ("UNDECIDED", "INVALID") if (n := verdicts[each])]


def fewest_more(ratios: FigureTable) -> int | None:
    """The fewest further runs that may decide some case; None where none is known."""
    return min((line["more_runs"] for line in ratios if line["more_runs"]), default=None)


def which(point: Mapping[str, Any]) -> str:
    """A case in a few words."""
    return f"{point['operation']}, {point['curve']}, {size(point['bytes'])}"


def percent(share: float) -> str:
    """A share in percent; small shares with enough digits."""
    return f"{100 * share:.0f}%" if share >= 0.0095 else f"{100 * share:.2g}%"


def failures(measured: Measured) -> list[str]:
    """The failures, each one once, with the number of times it occurred."""
    told = [
        row["message"] if row["kind"] == "failure" else describe(row)
        for row in measured.rows
        if row["kind"] in ("failure", "error")
    ]
    seen = Counter([*measured.damage, *told, *impossible(measured.summaries)])
    return [f"{text} ({times} times)" if times > 1 else text for text, times in seen.items()]


def commands(measured: Measured) -> list[dict[str, str]]:
    """The commands that were typed, and the jobs that they started."""
    return [
        {
            "date": row.get("date", ""),
            "machine": "{cpu}, {cores} cores, {system}".format(**row["machine"]),
            "command": row["command"],
            "job": row.get("job", ""),
        }
        for row in measured.rows
        if row["kind"] == "campaign"
    ]


def floors(measured: Measured) -> list[str]:
    """The meaning of the floor, a sentence for each kind of lanes whose rates are known."""
    return once(_floor(each.wire) for each in measured.summaries if each.wire)


def _floor(wire: Wire) -> str:
    has = wire.pace or f"a burst of {wire.burst} B"
    return f"{wire.formula}, for lanes of {wire.told} with {has}."


def lanes_used(rows: Sequence[Row]) -> list[str]:
    """The lanes' traffic in whole jobs, library by library."""
    by_library: dict[str, list[Row]] = {}
    library = ""
    for row in rows:
        library = row["library"] if row["kind"] == "environment" else library
        by_library.setdefault(library, []).append(row)
    return [f"{library}, {line}" for library, own in by_library.items() for line in lane_use(own)]


def environments(measured: Measured) -> list[Row]:
    """The first environment row of each library: every run notes the same."""
    first: dict[str, Row] = {}
    for row in measured.of_kind("environment"):
        own = {"place": None, "launched": None, "simulated": False, **row}
        first.setdefault(str(own["place"]) if own["simulated"] else row["library"], own)
    return list(first.values())


def once(texts: Iterable[str]) -> list[str]:
    """The texts without repetitions."""
    return list(dict.fromkeys(texts))
