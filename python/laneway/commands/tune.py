# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway tune`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import click
from rich.table import Table

from laneway import files
from laneway.campaign import Result, measure
from laneway.choosing.profile import Tuned, is_unchanged
from laneway.commands.shared import progress
from laneway.commands.shared.console import INTERRUPTED, errors, say
from laneway.commands.shared.console import output as standard_output
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.launchers import launched
from laneway.commands.shared.measuring import write_report
from laneway.commands.shared.options import collectives_options, mpi_option, out_option, placed
from laneway.commands.shared.parameters import Bytes, Duration
from laneway.files import new_folder, users_folder
from laneway.launching import allocation
from laneway.launching.place import Setting
from laneway.libraries import native, registry
from laneway.libraries.native import NativeBuild
from laneway.plans.comparison import arms
from laneway.tuning.outcome import Outcome
from laneway.tuning.sizes import grids
from laneway.tuning.stage import Machine, Point, StagePlan
from laneway.tuning.tuner import Tuner, Tuning
from laneway.units import counted, ratio, size


@click.command("tune")
@collectives_options("[default: all]")
@click.option(
    "--budget",
    type=Duration(),
    default="20m",
    show_default=True,
    metavar="TIME",
    help="What all measurements may take together: 90s, 20m, 2h.",
)
@click.option(
    "--max-bytes",
    type=Bytes(),
    default="4M",
    show_default=True,
    metavar="SIZE",
    help="Bytes of the largest message; of all blocks together, where there is one a rank.",
)
@click.option(
    "--min-bytes",
    type=Bytes(),
    default="4",
    show_default=True,
    metavar="SIZE",
    help="Bytes of the smallest message, or block.",
)
@mpi_option
@click.option(
    "--elsewhere",
    type=click.Choice(("ignore", "use")),
    default="ignore",
    show_default=True,
    help="Whether the profile is to hold with other versions of the library, and on communicators "
    "of other shapes, by the nearest that was measured.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the profile goes.  [default: where every job finds it, "
    "~/.config/laneway/LIBRARY-SHAPE.conf]",
)
@out_option("tune")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report with plots of what was confirmed, too: one HTML file.",
)
@formed
@launched
@placed
def tune_command(
    *,
    wanted: allocation.Wanted,
    collectives: tuple[str, ...],
    budget: float,
    min_bytes: int,
    max_bytes: int,
    mpi: str | None,
    elsewhere: str,
    output: Path | None,
    out: Path | None,
    report: Path | None,
    form: Form,
) -> None:
    """Find out which algorithm serves which call best, and write a profile of it.

    \b
    laneway tune                              everything, in 20 minutes
    laneway tune bcast allreduce --budget 5m
    laneway exec -- mpirun -np 16 ./app       and programs use it

    Algorithms that their costs do not rule out race against each other, and against the MPI
    library's own at the better of its bindings. Time goes where it is not decided yet: fewer and
    fewer algorithms, their tunables, sizes between those at which the winner changes. A rule is
    written only for what fresh runs of mpirun confirm; then the whole profile is measured against
    native, and rules that do not hold are taken back. Elsewhere native serves.

    Interrupted, it goes on by the same command with --out FOLDER.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if min_bytes > max_bytes:
        raise click.BadParameter(f"--min-bytes {min_bytes} is above --max-bytes {max_bytes}")
    build = native.find(mpi)
    known = registry.collectives(build)
    for name in collectives:
        if name not in known:
            raise click.BadParameter(f"'{name}' is none of {', '.join(known)}")
    folder = out or new_folder("tune")
    with allocation.settings(wanted, say) as settings:
        setting = settings[0]
        shape = _shape(setting)
        options = {
            "mpi": build.id,
            "shape": shape,
            "collective": sorted(collectives),
            "budget": budget,
            "min-bytes": min_bytes,
            "max-bytes": max_bytes,
        }
        own = output or users_folder() / f"{build.id}-{_slug(setting)}.conf"
        tuned = Tuned(build.library, shape, elsewhere, collectives or known)
        tuner = Tuner(
            Tuning.begin(folder, options),
            grids(collectives or known, setting.place.ranks, min_bytes, max_bytes),
            budget,
            Machine(build, setting, bindings(setting, build)),
            _measure,
            say,
            lambda: progress.of_parts(errors()),
        )
        outcome = tuner.outcome(tuned.keeping(_text(own)))
    if outcome is None:
        _interrupted(folder)
    show(form, outcome.rows(), _tables(outcome))
    if form is Form.TEXT:
        _print_left(outcome)
    _write(outcome.profile, own, folder, by_itself=output is None)
    say(f"{tuner.tuning.seconds():.0f} s of jobs; what was measured: {folder}")
    if report and outcome.rules:
        write_report([*tuner.tuning.measured("confirm").rows], report)


def _shape(setting: Setting) -> str:
    """Of the communicators that are measured, as the header of a profile names it."""
    place = setting.place
    lanes = "" if setting.lanes is None else f" lanes={setting.lanes}"
    return f"nodes={place.nodes} ppn={place.ppn}{lanes}"


def _slug(setting: Setting) -> str:
    """The same in the name of a file."""
    place = setting.place
    lanes = "" if setting.lanes is None else f"-{setting.lanes}-lanes"
    return f"{place.nodes}x{place.ppn}{lanes}"


def _text(profile: Path) -> str:
    """Of a file that may be there; what somebody has changed is left alone, and so nothing here."""
    try:
        text = profile.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
    return text if is_unchanged(text) else ""


def bindings(setting: Setting, build: NativeBuild) -> list[Setting]:
    """The same place under the other bindings under which native is to be measured, too."""
    return [arm.setting for arm in arms([setting], ["native"], "best", build, say)][1:]


def _measure(plan: StagePlan, folder: Path) -> Result:
    """Carries a stage out, or on."""
    begun = (folder / "manifest.json").exists()
    what = f"{plan.stage.name}: {counted(len(plan.stage.contestants), 'point')}"
    say(f"{what}, {counted(plan.runs, 'run')}")
    with progress.shown(errors(), plan, plan.runs) as observer:
        return measure(plan, folder, observer, resume=begun, say=say)


def _interrupted(folder: Path) -> NoReturn:
    words = [word for word in sys.argv[1:] if word != "--out" and word != str(folder)]
    say(f"interrupted; go on with: {shlex.join(['laneway', *words, '--out', str(folder)])}")
    sys.exit(INTERRUPTED)


def _tables(outcome: Outcome) -> Iterator[Table]:
    """A line for each measured size of each rule."""
    if not outcome.rules:
        return
    table = Table("collective", "size", "algorithm", "x native", "interval", "checked",
                  title=f"{outcome.rules[0].where}")  # fmt: skip
    for row in outcome.rows():
        checked = row["checked_ratio"]
        table.add_row(
            row["collective"],
            size(row["bytes"]),
            row["algorithm"],
            ratio(row["ratio_to_native"]),
            f"{ratio(row['low'])} to {ratio(row['high'])}",
            ratio(checked) if checked else "",
        )
    yield table


def _print_left(outcome: Outcome) -> None:
    """What was taken back, and what more time would decide."""
    lines = []
    if not outcome.rules:
        why = "native is the best choice here"
        if outcome.profile is None:
            why = "no time was left to confirm it, and no profile is written"
        lines.append(f"Nothing is confirmed to be faster than native: {why}.")
    if outcome.failed:
        listed = _listed(outcome.failed)
        lines.append(f"taken back, as the profile was slower there or not checked: {listed}")
    if outcome.open:
        lines.append(
            f"faster by the look of it, but not confirmed: {_listed(outcome.open)}. A larger "
            "--budget, or fewer collectives at a time, may decide it"
        )
    for line in lines:
        standard_output().print(line, highlight=False, markup=False, soft_wrap=True)


def _listed(points: Sequence[Point]) -> str:
    return ", ".join(f"{point.collective} {size(point.bytes)}" for point in points)


def _write(text: str | None, path: Path, folder: Path, *, by_itself: bool) -> None:
    """Puts the profile where it belongs; what somebody has changed there is left alone."""
    if text is None:
        return
    if path.exists() and not _text(path):
        path = folder / "profile.conf"
        say(f"a profile that somebody has changed is left as it is; the new one: {path}")
        by_itself = False
    files.replace(path, text)
    use = "" if by_itself else f" --profile {shlex.quote(str(path))}"
    say(f"profile: {path}")
    say(f"to use it: laneway exec{use} -- mpirun -np N ./app")
