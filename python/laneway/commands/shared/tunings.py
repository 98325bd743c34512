# SPDX-License-Identifier: BSD-3-Clause
"""The work of `laneway tune` on each shape, and the resulting profiles."""

from __future__ import annotations

import shlex
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NoReturn

import click

from laneway import campaign, decisions, files
from laneway.campaign import Result
from laneway.campaign.bench import must_make_sense
from laneway.choosing import next_commands
from laneway.choosing.profile import Tuned, profile_text
from laneway.choosing.recommendation import Where
from laneway.collectives import EQUAL, NONBLOCKING, VECTORS, blocking
from laneway.commands.shared import progress
from laneway.commands.shared.console import errors, output, say
from laneway.commands.shared.exit_codes import INTERRUPTED
from laneway.commands.shared.options import named_layouts
from laneway.errors import Misuse, Problem
from laneway.files import users_folder
from laneway.launching.place import Place, Setting
from laneway.libraries import native, registry
from laneway.libraries.native import NativeBuild
from laneway.results.measurements import Measured
from laneway.rows import NATIVE, Row
from laneway.tuning import race, shapes
from laneway.tuning.bindings import MeasuredPlace, verdicts
from laneway.tuning.costs import expected
from laneway.tuning.outcome import Outcome
from laneway.tuning.progress import Tuning
from laneway.tuning.shapes import JobShape, Limits, ShapePart
from laneway.tuning.stage import StagePlan, TuningPlace, TuningPoint
from laneway.tuning.tuner import Tuner
from laneway.units import counted, exact_range, in_full, roughly, size


