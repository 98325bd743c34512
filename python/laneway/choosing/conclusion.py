# SPDX-License-Identifier: BSD-3-Clause
"""How a comparison ends: with its conclusion in a sentence, a profile, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from statistics import geometric_mean, median_high

from laneway import files
from laneway.campaign import Folder
from laneway.choosing import busy, next_commands
from laneway.choosing.profile import Profile, command, profile_names, profiles
from laneway.choosing.recommendation import (
    Recommendation,
    at_sizes,
    candidates,
    largest,
    own_recommendations,
)
from laneway.collectives import WITH_BARRIER, WITH_VECTORS, blocking, collective
from laneway.errors import Problem
from laneway.guideline import GuidelineFinding, GuidelineVerdict, Terms
from laneway.guideline.statistics import runs_at_least
from laneway.libraries import native, registry
from laneway.results.measurements import Measured
from laneway.rows import FORCED, NATIVE, SLOWEST_RANK, TUNED, CaseKey
from laneway.units import counted, size

SHOWN = 5
"""Recommendations that are told, at most: all of them are in the profile."""

MOST_RUNS = 60
"""Runs that are asked for, at most: where more are needed, the machine is the problem."""

TOO_MANY = (
    "{} runs like these may decide the first of them: they differ too much for gains that small. "
    "Measure again while nothing else runs, or longer in each run (--time)."
)
"""The advice where more runs than that are needed."""

TERMS = Terms()
"""The terms by which algorithms are compared with native."""


@dataclass
class Conclusion:
    """The lines that are told at the end, and the profiles that were written."""

    lines: list[str] = field(default_factory=list)
    profiles: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Reasons why profiles could not be written or taken away."""


def conclude(
    measured: Measured,
    folder: Path | None = None,
    *,
    sources: Sequence[Path] = (),
    more: bool = True,
) -> Conclusion:
    """The conclusion of measurements; in their `folder` profiles are written anew, or taken away.

    Without a folder nothing is written; the conclusion tells how to do so from the `sources` that
    were read. `more`: it also tells what more runs would decide.
    """
    found = Conclusion()
    recommended = profiles(measured)
    found.lines += _of_tuned(measured)
    for profile in recommended:
        found.lines += _told(profile.recommended)
    if not recommended:
        found.lines += _nothing(measured)
    if folder is not None:
        for profile, path in _kept(recommended, measured, folder, found):
            found.lines += _use(profile, str(path))
    elif sources:
        for profile in recommended:
            library = profile.library if len(measured.libraries) > 1 else None
            told = next_commands.writing(sources, library, profile.name)
            found.lines.append(f"for a profile that uses it: {told}")
    if any(key.algorithm.startswith(FORCED) for key in measured.samples):
        found.lines += _own(measured, [folder] if folder is not None else sources)
    if more:
        if not found.lines and sources:
            found.lines += _of_others(measured, sources)
        found.lines += _more(measured, folder, found=bool(recommended))
    return found


def _told(recommended: Sequence[Recommendation]) -> Iterator[str]:
    """The largest gains, by place where there are several."""
    wheres = {each.where for each in recommended}
    recommended = at_sizes(recommended)
    told = sorted(recommended, key=lambda each: -each.best.low)[:SHOWN]
    told.sort(key=lambda each: (-(each.where.lanes or 0), str(each.where)))  # the control last
    for where, own in groupby(told, key=lambda each: each.where):
        if len(wheres) > 1:
            yield f"{where}:"
        yield from (f"{each.sentence()}." for each in own)
    if left := len(recommended) - len(told):
        yield f"{counted(left, 'more gain')}, each with a rule in the profile."


def _own(measured: Measured, sources: Sequence[Path]) -> Iterator[str]:
    """The MPI library's possible gains by another choice among its own algorithms."""
    recommended = sorted(at_sizes(own_recommendations(measured)), key=lambda each: -each.best.low)
    yield from (f"{each.sentence()}." for each in recommended[:SHOWN])
    if (left := len(recommended) - SHOWN) > 0:
        yield f"{counted(left, 'more gain')} by a choice among its own."
    if not recommended:
        yield "No algorithm of the library is confirmed to be faster than the one that it chooses."
    elif sources:
        for name in sorted({each.library for each in recommended}):
            yield f"to have {name} use it by itself: {next_commands.exporting(sources, name)}"


def _use(profile: Profile, path: str) -> Iterator[str]:
    """The command to use a profile; of several shapes, for that of the largest gain."""
    yield f"to use it: {command(largest(profile.recommended), path)}"


