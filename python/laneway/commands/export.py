# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway export`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laneway import files
from laneway.choosing import csel
from laneway.choosing.exports import FORMATS, Facts, MeasuredBytes, OwnAlgorithms
from laneway.collectives import WITHOUT_DATA
from laneway.commands.shared.console import say
from laneway.commands.shared.helping import Aliased
from laneway.commands.shared.options import of_one_library_option
from laneway.commands.shared.reading import read
from laneway.errors import Misuse, Problem
from laneway.libraries import native, registry, selection_trees
from laneway.units import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from laneway.libraries.native import NativeBuild
    from laneway.results.measurements import Measured


@click.command("export")
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "name",
    required=True,
    type=click.Choice([*FORMATS]),
    help="Library that reads it: Open MPI 4.1 and 5.0, Open MPI later, MPICH by size, MPICH for "
    "all sizes.",
)
@click.option(
    "--output",
    "--out",
    "target",
    cls=Aliased,
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    default=Path("-"),
    help="Where to put it; mpich-csel wants a name.  [default: - for standard output]",
)
@of_one_library_option
def export_command(sources: tuple[Path, ...], *, name: str, target: Path, mpi: str | None) -> None:
    """Tell the MPI library which of its own algorithms to use, in its own format.

    \b
    laneway compare bcast --algorithm 'native:*' -m 4K:4M --out own
    laneway export own --format ompi-dynamic-rules --output bcast.rules
    mpirun --mca coll_tuned_use_dynamic_rules 1 \\
           --mca coll_tuned_dynamic_rules_filename bcast.rules ...

    \b
    eval "$(laneway export own --format mpich-csel --output bcast.json)"
    mpiexec ...

    MPICH reads two files, bcast.json and bcast.ch4.json; the variables that name them to it are
    printed.

    The files are for programs that run without Laneway. They have the algorithms that tests over
    runs confirm to be faster than the library's own choice. They hold at the sizes and the number
    of processes that were measured. Choices that a format cannot say are told on standard error.
    Where nothing is confirmed, or nothing of it can be said, no file is written, and the exit code
    is 1.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    from laneway.choosing.recommendation import (  # noqa: PLC0415 - only this command needs them
        own_recommendations,
    )

    for source in sources:
        _require_measurements(source)
    measured = read(sources)
    family, write = FORMATS[name]
    library = _library(measured if mpi is None else measured.of_library(mpi), family, name)
    measured = measured.of_library(library)
    recommended = own_recommendations(measured)
    if not recommended:
        say(
            f"nothing to export: none of {library}'s own algorithms is confirmed to be faster than "
            "its own choice. They are measured by: laneway compare --algorithm 'native:*'"
        )
        sys.exit(1)
    facts = Facts(
        lambda: _known(library),
        lambda: _sizes(measured),
        lambda: selection_trees.selection_trees(_build(library, "selection trees")),
    )
    export = write(recommended, facts)
    for sentence in export.left_out:
        say(f"left out: {sentence}")
    if not export.used:
        say(f"nothing to export: {name} can say none of what is confirmed")
        sys.exit(1)
    if export.files:
        _write(export.files, target)
    elif str(target) == "-":
        click.echo(export.text, nl=False)
        return
    else:
        files.replace(target, export.text)
    say(f"{export.used} of {counted(len(recommended), 'choice')} written to {target}")
    if export.beyond:
        say(export.beyond)


def _write(texts: Mapping[str, str], target: Path) -> None:
    """Writes several files, by the variables that name them; says how to set these."""
    if str(target) == "-":
        raise Misuse("these are several files, which cannot go to standard output: name --output")
    for variable, text in texts.items():
        device = "" if variable == csel.GENERAL else ".ch4"
        file = target.with_suffix(device + target.suffix)
        files.replace(file, text)
        click.echo(f"export {variable}={shlex.quote(str(file.absolute()))}")


def _require_measurements(source: Path) -> None:
    """Raises Misuse for a profile: it has Laneway's algorithms, and the library has its own."""
    if source.is_file():
        with source.open(errors="replace") as file:
            if file.readline().startswith("laneway profile"):
                raise Misuse(
                    f"{source} is a profile, which chooses among Laneway's algorithms: name the "
                    "folder of a comparison of the MPI library's own (laneway compare --algorithm "
                    "'native:*')"
                )


def _library(measured: Measured, family: str, name: str) -> str:
    """The library that the format is for. Raises Misuse where none, or several, were measured."""
    found = [library for library in measured.libraries if library.startswith(family)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Misuse(f"{name} is for {family}; these are times of {', '.join(measured.libraries)}")
    raise Misuse(f"these are times of {', '.join(found)}: choose one of them with --mpi")


def _known(library: str) -> OwnAlgorithms:
    """The library's own algorithms."""
    own = registry.load_own(_build(library, "numbers of its algorithms"))
    return {(each.collective, each.algorithm): each for each in own}


def _build(library: str, what: str) -> NativeBuild:
    """The native build for the library. Raises Problem where there is none here."""
    for build in native.installed():
        if build.library == library:
            return build
    raise Problem(
        f"{library}'s {what} are needed, and there is no native build for it here: "
        f"{native.building()}, or export where it was measured"
    )


def _sizes(measured: Measured) -> MeasuredBytes:
    """The least and the most bytes that were measured; 0 bytes allow no recommendation."""
    from laneway.choosing.recommendation import Where  # noqa: PLC0415 - as above

    found: dict[tuple[str, Where], tuple[int, int]] = {}
    for key in measured.samples:
        if key.bytes > 0 or key.collective in WITHOUT_DATA:
            place = key.collective, Where.of(key)
            least, most = found.get(place, (key.bytes, key.bytes))
            found[place] = min(least, key.bytes), max(most, key.bytes)
    return found
