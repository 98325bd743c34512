# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway algorithms`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from laneway import units
from laneway.commands.shared import completing, progress
from laneway.commands.shared.console import errors
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.options import collectives_options, mpi_option
from laneway.commands.shared.parameters import Bytes, NameList
from laneway.commands.shared.simulated import nodes_option, ppn_option, processes
from laneway.errors import Misuse
from laneway.libraries import native, registry
from laneway.simulation import counted, families
from laneway.simulation.machine_limits import MOST_LANES


@click.command("algorithms")
@collectives_options("[default: all]")
@click.option(
    "--algorithm",
    "names",
    type=NameList(),
    default=(),
    metavar="A,B",
    shell_complete=completing.algorithms,
    help="These alone, with all that is known of each.",
)
@click.option(
    "--native",
    "own",
    is_flag=True,
    help="The MPI library's own algorithms instead, which measurements can have it use one by one.",
)
@nodes_option
@ppn_option
@click.option(
    "--lanes",
    type=click.IntRange(1, MOST_LANES),
    metavar="L",
    help="Network lanes of a node, for the costs.  [default: 2]",
)
@click.option(
    "--bytes",
    "amount",
    type=Bytes(least=0),
    default="64K",
    show_default=True,
    metavar="SIZE",
    help="Size of the message for the costs; of a block, where there is one a process.",
)
@click.option(
    "--drawings",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="With --markdown: draw the pattern of each family there.",
)
@formed
@mpi_option
@click.pass_context
def algorithms_command(
    context: click.Context,
    *,
    form: Form,
    mpi: str | None,
    collectives: tuple[str, ...],
    names: tuple[str, ...],
    own: bool,
    nodes: int | None,
    ppn: tuple[int, ...],
    lanes: int | None,
    amount: int,
    drawings: Path | None,
) -> None:
    """List the algorithms: what each does, and what it can be tuned by.

    \b
    laneway algorithms bcast
    laneway algorithms bcast --nodes 16 --ppn 8 --bytes 1M   # what they cost there

    \b
    laneway algorithms bcast --algorithm chain               # all that is known of one
    laneway algorithms bcast --native                        # the MPI library's own

    Costs are counted from what all processes do, recorded from the algorithm's own text. In
    Markdown the list is the page docs/algorithms.md.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if own:
        if names or drawings or _asked(context):
            raise Misuse("--native goes with collectives, --mpi and a form of the table alone")
        _show_own(form, native.find(mpi), collectives)
        return
    every = registry.load(native.find(mpi))
    algorithms = _chosen(every, collectives, names)
    asked = _asked(context)
    if form is Form.MARKDOWN:
        if asked:
            raise Misuse("costs for a shape are not part of the page: leave --markdown out")
        drawn = families.draw(drawings, (entry.key for entry in algorithms)) if drawings else {}
        paths = [(family.title, f"{drawings}/{name}") for family, name in drawn.items()]
        click.echo(registry.markdown(algorithms, counted.figures(algorithms), paths), nl=False)
        return
    if drawings:
        raise Misuse("--drawings goes with --markdown")
    costs: dict[registry.AlgorithmKey, Mapping[str, Any]] = {}
    if asked:
        shape = processes(nodes, ppn)
        with progress.of_parts(errors()) as told:
            for done, entry in enumerate(algorithms):
                told(f"{entry.collective} {entry.algorithm}", done / len(algorithms))
                costs[entry.key] = counted.costs(entry, amount, shape, lanes or 2)
    rows = ({**entry.row(), **costs.get(entry.key, {})} for entry in algorithms)
    if names and form is Form.TEXT:
        for entry in algorithms:
            click.echo(_described(entry, costs.get(entry.key)))
        return
    show(form, rows, _tables(algorithms, costs), less=("tunables", "memory"))


def _asked(context: click.Context) -> bool:
    """Whether costs are asked for."""
    return any(
        context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        for name in ("nodes", "ppn", "lanes", "amount")
    )


def _show_own(form: Form, build: native.NativeBuild, collectives: Sequence[str]) -> None:
    """The MPI library's own algorithms. Raises Misuse where it cannot be told to use one."""
    found = [
        entry
        for entry in registry.load_own(build)
        if not collectives or entry.collective in collectives
    ]
    if not found:
        of_these = f" of {', '.join(collectives)}" if collectives else ""
        raise Misuse(
            f"{build.library} cannot be told which of its algorithms{of_these} to use: it has no "
            "control variables for that"
        )
    listing = Table(box=None, pad_edge=False, title=f"\n{build.library}", title_justify="left")
    for heading in ("collective", "algorithm"):
        listing.add_column(heading, no_wrap=True)
    listing.add_column("tunables", overflow="fold", min_width=12)
    for entry in found:
        presets = ", ".join(f"{name}={value}" for name, value in entry.presets.items())
        listing.add_row(entry.collective, entry.algorithm, presets)
    show(form, (entry.row() for entry in found), [listing], less=("tunables",))