def _kept(
    recommended: Sequence[Profile], measured: Measured, folder: Path, found: Conclusion
) -> Iterator[tuple[Profile, Path]]:
    """Puts profiles into the folder; earlier ones that are not confirmed any more are removed.

    Files that somebody has changed are left alone.
    """
    for name in sorted(profile_names(measured) - {profile.name for profile in recommended}):
        if files.is_ours(folder / name):
            try:
                (folder / name).unlink(missing_ok=True)
            except OSError as error:
                found.problems.append(f"cannot take {folder / name} away: {error.strerror}")
    for profile in recommended:
        path = folder / profile.name
        if path.exists() and not files.is_ours(path):
            found.problems.append(f"{path} was changed by somebody: it is left as it is")
            continue
        try:
            files.replace(path, profile.text)
        except Problem as problem:
            found.problems.append(str(problem))
            continue
        found.profiles.append(path)
        yield profile, path


# ---- where nothing is confirmed -----------------------------------------------------------------


def _nothing(measured: Measured) -> Iterator[str]:
    """Why nothing is recommended."""
    natives = [key for key in measured.samples if key.algorithm == NATIVE]
    owners = " or ".join(f"{name}'s" for name in measured.libraries)
    if any(key.statistic != SLOWEST_RANK for key in measured.samples) or not natives:
        return
    findings = candidates(measured)
    if not findings:
        if any(key.algorithm.startswith((FORCED, TUNED)) for key in measured.samples):
            return
        yield from _native_alone(measured, [*dict.fromkeys(key.collective for key in natives)])
        return

    def of_all(some: Sequence[GuidelineFinding]) -> str:
        return "the one case" if len(findings) == 1 else f"{len(some)} of {len(findings)} cases"

    hopeful = [*_hopeful(findings)]
    faster = [each for each in findings if each.verdict is GuidelineVerdict.VIOLATED]
    unjudged = [each for each in findings if each.ratio is None]
    if faster:
        yield (
            f"An algorithm is faster than {owners} own in {of_all(faster)}, but not with "
            "every datatype, operator and root that was measured at that size. "
            "Rules of a profile cannot tell these apart: no profile is written."
        )
    elif hopeful:
        yield (
            f"No algorithm is confirmed to be faster than {owners} own yet, but it looks so "
            f"in {of_all(hopeful)}{_too_few(hopeful)}. No profile is written."
        )
    elif unjudged:
        yield (
            f"{of_all(unjudged).capitalize()} could not be judged: laneway verify says "
            "why. No profile is written."
        )
    elif undecided := [*_undecided(findings)]:
        yield (
            f"No algorithm looks faster than {owners} own, but that is not certain in "
            f"{of_all(undecided)}{_too_few(undecided)}. No profile is written."
        )
    else:
        yield (
            f"No algorithm is faster than {owners} own by more than {TERMS.margin:.0%} in any "
            f"of {counted(len(findings), 'case')}. Native is the best choice here, and no profile "
            "is needed."
        )


def _native_alone(measured: Measured, collectives: Sequence[str]) -> Iterator[str]:
    """Advice on times of native alone: never the command that was just run."""
    served = _served()
    own = [name for name in collectives if blocking(name) in served]
    others = [name for name in collectives if name not in own]
    if others:
        yield (
            f"Only native was measured: Laneway has no algorithms for {', '.join(others)}. It has "
            f"some for {', '.join(served)}."
        )
    told = shlex.join(["laneway", "compare", *own])
    commands = [str(row["command"]) for row in measured.of_kind("campaign")]
    if own and any(_compares(each, own) for each in commands):
        yield (
            f"Only native was measured: none of the algorithms that were asked for can serve "
            f"{', '.join(own)} here; the notes say why."
        )
    elif own:
        yield f"Only native was measured. To see what other algorithms gain: {told}"


def _served() -> list[str]:
    """The collectives that the native build has algorithms for; without one, the usual ones."""
    known: Collection[str] = WITH_BARRIER
    with suppress(Problem):
        known = {own for own, _ in registry.by_key(native.find())}
    return [name for name in WITH_VECTORS if name in known]


def _compares(command: str, collectives: Sequence[str]) -> bool:
    """Whether a command compared all algorithms of these, as the command to be told would."""
    words = shlex.split(command)
    named = {collective(word) for each in words for word in each.split(",")}
    all_asked = "--algorithm" not in " ".join(words) or {"all", "best"} & {*words}
    return words[1:2] == ["compare"] and named >= {*collectives} and bool(all_asked)