@dataclass(frozen=True)
class TuneOptions:
    """The options, checked. Raises BadParameter, Misuse, Problem."""

    collectives: tuple[str, ...]
    budget: float
    min_bytes: int
    max_bytes: int
    mpi: str | None
    elsewhere: str
    output: Path | None
    install: bool
    out: Path
    report: Path | None
    shapes: str
    program: Path | None
    layouts: tuple[str, ...] = (EQUAL,)

    def __post_init__(self) -> None:
        if self.install and self.output:
            raise click.BadParameter("--install or --output, not both: each says where it goes")
        if self.min_bytes > self.max_bytes:
            raise click.BadParameter(
                f"--min-bytes {self.min_bytes} is above --max-bytes {self.max_bytes}"
            )
        named_layouts(self.layouts)
        known = registry.collectives(self.build)
        for name in self.collectives:
            if blocking(name) not in known:
                raise click.BadParameter(f"'{name}' is none of {', '.join(known)}")
        vectors = [name for name in map(blocking, self.names) if name in VECTORS]
        for layout in self.layouts if vectors and self.layouts != (EQUAL,) else ():
            words = [f"--collective={','.join(dict.fromkeys(vectors))}", f"--layout={layout}"]
            must_make_sense(self.build.bench, words)

    @cached_property
    def build(self) -> NativeBuild:
        """The MPI library."""
        return native.find(self.mpi)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The collectives to tune: for a program, in their nonblocking forms as well."""
        known = tuple(registry.usual_collectives(self.build))
        forms = [form for form, name in NONBLOCKING.items() if name in known]
        return self.collectives or (known if self.program is None else (*known, *forms))

    def path(self, setting: Setting) -> Path:
        """The path of a shape's profile: all jobs find it where that is a user's folder.

        A profile for one program is for its jobs alone. A profile of nodes that are no real ones is
        not to be found, unless --install asks for that.
        """
        kind = setting.place.kind
        found = self.install or (self.program is None and kind == "real")
        folder = users_folder() if found else self.out
        kind = "" if kind == "real" else f"-{kind}"
        return self.output or folder / f"{self.build.id}-{_slug(setting)}{kind}.conf"


BOTH = 300.0
"""Seconds of a budget from which on a program is measured with other bindings than its own, too."""


def bindings(asked: TuneOptions, wanted: str | None, setting: Setting) -> list[Setting]:
    """The setting with each binding to tune for: each by itself, as a job has one alone.

    `wanted` is the one that was asked for. A program's own comes first, and is the only one where
    the budget is small.
    """
    if wanted is not None or setting.bound is None:
        return [setting]
    names: list[str] = ["lane", "all"]
    report = None if asked.program is None else decisions.load(asked.program)
    own = report.binding if report else None
    if own in names:
        names.sort(key=lambda name: name != own)
        if asked.budget < BOTH:
            say(
                f"binding {own} alone, which is the program's: a --budget of {roughly(BOTH)} or "
                "more says which binding serves it best"
            )
            names = [own]
    found = []
    for name in names:
        each = replace(setting, binding=name)
        try:
            each.place.job(asked.build, (), each.lanes, each.binding)
        except Problem as problem:
            say(f"nothing is tuned for binding {name}: {problem}")
            continue
        found.append(each)
    return found or [setting]


def parts(asked: TuneOptions, largest: Setting, own: int = 1) -> list[ShapePart]:
    """The points to tune on each shape, for so many bindings each.

    Raises Misuse where there is nothing to tune.
    """
    shape = JobShape(largest.place.nodes, largest.place.ppn)
    limits = Limits(asked.min_bytes, asked.max_bytes, asked.budget, own)
    if asked.program is None:
        smaller = asked.shapes == "all"
        return shapes.of_machine(shape, asked.names, limits, say, smaller=smaller)
    report = decisions.load(asked.program)
    found = shapes.of_program(report, shape, asked.names, limits, say)
    if not found:
        raise Misuse(f"{asked.program}: no call that could be served here")
    return found


def foreseen(
    asked: TuneOptions, found: Sequence[ShapePart], settings: Sequence[Setting] = ()
) -> str:
    """The work ahead in a sentence, before anything runs."""
    points = [point for part in found for point in part.points]
    names = {point.collective for point in points}
    where = ", ".join(str(part.shape) for part in found)
    return (
        f"to be tuned: {counted(len(points), 'point')} ({counted(len(names), 'collective')}) on "
        f"{where} nodes x ranks{_with_bindings(settings)}; measurements take "
        f"{in_full(asked.budget)} at most (--budget)"
    )


def _with_bindings(settings: Sequence[Setting]) -> str:
    names = [setting.binding for setting in settings if setting.bound]
    return f", binding {' and '.join(names)}" if names else ""


class ShapeTuning:
    """The tuning of a shape with one binding: its measurements, and their outcome."""

    def __init__(
        self, asked: TuneOptions, part: ShapePart, largest: Setting, *, alone: bool
    ) -> None:
        self.part, self.asked = part, asked
        place = replace(largest.place, nodes=part.shape.nodes, ppn=part.shape.ppn)
        self.setting = replace(largest, place=place)
        self.alone = alone
        self.folder = asked.out if alone else asked.out / _slug(self.setting)
        budget = asked.budget * part.share
        options = {
            "mpi": asked.build.id,
            "shape": _shape(self.setting),
            "collective": sorted(asked.collectives),
            "budget": round(budget, 3),
            "min-bytes": asked.min_bytes,
            "max-bytes": asked.max_bytes,
            **({"for": str(asked.program)} if asked.program else {}),
            **({"layout": [*asked.layouts]} if asked.layouts != (EQUAL,) else {}),
        }
        self.tuning = Tuning.begin(self.folder, options)
        self.tuner = Tuner(
            self.tuning,
            part.points,
            budget,
            TuningPlace(asked.build, self.setting, asked.layouts),
            _measure,
            say,
            part.worth,
            self._expected,
            lambda: progress.of_parts(errors()),
        )
        self.outcome: Outcome | None = None

    def measure(self) -> bool:
        """Measures the rest of the stages. False: the tuning was interrupted."""
        if not self.alone:
            say(f"{self.name}, {self.part.share:.0%} of the budget")
        kept = _text(self.asked.path(self.setting)) if self.has_a_file else ""
        self.outcome = self.tuner.outcome(self.tuned.keeping(kept))
        return self.outcome is not None

    @property
    def name(self) -> str:
        """The shape and the binding, in words."""
        bound = self.setting.bound
        return f"{self.part.shape}{f', binding {bound}' if bound else ''}"

    @property
    def environment(self) -> Row:
        """The row that tells how its jobs were started."""
        return next(iter(self.tuning.measured("screen").of_kind("environment")), {})

    @property
    def _expected(self) -> dict[TuningPoint, race.Field]:
        """Times of native before anything was measured: as the program had them, or by lanes."""
        of_program = {point: {NATIVE: 1e6 * call} for point, call in self.part.seconds.items()}
        return of_program or expected(self.part.points, self.setting)

    @property
    def has_a_file(self) -> bool:
        """Whether the shape's profile is a file of its own."""
        return self.asked.output is None or self.alone

    @property
    def tuned(self) -> Tuned:
        """The parts of the shape's profile besides rules; for a program, its calls' sizes alone."""
        called = {point.collective for point in self.part.points}
        return Tuned(
            self.asked.build.library,
            _shape(self.setting),
            self.asked.elsewhere,
            [name for name in self.asked.names if name in called],
            whole=self.asked.program is None,
            place="" if self.setting.place.kind == "real" else self.setting.place.kind,
        )

    @property
    def confirmed(self) -> Measured:
        """The measurements of the stage *confirm*."""
        return self.tuning.measured("confirm")

    @property
    def seconds(self) -> float:
        """Seconds that the tuning's jobs have taken, and the costs before them."""
        return self.tuning.seconds()

    def row(self) -> Row:
        """The row of the tuning for a report: seconds spent, and open points."""
        assert self.outcome  # noqa: S101 - it has been measured
        stages = self.tuning.stages
        return {
            "kind": "tuning",
            "shape": str(self.part.shape),
            "binding": self.setting.bound,
            "budget": self.tuner.budget,
            "seconds": {
                "costs": self.tuning.thought,
                **{each.name: sum(self.tuning.seconds_of(each)) for each in stages},
            },
            "open": [*map(_told, self.outcome.open)],
            "taken_back": [*map(_told, self.outcome.failed)],
            "left": _ranges(self.outcome),
        }

    def rows(self) -> Iterator[Row]:
        """The rows of the outcome, and one for each range of bytes that it leaves undecided."""
        assert self.outcome  # noqa: S101 - it has been measured
        yield from self.outcome.rows()
        place = self.setting.place
        library = self.asked.build.library
        bound = self.setting.bound
        where = Where(library, place.nodes, place.ppn, self.setting.lanes, binding=bound)
        yield from self.outcome.undecided_rows(where)

    def print_left(self) -> None:
        """Prints the rules taken back, what more time would decide, and a program's gain."""
        assert self.outcome  # noqa: S101 - it has been measured
        before = "" if self.alone else f"{self.name}: "
        runs = next((one.runs for one in self.tuning.stages if one.name == "confirm" and
                     one.contestants), 0)  # fmt: skip
        for line in (*_left(self.outcome, runs), *self._saved(self.outcome)):
            output().print(f"{before}{line}", highlight=False, markup=False, soft_wrap=True)

    def _saved(self, outcome: Outcome) -> Iterator[str]:
        """The part of the program's time in these collectives that the profile saves."""
        if self.part.calls:
            share = self.part.saved(outcome.rules, outcome.checked)
            yield f"by the check, {share:.0%} of what the program spends in these calls is saved"