def _chosen(
    every: Sequence[registry.Algorithm], collectives: Sequence[str], names: Sequence[str]
) -> list[registry.Algorithm]:
    """The algorithms that are asked for. Raises Misuse for unknown names."""
    known = dict.fromkeys(entry.collective for entry in every)
    for name in collectives:
        if name not in known:
            raise Misuse(f"no collective '{name}'; known: {', '.join(known)}")
    entries = [entry for entry in every if not collectives or entry.collective in collectives]
    have = {entry.algorithm for entry in entries}
    for name in names:
        if name not in have:
            of_these = f"{', '.join(collectives)} " if collectives else ""
            raise Misuse(f"no {of_these}algorithm '{name}'; known: {', '.join(sorted(have))}")
    return [entry for entry in entries if not names or entry.algorithm in names]


def _tables(
    algorithms: Sequence[registry.Algorithm],
    costs: Mapping[registry.AlgorithmKey, Mapping[str, Any]],
) -> Iterator[Table]:
    """The tables, one a collective."""
    for collective, entries in groupby(algorithms, key=lambda entry: entry.collective):
        listing = Table(box=None, pad_edge=False, title=f"\n{collective}", title_justify="left")
        listing.add_column("algorithm", no_wrap=True)
        if costs:
            for heading in ("rounds", "a process", "a node's lanes", "memory"):
                listing.add_column(heading, justify="right", no_wrap=True)
        listing.add_column("idea", overflow="fold", min_width=30)
        listing.add_column("tunables", overflow="fold", min_width=12)
        for entry in entries:
            own = _figures(costs[entry.key]) if costs else ()
            listing.add_row(entry.algorithm, *own, entry.idea, _tunables(entry))
        yield listing


def _tunables(entry: registry.Algorithm) -> str:
    return ", ".join(f"{one.name}={one.preset}" for one in entry.tunables)


def _figures(costs: Mapping[str, Any]) -> tuple[str, ...]:
    """Rounds and bytes for people; empty where another algorithm serves in its place."""
    if not costs:
        return ("", "", "", "")
    if costs["served_by"] is not None:
        return (f"({costs['served_by']})", "", "", "")
    return (
        str(costs["counted_rounds"]),
        *(units.size(costs[f"{name}_bytes"]) for name in ("process", "node", "scratch")),
    )


def _described(entry: registry.Algorithm, costs: Mapping[str, Any] | None) -> str:
    """All that is known of an algorithm, in lines."""
    facts = [*registry.facts(entry)]
    if costs:
        rounds, process, node, memory = _figures(costs)
        told = f"{rounds} rounds, {process} a process, {node} a node's lanes, {memory} of memory"
        facts.append(("there", told if process else f"served by {rounds.strip('()')}"))
    width = max(len(label) for label, _ in facts)
    lines = [f"{entry.collective}: {entry.algorithm}", entry.idea]
    return "\n".join([*lines, *(f"  {label:{width}}  {text}" for label, text in facts)]) + "\n"
