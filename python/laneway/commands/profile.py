# SPDX-License-Identifier: BSD-3-Clause
"""The commands `laneway profile ...`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laneway import files
from laneway.commands.shared import completing
from laneway.commands.shared.choices import AskedCall, asked_call, conditions, rules_table
from laneway.commands.shared.closing import print_conclusion
from laneway.commands.shared.console import say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Aliased, Group
from laneway.commands.shared.options import (
    collectives_options,
    layouts_option,
    mpi_option,
    named_layouts,
    of_one_library_option,
)
from laneway.commands.shared.reading import read
from laneway.commands.shared.simulated import NODES, PPN, lanes_option
from laneway.errors import Misuse
from laneway.libraries import native, profile, profile_header
from laneway.libraries.profile import CommunicatorShape, Fact
from laneway.simulation.wins import MARGIN
from laneway.units import counted

if TYPE_CHECKING:
    from laneway.results.measurements import Measured


_MOST_NOTES = 100
"""Lines about rules that lose to others; nobody reads more."""


@click.group("profile", cls=Group)
def profile_group() -> None:
    """Profiles: files that say which algorithm serves which call.

    \b
    laneway profile check site.conf          what is wrong with it, and its rules
    laneway profile show bcast --bytes 1M --nodes 4 --ppn 4 --profile site.conf

    \b
    laneway profile write laneway-results/compare-TIME      of what was measured
    laneway profile predict                  of what a machine's description predicts
    """  # noqa: D301 - \b is click's mark for lines to be left as they are


@profile_group.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@formed
@mpi_option
def check_command(files: tuple[Path, ...], *, form: Form, mpi: str | None) -> None:
    """Check profiles: names, ranges, rules that can never hold.

    Everything wrong is named with file, line and reason; the files' headers are shown. Exit code:
    0, or 1 where the library would not understand a file. A rule that a later one hides or overlaps
    is noted, no error.
    """
    headers = {file: header for file in files if (header := _header(file))}
    facts = profile.check(native.find(mpi), files)
    rules = [fact for fact in facts if "rule" in fact]
    errors = [str(fact["error"]) for fact in facts if "error" in fact]
    remarks = [str(fact["remark"]) for fact in facts if "remark" in fact]
    if form is Form.JSON:
        facts = [*({"file": str(file), "header": own} for file, own in headers.items()), *facts]
    show(form, facts, [rules_table(rules)] if rules else [])
    for error in errors:
        say(error)
    if form is Form.TEXT:
        for file, header in headers.items():
            say(f"{file}: {'; '.join(map(' '.join, header.items()))}")
        notes = [*(f"note: {remark}" for remark in remarks), *_notes(rules)]
        for note in notes[:_MOST_NOTES]:
            say(note)
        if more := len(notes[_MOST_NOTES:]):
            say(f"{counted(more, 'more note')}: --json tells them all")
        if not errors:
            say(f"{counted(len(rules), 'rule')} in {counted(len(files), 'file')}: understood")
    sys.exit(1 if errors else 0)


def _header(file: Path) -> Mapping[str, str]:
    """The header of a file; empty where it cannot be read, which the library tells."""
    try:
        return profile_header.header(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}


def _notes(rules: Sequence[Fact]) -> Iterator[str]:
    """Notes on rules that later ones hide or overlap, a line each."""
    for rule in rules:
        if "hidden_by" in rule:
            yield f"{rule['rule']}: note: never holds, {rule['hidden_by']} hides it"
        for other in rule.get("overlapped_by", ()):
            yield (
                f"{rule['rule']}: note: {other['rule']} goes before it at "
                f"{conditions(other['where'])}"
            )
        if more := rule.get("overlapped_by_more"):
            yield f"{rule['rule']}: note: {counted(more, 'other rule')} go before it elsewhere"


@profile_group.command("show")
@asked_call
@formed
@mpi_option
def show_command(*, asked: AskedCall, form: Form, mpi: str | None) -> None:
    """Show which rule decides on COLLECTIVE, such as bcast or bcast@lane.

    Asks the library with the settings as they are: the profiles that it finds by itself, those of
    LANEWAY_PROFILE, and LANEWAY_ALGORITHM. `laneway explain choice` tells why, too.
    """
    build = native.find(mpi)
    rule = asked.rule(build)
    if form is Form.TEXT:
        click.echo(asked.told(rule, build))
    else:
        show(form, [rule], [asked.table(rule)])


@profile_group.command("write")
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    metavar="FOLDER|ROWS...",
    type=click.Path(path_type=Path),
)
@click.option(
    "--output",
    "--out",
    "target",
    cls=Aliased,
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="The profile, or - for standard output.  [default: profile.conf in the folder]",
)
@of_one_library_option
def write_command(sources: tuple[Path, ...], *, mpi: str | None, target: Path | None) -> None:
    """Write a profile of what measurements confirm to be faster than native.

    \b
    laneway profile write laneway-results/compare-20260101-120000
    laneway profile write first second --output site.conf
    laneway profile write results --mpi mpich --output mpich.conf

    A rule holds on the shape that was measured, from the smallest to the largest size at which
    tests over runs confirm the algorithm. Sizes between at which they don't are left out. A profile
    is about one MPI library: of several in one folder, each gets a file there, or --mpi chooses.
    Where nothing is confirmed, no file is written, and the exit code is 1.
    """  # noqa: D301
    measured = read(sources)
    if target is None:
        if len(sources) > 1 or not sources[0].is_dir():
            raise Misuse("name the profile's file with --output")
        if mpi is not None:
            raise Misuse("--mpi goes with --output: else each library gets a file in the folder")
        sys.exit(0 if print_conclusion(measured, sources[0]) else 1)
    _write(measured if mpi is None else measured.of_library(mpi), target, sources)


@profile_group.command("predict")
@collectives_options("[default: all]")
@click.option(
    "--machine",
    "machine_name",
    default="calibrated",
    metavar="NAME|FILE",
    shell_complete=completing.machines,
    show_default="the one that `laneway calibrate` has described last",
    help="Machine to simulate, by its name or file.",
)
@mpi_option
@click.option(
    "--native",
    "library",
    metavar="NAME|FILE",
    shell_complete=completing.natives,
    help="The native profile that says what the MPI library does.  [default: the library's]",
)
@click.option(
    "--nodes", type=click.IntRange(2), metavar="N", help="[default: as calibrated, else 4]"
)
@click.option(
    "--ppn",
    type=click.IntRange(1),
    metavar="N",
    help="Processes a node.  [default: as calibrated, else 4]",
)
@lanes_option
@layouts_option
@click.option(
    "--margin",
    type=click.FloatRange(1),
    default=MARGIN,
    show_default=True,
    metavar="X",
    help="How many times as fast as native an algorithm must be predicted to be.",
)
@click.option(
    "--output",
    "--out",
    "target",
    cls=Aliased,
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="The profile, or - for standard output.  [default: where `laneway exec` finds it, "
    "~/.config/laneway/predicted/LIBRARY-SHAPE.conf]",
)
def predict_command(
    *,
    collectives: tuple[str, ...],
    machine_name: str,
    mpi: str | None,
    library: str | None,
    nodes: int | None,
    ppn: int | None,
    lanes: int | None,
    layouts: tuple[str, ...],
    margin: float,
    target: Path | None,
) -> None:
    """Write a profile of what a machine's description predicts; nothing is measured.

    \b
    laneway calibrate                                 describes the machine, and does this, too
    laneway profile predict --nodes 8 --ppn 4         for jobs of another shape

    \b
    laneway profile predict bcast --machine hydra --nodes 36 --ppn 32 --output -

    Every algorithm is simulated, and the MPI library by its native profile. A rule stands where an
    algorithm is predicted to be at least --margin times as fast as native. The profile serves where
    nobody has tuned: site's and user's own go before it. Earlier predictions for collectives that
    are not named stay. Where nothing gains enough, no file is written, and the exit code is 1.
    docs/tuning.md explains it under "without tuning".
    """  # noqa: D301
    from laneway.commands.shared import (  # noqa: PLC0415 - only this command simulates
        predictions,
    )
    from laneway.simulation import machine  # noqa: PLC0415 - as above

    layouts = named_layouts(layouts)
    build = native.find(mpi)
    path = predictions.described(machine_name)
    described = machine.load(str(path))
    known = predictions.calibrated_shape(path) or (NODES, PPN)
    shape = CommunicatorShape(nodes or known[0], ppn or known[1], lanes or described.lanes)
    if why := predictions.doubt(path, shape.ppn):
        say(f"{why}: these predictions may be wrong")
    found = predictions.predict(
        build,
        (described, predictions.named(path)),
        shape,
        predictions.native_of(build, library),
        margin,
        collectives=collectives,
        layouts=layouts,
    )
    if str(target) == "-":
        click.echo(found.text(), nl=False)
        return
    if target is None and collectives:
        found = predictions.keeping(found, found.path)
    sys.exit(0 if predictions.write(found, target or found.path) else 1)


def _write(measured: Measured, target: Path, sources: Sequence[Path]) -> None:
    """Puts the profile of one library into a file, or on standard output."""
    from laneway.choosing import next_commands  # noqa: PLC0415 - as above
    from laneway.choosing.profile import command, profiles  # noqa: PLC0415 - as above
    from laneway.choosing.recommendation import at_sizes  # noqa: PLC0415 - as above

    found = profiles(measured)
    if len(found) > 1:
        names = ", ".join(profile.library for profile in found)
        example = next_commands.writing(sources, found[0].library, str(target))
        raise Misuse(
            f"these are times of {names}, and a profile is about one library: choose it with "
            f"--mpi, as in: {example}"
        )
    if not found:
        print_conclusion(measured, None)
        sys.exit(1)
    if str(target) == "-":
        click.echo(found[0].text, nl=False)
        return
    files.replace(target, found[0].text)
    for each in at_sizes(found[0].recommended):
        click.echo(f"{each.sentence()}.")
    click.echo(f"to use it: {command(found[0].recommended[0], str(target))}")
