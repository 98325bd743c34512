# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway verify`."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import NoReturn, TypeVar

import click
from click.core import ParameterSource
from rich import box
from rich.markup import escape
from rich.table import Table

from laneway.campaign import Folder
from laneway.choosing.conclusion import more_runs
from laneway.commands.shared import against, completing, known
from laneway.commands.shared.closing import print_reading
from laneway.commands.shared.console import output, say
from laneway.commands.shared.exit_codes import INTERRUPTED, NOT_WELL, NOTHING, UNDECIDED
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Command
from laneway.commands.shared.measuring import nothing_measured
from laneway.commands.shared.plans import NO_PLAN, carried_out, plan_launched
from laneway.commands.shared.reading import read
from laneway.errors import Misuse
from laneway.files import must_be_there
from laneway.guideline import GuidelineFinding, GuidelineVerdict, PointsLeftOut, Terms, judgement
from laneway.guideline.rules import MONOTONY, POWERS_OF_TWO, RULES, SPLITTING, mockup
from laneway.guideline.statistics import runs_at_least
from laneway.modelling import full_speed
from laneway.plans.again import OtherLauncher
from laneway.results.measurements import sound
from laneway.rows import Row
from laneway.units import counted, microseconds, ratio, size

COLOURS = {
    GuidelineVerdict.VIOLATED: "red",
    GuidelineVerdict.HOLDS: "green",
    GuidelineVerdict.UNDECIDED: "yellow",
    GuidelineVerdict.INVALID: "magenta",
}


