# SPDX-License-Identifier: BSD-3-Clause
"""The work of `laneway verify --against OLD`: measures OLD's points again, and compares."""

from __future__ import annotations

import re
import shlex
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from laneway.campaign import Folder, measure
from laneway.campaign import environment as environments
from laneway.campaign.folder import ROWS
from laneway.commands.shared import progress
from laneway.commands.shared.console import errors, output, say
from laneway.commands.shared.exit_codes import INTERRUPTED, NOT_WELL, UNDECIDED
from laneway.commands.shared.forms import Form, show
from laneway.commands.shared.measuring import Resumption, measured
from laneway.commands.shared.reading import read
from laneway.errors import Misuse, Problem
from laneway.files import must_be_there, results_folder
from laneway.guideline.change import CaseChange, ChangeVerdict, changes
from laneway.guideline.judge import Terms
from laneway.guideline.statistics import ONE_RUN
from laneway.plans import again as plans
from laneway.plans.again import OtherLauncher
from laneway.results.measurements import Measured
from laneway.rows import NATIVE, CaseKey
from laneway.rows.gain import TimesByRun
from laneway.showing.figures.names import shape_name
from laneway.tuning.progress import STATE, Tuning
from laneway.units import counted, microseconds, ratio, size

LISTED = 10
"""Differences of the environment that are told, at most."""
COLOURS = {
    ChangeVerdict.PASS: "green",
    ChangeVerdict.FAIL: "red",
    ChangeVerdict.UNDECIDED: "yellow",
}
LESS = ("now us", "then us", "runs", "bytes")
"""Columns that a narrow terminal goes without, from the first one on."""


def campaigns(source: Path) -> list[Folder]:
    """The campaigns of a folder, or of a file of rows or a profile in it.

    A tuning's campaigns are those that have confirmed its rules.

    Raises Misuse where there are none.
    """
    must_be_there(source)
    if source.is_file() and source.name != ROWS and source.suffix != ".conf":
        raise Misuse(
            f"{source} is neither the {ROWS} of a measurement nor a profile in its folder: "
            "name the folder"
        )
    folder = source if source.is_dir() else source.parent
    if (folder / ROWS).exists():
        return [Folder(folder)]
    states = [folder / STATE] if (folder / STATE).exists() else sorted(folder.glob(f"*/{STATE}"))
    found = [Folder(path) for state in states for path in _confirmed(state.parent)]
    found = found or [Folder(path.parent) for path in sorted(folder.glob(f"*/{ROWS}"))]
    if not found:
        raise Misuse(
            f"{source} holds no measurement. Name the folder of a campaign, a comparison, a "
            "verification or a tuning. (A profile's comments tell the command that made it.)"
        )
    return found


def _confirmed(folder: Path) -> list[Path]:
    """The folders where a tuning has confirmed its rules; empty where it has not got so far."""
    kept = Tuning.begin(folder, {})
    stages = [kept.of(stage) for stage in kept.stages if stage.name == "confirm"]
    return [stage for stage in stages if (stage / ROWS).exists()]


def measured_again(old: Sequence[Folder], launcher: OtherLauncher) -> Folder:
    """Measures the same points as then, in a new folder, or goes on in one. Raises Problem."""
    resumed = click.get_current_context().find_object(Resumption)
    with plans.again(old, launcher, say) as plan:
        if resumed is None:
            with (
                progress.shown(errors(), plan, plan.runs) as observer,
                results_folder("verify") as folder,
            ):
                result = measure(plan, folder, observer, say=say)
        else:
            result = measured(plan, resumed.folder)
    for failure in result.failures:
        say(failure)
    if result.interrupted:
        say(f"interrupted; go on with: {Folder(result.folder).resume()}")
        sys.exit(INTERRUPTED)
    if result.is_empty:
        raise Problem("nothing could be measured")
    say(f"rows: {result.folder}")
    return Folder(result.folder)


@dataclass(frozen=True)
class Verification:
    """The measurements of then and now, and the verdicts of tests."""

    then: Measured
    now: Measured
    changes: Sequence[CaseChange]
    differences: Sequence[str]
    """Differences in machines, libraries and shapes, in sentences."""
    missing: Sequence[CaseKey]
    """Cases of then that were not measured now."""
    again: bool
    """Whether everything was to be measured again, so that no case may be missing."""

    @property
    def exit_code(self) -> int:
        """The exit code, for a regression test."""
        verdicts = {each.verdict for each in self.changes}
        if ChangeVerdict.FAIL in verdicts or (self.again and self.missing):
            return NOT_WELL
        return UNDECIDED if ChangeVerdict.UNDECIDED in verdicts else 0

    def rows(self) -> Iterator[dict[str, Any]]:
        """JSON objects: differences of the environment, missing cases, and a change a case."""
        yield from (
            {"kind": "environment_difference", "message": each} for each in self.differences
        )
        yield from ({"kind": "missing", **_facts(key)} for key in self.missing)
        yield from (each.to_json() for each in self.changes)