def _shape(setting: Setting) -> str:
    """The shape of the measured communicators, as the header of a profile names it."""
    place = setting.place
    lanes = "" if setting.lanes is None else f" lanes={setting.lanes}"
    binding = f" binding={setting.bound}" if setting.bound else ""
    return f"nodes={place.nodes} ppn={place.ppn}{lanes}{binding}"


def _slug(setting: Setting) -> str:
    """The shape and the binding in the name of a file."""
    place = setting.place
    lanes = "" if setting.lanes is None else f"-{setting.lanes}-lanes"
    binding = f"-{setting.bound}" if setting.bound else ""
    return f"{place.nodes}x{place.ppn}{lanes}{binding}"


def _text(profile: Path) -> str:
    """The text of a file that may be there; empty for one that somebody has changed."""
    try:
        text = profile.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
    return text if files.is_unchanged(text) else ""


def _measure(plan: StagePlan, folder: Path) -> Result:
    """Carries a stage out, or goes on with it."""
    begun = (folder / "manifest.json").exists()
    what = f"{plan.stage.name}: {counted(len(plan.stage.contestants), 'point')}"
    say(f"{what}, {counted(plan.runs, 'run')}")
    with progress.shown(errors(), plan, plan.runs) as observer:
        result = campaign.measure(
            plan,
            folder,
            observer,
            resume=begun,
            say=say,
            leave_out=plan.leave_out,
            standing=plan.standing,
        )
    _check_shape(plan.place, result)
    return result