@click.command("verify", cls=Command)
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[FOLDER|ROWS]...")
@click.option(
    "--run",
    "plan",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PLAN",
    help="Carry out this plan first, into a new folder.",
)
@click.option(
    "--against",
    "old",
    type=click.Path(path_type=Path),
    metavar="OLD",
    help="Whether times are still what they were in this folder of a campaign, comparison, "
    "verification or tuning. Measures the same again, unless a FOLDER has that already.",
)
@click.option(
    "--guideline",
    "names",
    multiple=True,
    metavar="TEXT",
    help="Only guidelines whose name holds this; several add up.",
)
@click.option(
    "--algorithm",
    default="native",
    show_default=True,
    shell_complete=completing.algorithm,
    help="The algorithm that guidelines are about.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.05,
    show_default=True,
    help="Share by which times may be slower without being called so.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The share of wrong decisions to put up with, within a guideline.",
)
@click.option("--all", "everything", is_flag=True, help="List what holds, too.")
@formed
@plan_launched
def verify_command(
    folders: tuple[Path, ...],
    plan: Path | None,
    old: Path | None,
    names: tuple[str, ...],
    *,
    launcher: str | None,
    launcher_options: tuple[str, ...],
    algorithm: str,
    margin: float,
    alpha: float,
    everything: bool,
    form: Form,
) -> None:
    """Hold the times of campaigns against performance guidelines.

    \b
    native <= lane                  no slower than that algorithm
    bcast <= scatter + allgather    nor than a mock-up of other collectives

    \b
    monotony, splitting             less data take no longer, nor a whole than its parts
    powers of two                   nor p processes than the next power of two

    Verdicts are VIOLATED, HOLDS, UNDECIDED (with how many more runs would decide) and INVALID. Runs
    of mpirun are counted, so a campaign needs several: five at the least.

    A profile of what is confirmed is written into the folder, if the folder can be written to. With
    --json, --csv or --markdown nothing is written.

    With --against, verdicts are PASS or FAIL for each collective, algorithm and size: no slower
    than then, by the margin, or slower.

    Exit code 0: all hold, or pass. Exit code 1: some are violated, or fail, or were not measured
    again though they should be. Exit code 2: nothing to judge, or a mistake. Exit code 3: some are
    undecided or invalid, none violated. docs/guidelines.md explains the statistics.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    terms = Terms(margin, alpha, algorithm)
    started = OtherLauncher(launcher, launcher_options)
    if plan is not None:
        folders = (*folders, _measured(plan, started))
    elif old is None and started != OtherLauncher():
        raise Misuse(NO_PLAN)
    if old is not None:
        if names:
            raise Misuse("--guideline goes without --against, which judges times by themselves")
        _end_against(old, folders, started, terms, form)
    if not folders:
        raise Misuse("name the folder of a campaign, a file of rows, or a plan with --run")
    rows = {folder: [*_rows(folder)] for folder in folders}
    known.must_have_algorithms("--algorithm", [algorithm], chain.from_iterable(rows.values()))
    every = {folder: judgement(own, terms) for folder, own in rows.items()}
    if names:
        _must_be_guidelines(
            names, chain.from_iterable(each.findings for each in every.values()), algorithm
        )
    judged = {folder: _named(each.findings, names) for folder, each in every.items()}
    left_out = {folder: _named(each.left_out, names) for folder, each in every.items()}
    _show(judged, left_out, rows, terms, form, everything=everything)
    findings = [finding for own in judged.values() for finding in own]
    if not findings:
        which = "guideline of that name" if names else "guideline"
        say(
            f"nothing to judge: no {which} has both sides of {algorithm} measured. Measure "
            "several algorithms, sizes or collectives; docs/guidelines.md lists the guidelines"
        )
    sys.exit(exit_code(findings))


def _show(
    judged: Mapping[Path, Sequence[GuidelineFinding]],
    left_out: Mapping[Path, Sequence[PointsLeftOut]],
    rows: Mapping[Path, Sequence[Row]],
    terms: Terms,
    form: Form,
    *,
    everything: bool,
) -> None:
    """Prints the verdicts; writes the profiles that follow from them."""
    if form is Form.TEXT:
        _print(judged, left_out, terms, everything=everything)
    else:
        every: dict[Path, list[GuidelineFinding | PointsLeftOut]] = {
            folder: [*own, *(left_out[folder] if form is Form.JSON else ())]
            for folder, own in judged.items()
        }
        lines = (
            {**each.to_json(), "folder": str(folder)}
            for folder, own in every.items()
            for each in own
        )
        tables = (found for own in judged.values() for found in _tables(own, everything=everything))
        show(form, lines, tables)
    for folder, own_rows in rows.items():
        if not judged[folder]:
            continue  # rows that could not be judged recommend nothing, native neither
        if form is Form.TEXT and len(rows) > 1:
            output().print(f"== {folder}", highlight=False, markup=False)
        print_reading(sound(own_rows), [folder], form, more=False)


def _end_against(
    source: Path, folders: Sequence[Path], started: OtherLauncher, terms: Terms, form: Form
) -> NoReturn:
    """Compares times now with those of then, of all algorithms unless one is named."""
    given = click.get_current_context().get_parameter_source("algorithm")
    named = None if given is ParameterSource.DEFAULT else terms.subject
    old = against.campaigns(source)
    new = [folder for each in folders for folder in against.campaigns(each)]
    again = [] if new else [against.measured_again(old, started)]
    found = against.verified(old, new or again, terms, named, again=bool(again))
    against.show_verification(form, found, source, new or again, terms)
    sys.exit(found.exit_code)


def exit_code(findings: Iterable[GuidelineFinding]) -> int:
    """The exit code, for continuous integration."""
    verdicts = {finding.verdict for finding in findings}
    if GuidelineVerdict.VIOLATED in verdicts:
        return NOT_WELL
    if verdicts == {GuidelineVerdict.HOLDS}:
        return 0
    return UNDECIDED if verdicts else NOTHING


def _must_be_guidelines(
    names: Sequence[str], found: Iterable[GuidelineFinding], algorithm: str
) -> None:
    """Raises Misuse for a text that is in the name of no guideline, of those found or others."""
    there = {
        *(MONOTONY, SPLITTING, POWERS_OF_TWO),
        *(rule.name for rule in RULES),
        *(mockup(algorithm, other) for other in known.algorithms()),
        *(finding.guideline for finding in found),
    }
    for name in names:
        if not any(name in each for each in there):
            listed = ", ".join(sorted(there))
            raise Misuse(f"--guideline: no guideline's name holds '{name}'; known: {listed}")


def _rows(source: Path) -> Iterable[Row]:
    """The measured rows of a folder or of a file of rows. Raises Misuse."""
    rows = _of_file(source) if source.is_file() else _of_folder(source)
    machines = dict.fromkeys(row["machine"] for row in rows if row.get("simulated"))
    for machine in machines:
        say(f"{source}: times of the machine {machine} are simulated, and no runs to judge by")
    return [row for row in rows if not row.get("simulated")]


def _of_file(file: Path) -> Sequence[Row]:
    return read([file]).rows


def _of_folder(folder: Path) -> list[Row]:
    must_be_there(folder)
    kept = Folder(folder)
    if not kept.raw.exists():
        raise Misuse(f"{folder} is no campaign: it has no rows.jsonl")
    return [*kept.rows()]


def _measured(plan: Path, started: OtherLauncher) -> Path:
    result = carried_out(plan, None, started.name, started.options)
    if not result.folder.exists():
        sys.exit(nothing_measured(result))
    for failure in result.failures:
        say(failure)
    say(f"rows: {result.folder}")
    if result.interrupted:
        say(f"interrupted; go on with: {Folder(result.folder).resume()}")
        sys.exit(INTERRUPTED)
    return result.folder


_About = TypeVar("_About", GuidelineFinding, PointsLeftOut)


def _named(some: Iterable[_About], names: Sequence[str]) -> list[_About]:
    """Findings on guidelines whose name holds one of some texts; all where there is no text."""
    return [each for each in some if not names or any(name in each.guideline for name in names)]


def _print(
    judged: Mapping[Path, Sequence[GuidelineFinding]],
    left_out: Mapping[Path, Sequence[PointsLeftOut]],
    terms: Terms,
    *,
    everything: bool,
) -> None:
    """Folder by folder: each is judged by itself, as runs of different campaigns are no pairs."""
    console = output()
    for folder, findings in judged.items():
        if len(judged) > 1:
            console.print(f"== {folder}", highlight=False, markup=False)
        _print_guidelines(findings, left_out[folder], terms, everything=everything)
        for line in (
            *_worst(findings),
            *more_runs(findings, folder, "points that more runs will decide"),
        ):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    factors = {int(each.axes.get("slower") or 1) for own in judged.values() for each in own}
    if note := full_speed.note(factors):
        console.print(note, highlight=False, markup=False, soft_wrap=True)
    if any(judged.values()):
        console.print(
            f"Ratios are times over those of the right side; the interval covers the truth with "
            f"the confidence given. Margin {terms.margin:.0%}, false discoveries within a "
            f"guideline up to {terms.alpha:.0%}.",
            highlight=False,
        )
    if any("binding" in _telling(own) for own in judged.values()):
        console.print(
            "Guidelines compare times of one binding; what is recommended is held against the "
            "MPI library's own, each at the better of its bindings.",
            highlight=False,
        )


def _print_guidelines(
    findings: Sequence[GuidelineFinding],
    left_out: Sequence[PointsLeftOut],
    terms: Terms,
    *,
    everything: bool,
) -> None:
    """Guideline by guideline: a table of findings that do not hold, and a summary."""
    console = output()
    said: dict[str, list[PointsLeftOut]] = defaultdict(list)
    for each in left_out:
        said[each.guideline].append(each)
    for name, group in groupby(findings, key=lambda finding: finding.guideline):
        members = [*group]
        show(Form.TEXT, (), _tables(members, everything=everything), less=LESS)
        verdicts = Counter(each.verdict for each in members)
        told = ", ".join(f"{verdicts[each]} {each}" for each in GuidelineVerdict if verdicts[each])
        console.print(f"{name}: {told}", highlight=False, markup=False)
        for line in (*_explained(members, terms), *said.pop(name, ())):
            console.print(f"  {line}", highlight=False, markup=False)
    for name, own in said.items():
        told = "; ".join(map(str, own))
        console.print(f"{name}: {told}", highlight=False, markup=False, soft_wrap=True)


LESS = ("q", "against us", "us", "bytes", "runs")
"""Columns that a narrow terminal goes without, from the first one on."""


def _tables(findings: Sequence[GuidelineFinding], *, everything: bool) -> Iterator[Table]:
    """A table for each guideline; without `everything`, of findings that do not hold."""
    for name, group in groupby(findings, key=lambda finding: finding.guideline):
        shown = [each for each in group if everything or each.verdict is not GuidelineVerdict.HOLDS]
        if shown:
            yield _table(name, shown)


def _worst(findings: Sequence[GuidelineFinding]) -> Iterator[str]:
    """The worst violation, in words."""
    violated = [each for each in findings if each.verdict is GuidelineVerdict.VIOLATED]
    known = [each for each in violated if each.low is not None]
    if known:
        worst = max(known, key=lambda each: each.low or 0)
        figures = [ratio(value or 0) for value in (worst.ratio, worst.low, worst.high)]
        told = [f"{name} {worst.axes[name]}" for name in _telling(findings) if name in worst.axes]
        axes = f" ({', '.join(told)})" if told else ""
        more = f"; {len(known)} points are slower than they need be" if len(known) > 1 else ""
        yield (
            f"{worst.algorithm} is slower: its {worst.collective} {worst.count}{axes} takes "
            f"{figures[0]} times as long as {worst.right} ({figures[1]} to {figures[2]}){more}."
        )


def _explained(members: Sequence[GuidelineFinding], terms: Terms) -> list[str]:
    """The power of the number of runs, and reasons why some cases cannot be judged."""
    lines = [
        f"{each.collective} {each.count} ({_where(each)}) cannot be judged: {each.reason}"
        for each in members
        if each.verdict is GuidelineVerdict.INVALID
    ]
    runs = max(each.runs for each in members)
    least, alone = runs_at_least(terms.alpha), runs_at_least(terms.alpha / len(members))
    if 0 < runs < least:
        lines.append(
            f"{counted(runs, 'run')} can never decide: the least p-value is 1/{2**runs}; "
            f"{counted(least, 'run')} can"
        )
    undecided = [each for each in members if each.verdict is GuidelineVerdict.UNDECIDED]
    if undecided and least <= runs < alone:
        lines.append(
            f"{runs} runs decide several of these {len(members)} points at once; "
            f"a single one would need {alone}"
        )
    hopeless = sum(each.more_runs is None for each in undecided)
    if hopeless:
        lie = "lies" if hopeless == 1 else "lie"
        lines.append(f"{hopeless} {lie} so close to the margin that no number of runs will tell")
    if undecided and undecided[hopeless:]:
        lines.append("more: so many more runs will probably decide, if they are like these")
    return lines


def _where(each: GuidelineFinding) -> str:
    """The facts that tell a point from others with its count: library, datatype, operator."""
    facts = (each.axes.get(name) for name in ("library", "datatype", "op"))
    return ", ".join(str(fact) for fact in facts if fact is not None)


def _table(name: str, findings: Sequence[GuidelineFinding]) -> Table:
    listing = Table(
        title=escape(name),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),  # no more than it takes: there are many columns
    )
    axes = _telling(findings)
    several = any(each.more_runs is not None for each in findings)
    for heading in (*axes, "point", "bytes", "against"):
        listing.add_column(heading, justify="right" if heading == "bytes" else "left")
    for heading in (
        "us", "against us", "ratio", "interval", "q", "runs", *(["more"] if several else ()),
    ):  # fmt: skip
        listing.add_column(heading, justify="right", no_wrap=True)
    listing.add_column("verdict", no_wrap=True)
    for each in findings:
        colour = COLOURS[each.verdict]
        listing.add_row(
            *(str(each.axes.get(axis, "")) for axis in axes),
            f"{each.collective} {each.count}",
            size(each.bytes),
            escape(_against(each)),
            *_figures(each)[: None if several else -1],
            f"[{colour}]{each.verdict}[/]",
        )
    return listing


def _against(each: GuidelineFinding) -> str:
    """The right side, without the words that the left side has as well."""
    right = each.right.replace(f"{each.algorithm} ", "")
    return right.removesuffix(f" {each.collective} {each.count}") or right


def _telling(findings: Sequence[GuidelineFinding]) -> list[str]:
    """The axes in which findings differ: the others need no column."""
    values: dict[str, set[str]] = {}
    for each in findings:
        for name, value in each.axes.items():
            values.setdefault(name, set()).add(str(value))
    return sorted(name for name, found in values.items() if len(found) > 1)


def _figures(each: GuidelineFinding) -> list[str]:
    runs = str(each.runs)
    if each.ratio is None or each.low is None or each.high is None or each.confidence is None:
        return ["-", "-", "-", "-", "-", runs, ""]
    q = each.q_holds if each.verdict is GuidelineVerdict.HOLDS else each.q_violated
    return [
        microseconds(each.left_us or 0),
        microseconds(each.right_us or 0),
        ratio(each.ratio),
        f"{ratio(each.low)} to {ratio(each.high)} ({each.confidence:.0%})",
        f"{q:.2g}",
        runs,
        "" if each.more_runs is None else f"+{each.more_runs}",
    ]