def verified(
    old: Sequence[Folder],
    new: Sequence[Folder],
    terms: Terms,
    algorithm: str | None,
    *,
    again: bool,
) -> Verification:
    """Compares the times of now with those of then. Raises Misuse where none can be compared."""
    try:
        then, now = (read([folder.raw for folder in side]) for side in (old, new))
    except Problem as problem:
        raise Misuse(str(problem)) from problem
    before, after = (_times(side, algorithm) for side in (then, now))
    named = _as_named_now(before, after)
    pairs = [(named[key], own, after[named[key]]) for key, own in before.items() if key in named]
    pairs.sort(key=lambda pair: _order(pair[0]))
    missing = [key for key in before if key not in named]
    told = [*_differences(old, new), *_other_libraries(then, now)]
    if not pairs:
        raise Misuse(
            "nothing was measured both times: "
            f"then {_shapes(before)}, now {_shapes(after)}"
            + "".join(f"\n  {each}" for each in told[:LISTED])
        )
    found = changes(pairs, terms, now.wrong(key for key, _, _ in pairs))
    return Verification(then, now, found, told, missing, again)


def _times(side: Measured, algorithm: str | None) -> dict[CaseKey, TimesByRun]:
    """The medians of runs, of an algorithm alone if one is asked for, without simulated ones."""
    return {
        key: own.medians()
        for key, own in side.samples.items()
        if key.simulated is None and algorithm in (None, key.algorithm)
    }


def _order(key: CaseKey) -> tuple[object, ...]:
    """The order of cases: by place, collective and size; of algorithms native first."""
    place = (key.library, key.nodes, key.ppn, -(key.lanes or 0), key.binding)
    own = key.algorithm != NATIVE, key.algorithm
    return (*place, key.collective, key.datatype, repr(key.axes), key.count, *own)


def _as_named_now(
    before: Mapping[CaseKey, TimesByRun], after: Mapping[CaseKey, TimesByRun]
) -> dict[CaseKey, CaseKey]:
    """The case of now for each case of then: of the same library, or another version of it."""
    libraries = {key.library for key in after}
    found = {}
    for key in before:
        versions = [each for each in libraries if _family(each) == _family(key.library)]
        own = [key.library] if key.library in libraries else versions
        same = [case for case in (replace(key, library=name) for name in own) if case in after]
        if len(same) == 1:
            found[key] = same[0]
    return found


def _family(library: str) -> str:
    """A library without its version: Open MPI."""
    return re.split(r"\s+\d", library)[0]


def _differences(old: Sequence[Folder], new: Sequence[Folder]) -> Iterator[str]:
    """The differences of the environments, as far as their manifests tell."""
    told = [[_environment(folder) for folder in side] for side in (old, new)]
    before, after = (next(filter(None, side), None) for side in told)
    if before and after:
        yield from environments.differences(before, after)


def _environment(folder: Folder) -> dict[str, Any]:
    """The environment of a campaign, without the places, which the cases tell."""
    if not (folder.path / "manifest.json").exists():
        return {}
    kept = folder.manifest.get("environment", {})
    return {name: value for name, value in kept.items() if name != "places"}


def _other_libraries(then: Measured, now: Measured) -> Iterator[str]:
    if {*then.libraries} != {*now.libraries}:
        yield f"libraries were {', '.join(then.libraries)}, are {', '.join(now.libraries)}"


def _shapes(keys: Mapping[CaseKey, TimesByRun]) -> str:
    """Libraries and shapes of the measured cases, in words."""
    told = {f"{key.library} on {shape_name(key)}" for key in keys}
    return ", ".join(sorted(told)) or "nothing"


def _facts(key: CaseKey) -> dict[str, Any]:
    return {"collective": key.collective, "algorithm": key.algorithm, "count": key.count,
            "bytes": key.bytes, "nodes": key.nodes, "ppn": key.ppn, "library": key.library,
            "binding": key.binding}  # fmt: skip


# ---- what is printed -----------------------------------------------------------------------------


def show_verification(
    form: Form, found: Verification, source: Path, now: Sequence[Folder], terms: Terms
) -> None:
    """Prints the table or the rows, and what they say in words."""
    show(form, found.rows(), [_table(found.changes)], less=LESS)
    if form is Form.TEXT:
        for line in _told(found, source, now, terms):
            output().print(line, highlight=False, markup=False, soft_wrap=True)


def _table(found: Sequence[CaseChange]) -> Table:
    listing = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    axes = _telling([each.key for each in found])
    for heading in (*axes, "collective", "algorithm"):
        listing.add_column(heading)
    for heading in ("count", "bytes", "then us", "now us", "ratio"):
        listing.add_column(heading, justify="right", no_wrap=True)
    listing.add_column("verdict", no_wrap=True)  # beside the ratio also where the others come below
    for heading in ("interval", "runs"):
        listing.add_column(heading, justify="right", no_wrap=True)
    for each in found:
        key, own = each.key, each.shift
        facts = {"shape": shape_name(key), **_others(key)}
        interval = f"{ratio(own.low)} to {ratio(own.high)} ({own.confidence:.0%})" if own else "-"
        listing.add_row(
            *(str(facts.get(axis, "")) for axis in axes),
            key.collective,
            escape(key.algorithm),
            str(key.count),
            size(key.bytes),
            microseconds(each.before_us),
            microseconds(each.now_us),
            ratio(own.ratio) if own else "-",
            f"[{COLOURS[each.verdict]}]{each.verdict}[/]",
            interval if own and own.confidence else "-",
            f"{each.runs_before}, {each.runs_now}",
        )
    return listing