def _check_shape(place: Place, result: Result) -> None:
    """Raises Problem where jobs ran on other nodes than intended: rules would be for those."""
    for row in result.rows:
        found = row.get("nodes"), row.get("ppn")
        if row["kind"] == "environment" and None not in found and found != (place.nodes, place.ppn):
            raise Problem(
                f"a job for {place.shape} ranks ran on {found[0]} x {found[1]}: say where by "
                "--launcher-options, or measure all nodes alone (--shapes one)"
            )


def measure(asked: TuneOptions, tunings: Sequence[ShapeTuning]) -> None:
    """Measures shape after shape; interrupted, writes decided rules and says how to go on."""
    for number, each in enumerate(tunings):
        # Earlier ones may have taken more than their share: the others have what is left.
        spent = sum(other.seconds for other in tunings[:number])
        shares = sum(other.part.share for other in tunings[number:])
        each.tuner.limit((asked.budget - spent) * each.part.share / shares)
        if not each.measure():
            if asked.output is None:
                write_profiles(asked, tunings)
            _interrupted(asked)


def _interrupted(asked: TuneOptions) -> NoReturn:
    words = [word for word in sys.argv[1:] if word != "--out" and word != str(asked.out)]
    say(f"interrupted; go on with: {shlex.join(['laneway', *words, '--out', str(asked.out)])}")
    sys.exit(INTERRUPTED)


def best_bindings(tunings: Sequence[ShapeTuning]) -> Iterator[str]:
    """Lines that say which binding serves best as a whole, by how much, and how jobs get it.

    They say so for each shape of a machine. A job of a program has one binding for all of its
    communicators, so for a program they say it of these together.
    """
    if any(each.part.calls for each in tunings):
        yield from _best_binding("the program", tunings)
        return
    for shape in dict.fromkeys(each.part.shape for each in tunings):
        own = [each for each in tunings if each.part.shape == shape]
        yield from _best_binding(str(shape), own)


def _best_binding(what: str, tunings: Sequence[ShapeTuning]) -> Iterator[str]:
    times: dict[str, dict[MeasuredPlace, float]] = defaultdict(dict)
    worth: dict[MeasuredPlace, float] = {}
    for each in tunings:
        shape = each.part.shape
        found = each.outcome.times if each.outcome else {}
        times[each.setting.binding] |= {(shape, point): time for point, time in found.items()}
        worth |= {(shape, point): own for point, own in each.part.worth.items()}
    told = verdicts(times, worth)
    yield from (f"{what}: {verdict}" for verdict in told)
    if told:
        own = (each for each in tunings if each.setting.binding == told[0].best)
        best = max(own, key=lambda each: each.part.shape)
        place = best.setting.place
        start = next_commands.command(best.environment, place.nodes, place.ppn)
        yield f"{what}: jobs with that binding: {start}"