def _of_tuned(measured: Measured) -> Iterator[str]:
    """How Laneway's automatic choice does against native, each at its better binding."""
    best: dict[CaseKey, float] = {}
    for summary in measured.summaries:
        case, gain = summary.key.case, summary.ratio_to_native
        if summary.key.algorithm == TUNED and gain is not None:
            best[case] = max(gain, best.get(case, gain))
    if not best:
        return
    gains = sorted((gain, f"{key.collective} {size(key.bytes)}") for key, gain in best.items())
    (least, where_least), (most, where_most) = gains[0], gains[-1]
    spread = f" on geometric mean, from {least:.2f} ({where_least}) to {most:.2f} ({where_most})"
    yield (
        f"The choice of tuned is {geometric_mean(best.values()):.2f} times as fast as native"
        f"{spread if gains[1:] else ''}."
    )


def _too_few(findings: Iterable[GuidelineFinding]) -> str:
    """Part of a sentence, where there are fewer runs than any test needs."""
    runs = max(each.runs for each in findings)
    few = runs < runs_at_least(TERMS.alpha)
    return f"; {counted(runs, 'run')} can never confirm it" if few else ""


def _undecided(findings: Iterable[GuidelineFinding]) -> Iterator[GuidelineFinding]:
    return (
        each
        for each in findings
        if each.verdict is GuidelineVerdict.UNDECIDED and each.ratio is not None
    )


def _of_others(measured: Measured, sources: Sequence[Path]) -> Iterator[str]:
    """Advice on times that other benchmarks printed: no profile is made of them."""
    if any(key.statistic != SLOWEST_RANK for key in measured.samples):
        yield "These are times that another benchmark printed: no profile is written of them."
        yield f"to see what they confirm: {next_commands.judging(sources)}"


def _hopeful(findings: Iterable[GuidelineFinding]) -> Iterator[GuidelineFinding]:
    """The undecided ones in which native looks slower."""
    return (each for each in _undecided(findings) if (each.ratio or 0) > 1 + TERMS.margin)


def runs_to_add(findings: Iterable[GuidelineFinding]) -> tuple[int, int, int] | None:
    """The runs to add that decide at least half of the open cases that runs in reach can decide.

    Also how many cases they decide, and how many more runs could decide at all. None where no
    number of runs up to MOST_RUNS decides anything.
    """
    more = [each for each in findings if each.more_runs is not None]
    few = [each.more_runs for each in more if each.more_runs and _in_all(each) <= MOST_RUNS]
    if not few:
        return None
    wanted = median_high(few)
    return wanted, sum(each <= wanted for each in few), len(more)


def _in_all(finding: GuidelineFinding) -> int:
    return finding.runs + (finding.more_runs or 0)


def more_runs(
    findings: Sequence[GuidelineFinding], folder: Path | None, what: str
) -> Iterator[str]:
    """The command for more runs where they decide, or why they hardly would; else nothing."""
    if not any(each.more_runs for each in findings):
        return
    added = runs_to_add(findings)
    if added is None:
        least = min(_in_all(each) for each in findings if each.more_runs)
        yield TOO_MANY.format(least)
        return
    wanted, decided, of = added
    part = f"the {of}" if decided == of else f"{decided} of the {of}"
    aim = f"to decide {part} {what}" if of > 1 else "to decide the one open case"
    if folder is not None and Folder(folder).imported:
        manifest = Folder(folder).manifest
        yield (
            f"{aim}, import the outputs of {manifest['runs'] + wanted} jobs or more together: "
            f"{next_commands.importing(manifest)}"
        )
    elif folder is not None and Folder(folder).resumable:
        runs = Folder(folder).manifest["runs"] + wanted
        yield f"{aim}: {Folder(folder).resume('--runs', str(runs))}"
    else:
        runs = max(each.runs for each in findings) + wanted
        yield f"{aim}, measure again with --runs {runs}"


def _more(measured: Measured, folder: Path | None, *, found: bool) -> Iterator[str]:
    """The command for more runs: of algorithms that look faster, else of all open cases."""
    findings = candidates(measured)
    open_ones = [*_hopeful(findings)] or ([] if found else [*_undecided(findings)])
    if open_ones and (told := busy.sentence(measured)):
        yield told
    yield from more_runs(open_ones, folder, "cases that more runs can decide")