def _others(key: CaseKey) -> dict[str, Any]:
    return {"lanes": key.lanes, "library": key.library, "binding": key.binding,
            "datatype": key.datatype, **dict(key.axes)}  # fmt: skip


def _telling(keys: Sequence[CaseKey]) -> list[str]:
    """The axes in which cases differ: the others need no column."""
    values: dict[str, set[str]] = {}
    for key in keys:
        shape = {"shape": shape_name(key)}
        for name, value in {**shape, **_others(key)}.items():
            values.setdefault(name, set()).add(str(value))
    return sorted(name for name, found in values.items() if len(found) > 1 and name != "ranks")


def _told(found: Verification, source: Path, now: Sequence[Folder], terms: Terms) -> Iterator[str]:
    date = next((str(row["date"])[:10] for row in found.then.of_kind("campaign")), "then")
    for each in found.differences[:LISTED]:
        yield f"not as on {date}: {each}"
    if (more := len(found.differences) - LISTED) > 0:
        yield f"not as on {date}: {counted(more, 'more fact')}"
    if found.missing:
        named = sorted({f"{key.collective} by {key.algorithm}" for key in found.missing})
        yield (
            f"{counted(len(found.missing), 'case')} of {date} not measured now: "
            f"{', '.join(named[:LISTED])}{' ...' if named[LISTED:] else ''}"
        )
    yield (
        f"Ratios are times now over those of {date}. Runs of both days are no pairs: the interval "
        f"is over runs. PASS: not slower by {terms.margin:.0%} (the margin), shown by the runs. "
        f"FAIL: slower by more. {terms.alpha:.0%} of either may be wrong."
    )
    yield from _undecided(found.changes, source, now)
    if found.again and found.missing:
        yield "FAIL: some of the cases of then can no longer be measured."
    else:
        yield from _conclusion(found.changes, source, date)


def _undecided(found: Sequence[CaseChange], source: Path, now: Sequence[Folder]) -> Iterator[str]:
    left = [each for each in found if each.verdict is ChangeVerdict.UNDECIDED]
    for reason, number in Counter(each.reason for each in left if not each.runs).items():
        yield f"undecided, {counted(number, 'case')}: {reason}"
    if wanted := [each.runs for each in left if each.runs]:
        runs = statistics.median_high(wanted)
        yield (
            f"undecided, {counted(len(wanted), 'case')}: {runs} runs of "
            "each side decide at least half of them, if they are like these"
        )
        if len(now) == 1 and (begun := _begun_by(now[0])):
            more = now[0].resume("--runs", str(runs))
            again = shlex.join(["laneway", "verify", "--against", str(source), str(now[0].path)])
            yield f"to add runs of now: {more}{'' if begun == 'verify' else f' && {again}'}"


def _begun_by(folder: Folder) -> str:
    """The command that began the campaign; empty where the campaign cannot go on."""
    if folder.imported or not (folder.path / "manifest.json").exists():
        return ""
    _, name, *_ = [*shlex.split(str(folder.manifest.get("command", ""))), "", ""]
    return name if name in ("calibrate", "campaign", "compare", "probe", "verify") else ""


def _conclusion(found: Sequence[CaseChange], source: Path, date: str) -> Iterator[str]:
    slower = [each for each in found if each.verdict is ChangeVerdict.FAIL]
    passed = sum(each.verdict is ChangeVerdict.PASS for each in found)
    cases = counted(len(found), "case")
    if slower:
        worst = max(slower, key=lambda each: each.shift.ratio if each.shift else float("inf"))
        key, own = worst.key, worst.shift
        what = f"{key.collective} of {size(key.bytes)} by {key.algorithm}"
        how = (
            f"takes {ratio(own.ratio)} times as long ({ratio(own.low)} to {ratio(own.high)})"
            if own
            else worst.reason
        )
        yield f"FAIL: {what} {how} as on {date}; {len(slower)} of {cases} fail, {passed} pass."
        if own and len(slower) > len(found) / 2:
            shifts = [each.shift.ratio for each in found if each.shift]
            yield (
                f"Most cases are slower, {ratio(statistics.median(shifts))} times at the median: "
                "look at the machine first (laneway doctor)."
            )
    elif passed == len(found):
        yield f"PASS: {cases} as on {date}, {source}."
    else:
        one = all(
            each.reason == ONE_RUN for each in found if each.verdict is ChangeVerdict.UNDECIDED
        )
        yield f"UNDECIDED: {passed} of {cases} pass, none fails{f'; {ONE_RUN}' if one else ''}."