def _left(outcome: Outcome, runs: int = 0) -> Iterator[str]:
    """Lines about rules that were taken back, and about what more time would decide.

    `runs`: those that were to confirm something.
    """
    if outcome.profile is None and runs and not outcome.failed:
        yield f"{counted(runs, 'run')} confirmed nothing: no profile is written."
    elif outcome.profile is None:
        more = "more" if outcome.failed else "anything"
        what = f"confirm {more}" if outcome.open else "measure anything"
        yield f"No time was left to {what}: no profile is written. Try --budget 20m."
    elif not outcome.rules:
        yield "Nothing is confirmed to be faster than native: native is the best choice here."
    if outcome.failed:
        listed = _listed(outcome.failed)
        yield f"taken back, as the profile was slower there: {listed}"
    if outcome.unchecked:
        yield f"confirmed, but not checked for want of time: {_listed(outcome.unchecked)}"
    if outcome.open:
        yield (
            f"faster by the look of it, but not confirmed: {_listed(outcome.open)}. "
            "A larger --budget, or fewer collectives at a time, may decide it"
        )
    if left := _ranges(outcome):
        yield f"not decided, what serves without the profile does: {'; '.join(left)}"


def _ranges(outcome: Outcome) -> list[str]:
    """The ranges of bytes that the profile leaves undecided, a collective each, in words."""
    return [
        f"{name} {', '.join(exact_range(*each) for each in ranges)}".rstrip()
        for name, ranges in outcome.left.items()
    ]


def _listed(points: Sequence[TuningPoint]) -> str:
    return ", ".join(map(_told, points))


def _told(point: TuningPoint) -> str:
    return f"{point.collective} {size(point.bytes)}" if point.bytes else point.collective


def write_profiles(asked: TuneOptions, tunings: Sequence[ShapeTuning]) -> None:
    """Puts profiles where they belong: one for each shape, or one with all of them."""
    decided = [each for each in tunings if each.outcome and each.outcome.profile]
    if not decided:
        return
    if asked.output is None or len(decided) == 1:
        paths = [_put(each.outcome.profile, asked.path(each.setting), each.folder)
                 for each in decided if each.outcome and each.outcome.profile]  # fmt: skip
    else:
        paths = [_put(together(decided, _text(asked.output)), asked.output, asked.out)]
    if asked.program is None:
        largest = size(asked.max_bytes)
        say(f"calls of more than {largest} are not tuned: see --max-bytes")
    found = all(path.parent == users_folder() for path in paths)
    named = [] if found else [*map(str, paths)]
    widest = max(decided, key=lambda each: each.part.shape.nodes)
    place = widest.setting.place
    if place.kind == "real":
        use = "".join(f" --profile {shlex.quote(path)}" for path in named)
        say(f"to use it: laneway exec{use} -- mpirun -np N ./app")
        return
    elsewhere = (
        "" if found or asked.output or asked.program else ", and is not installed: --install"
    )
    say(f"it holds on {place.kind} nodes alone{elsewhere}")
    job: Row = next(iter(widest.confirmed.of_kind("environment")), {})
    say(f"to use it: {next_commands.command(job, place.nodes, place.ppn, *named)}")


def together(tunings: Sequence[ShapeTuning], earlier: str) -> str:
    """One profile of all shapes, with an earlier one's rules for other collectives."""
    rules = [rule for each in tunings if each.outcome for rule in each.outcome.rules]
    own = [replace(each.tuned, left=each.outcome.left) for each in tunings if each.outcome]
    names = [*dict.fromkeys(name for tuned in own for name in tuned.collectives)]
    tuned = replace(own[0], shape="", collectives=names, parts=own).keeping(earlier)
    measured = Measured([row for each in tunings for row in each.confirmed.rows])
    return profile_text(rules, measured, tuned)


def _put(text: str, path: Path, folder: Path) -> Path:
    """Writes a profile; a file that somebody has changed is left alone. Returns the path."""
    if path.exists() and not _text(path):
        path = folder / "profile.conf"
        say(f"a profile that somebody has changed is left as it is; the new one: {path}")
    files.replace(path, text)
    say(f"profile: {path}")
    return path
