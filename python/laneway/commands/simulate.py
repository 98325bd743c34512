# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway simulate`."""

from __future__ import annotations

import csv
import io
import itertools
import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from laneway import files
from laneway.campaign.folder import ROWS
from laneway.collectives import EQUAL, of_layout
from laneway.commands.shared import completing, progress
from laneway.commands.shared.console import errors, output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Aliased
from laneway.commands.shared.measuring import LESS, write_report
from laneway.commands.shared.options import (
    collectives_options,
    counts_option,
    layouts_option,
    message_size_option,
    whole,
)
from laneway.commands.shared.parameters import NameList
from laneway.commands.shared.simulated import (
    components_option,
    lanes_option,
    machine_option,
    nodes_option,
    placement_option,
    ppn_option,
    processes,
    shape_option,
    weights_option,
)
from laneway.errors import Misuse
from laneway.plans.comparison import COUNTS
from laneway.rows import NATIVE, CaseKey, CaseSummary, Row, impossible, summarise
from laneway.showing import table
from laneway.simulation import bounds, comparison, machine, native
from laneway.simulation import timeline as drawn
from laneway.simulation import trace as tracing
from laneway.units import counted, ratio, size


@click.command("simulate")
@collectives_options("[default: all]")
@machine_option
@nodes_option
@ppn_option
@placement_option
@lanes_option
@weights_option
@shape_option
@click.option(
    "--algorithm",
    "algorithms",
    type=NameList(),
    default="all",
    metavar="X,Y",
    shell_complete=completing.algorithms,
    help="Algorithms, or all; native needs --native.  [default: all]",
)
@click.option(
    "--native",
    "library",
    metavar="NAME|FILE",
    shell_complete=completing.natives,
    help="The MPI library that serves native, and components: a native profile, as openmpi-4.0.  "
    "[default: none; components are Laneway's]",
)
@counts_option
@message_size_option
@click.option(
    "--datatype",
    metavar="NAME",
    shell_complete=completing.datatypes,
    help="Any predefined type of MPI for C.  [default: int]",
)
@click.option(
    "--op", default="sum", metavar="NAME", show_default=True, help="A label for the rows."
)
@click.option(
    "--root",
    type=click.IntRange(0),
    default=0,
    metavar="R",
    show_default=True,
    help="Root of rooted collectives.",
)
@layouts_option
@components_option
@click.option("--bounds", is_flag=True, help="Also say what each time goes to.")
@click.option(
    "--loads",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write what each lane and link carries, as CSV.",
)
@click.option(
    "--timeline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw what each rank and lane does when, as SVG: of one small call. It stands in the "
    "report, too.",
)
@click.option(
    "--chrome-trace",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the timeline of one call of any size there, for Perfetto (ui.perfetto.dev).",
)
@click.option(
    "--out",
    "--output",
    cls=Aliased,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Keep the rows there, for `laneway report`.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report with plots, too: one HTML file.",
)
@formed
def simulate_command(
    *,
    machine_name: str,
    lanes: int | None,
    lane_weights: str | None,
    shape: str | None,
    library: str | None,
    counts: tuple[int | str, ...] | None,
    sizes: tuple[int, ...],
    datatype: str | None,
    nodes: int | None,
    ppn: tuple[int, ...],
    loads: Path | None,
    timeline: Path | None,
    chrome_trace: Path | None,
    out: Path | None,
    report: Path | None,
    form: Form,
    **options: Any,
) -> None:
    """Predict collectives on a machine that is only described, of any size.

    \b
    laneway simulate allreduce --machine example --nodes 6912 --ppn 16 -m 1M:1M
    laneway simulate bcast --machine mine.toml --algorithm lane,lane_pipeline
    laneway simulate scatter --ppn 4,3,5

    \b
    laneway simulate alltoall --machine juqueen --nodes 64 --shape 4x4x2x2 --bounds
    laneway simulate bcast --machine hydra --native openmpi-4.0 --algorithm native,lane

    Records what each rank does by each algorithm, and carries it out on a simulated clock: neither
    an MPI library nor the machine is needed. Prints the table and the rows of `laneway compare`;
    native is the library of --native. docs/simulation.md says how machines are described.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if sizes and counts:
        raise Misuse("--count or -m, not both: counts as in the MPI call, or bytes")
    sizes_of_nodes = processes(nodes, ppn)
    if options["root"] >= sum(sizes_of_nodes):
        raise Misuse(f"--root: there are {sum(sizes_of_nodes)} ranks")
    plan = comparison.SimulationPlan(
        machine=machine.load(machine_name)
        .with_lanes(lanes)
        .with_weights(lane_weights)
        .with_shape(shape),
        processes=sizes_of_nodes,
        counts=() if sizes else counts or COUNTS,
        sizes=whole(sizes, datatype),
        datatype=datatype or "int",
        native=None if library is None else native.load(library),
        **options,
    )
    most = plan.machine.nodes
    if most is not None and len(sizes_of_nodes) > most:
        say(f"{plan.machine.name} has {counted(most, 'node')}: {len(sizes_of_nodes)} are simulated")
    drawing = _write_pictures(plan, loads, timeline, chrome_trace)
    with progress.of_parts(errors()) as told:
        rows = [*comparison.rows(plan, told, say)]
    summaries = summarise(rows)
    if not summaries:
        say("nothing could be simulated")
        sys.exit(1)
    further = comparison.of_summary(rows)
    tables = (table.render(found, plan.title) for found in [summaries])
    show(
        form,
        ({**summary.row(), **further[summary.key]} for summary in summaries),
        tables,
        less=LESS,
    )
    if out:
        files.replace(out / ROWS, "".join(f"{json.dumps(row)}\n" for row in rows))
        say(f"rows: {out}")
    if report:
        write_report(rows, report, timeline=drawing)
    if form is Form.TEXT:
        for line in (*_closing(summaries, further, plan), *_next(summaries, machine_name)):
            output().print(line, highlight=False, markup=False, soft_wrap=True)
    for error in impossible(summaries):
        say(error)


def _closing(
    summaries: Sequence[CaseSummary],
    further: Mapping[CaseKey, Row],
    plan: comparison.SimulationPlan,
) -> Iterator[str]:
    """The lines below the table: the bounds of each call, where asked for, and floors."""
    for summary in summaries if plan.bounds else ():
        key = summary.key
        yield f"{key.collective} {key.count}, {key.algorithm}: {bounds.in_words(further[key])}"
    for wire in dict.fromkeys(summary.wire for summary in summaries if summary.wire):
        yield f"Floor: {wire.formula}"


def _next(summaries: Sequence[CaseSummary], named: str) -> Iterator[str]:
    """The fastest at the largest size of each collective, and the command that measures that."""
    last = {(each.key.collective, each.key.layout): each.key.count for each in summaries}
    found = []
    for (collective, layout), count in last.items():
        case = collective, layout, count
        own = [each for each in summaries
               if (each.key.collective, each.key.layout, each.key.count) == case]  # fmt: skip
        best, *others = sorted(own, key=lambda each: each.median_us)
        if not others:
            continue
        found.append(best.key)
        longer = others[0].median_us / best.median_us
        yield (
            f"By the simulated clock {best.key.algorithm} is the fastest {collective} of "
            f"{size(best.key.bytes)}{of_layout(layout)}; next {others[0].key.algorithm}, "
            f"{ratio(longer)} times as long."
        )
    if found:
        words = ["laneway", "compare", *_asked_again(found), "--predict", named]
        yield f"to hold that against a measurement: {shlex.join(words)}"
    else:
        names = dict.fromkeys(name for name, _ in last)
        words = ["laneway", "simulate", *names, "--machine", named]
        yield f"to see how others would do: {shlex.join(words)}"


def _asked_again(found: Sequence[CaseKey]) -> list[str]:
    """These cases as words of `laneway compare`."""
    words = [*dict.fromkeys(key.collective for key in found)]
    if counts := sorted({key.count for key in found if key.count}):
        words += ["--count", ",".join(map(str, counts))]
    if any(key.layout for key in found):
        words += ["--layout", ",".join(dict.fromkeys(key.layout or EQUAL for key in found))]
    words += ["--nodes", str(found[0].nodes), "--ppn", str(found[0].ppn)]
    if names := [*dict.fromkeys(key.algorithm for key in found if key.algorithm != NATIVE)]:
        words += ["--algorithm", ",".join(names)]
    return words


def _write_pictures(
    plan: comparison.SimulationPlan,
    loads: Path | None,
    timeline: Path | None,
    chrome_trace: Path | None,
) -> str:
    """Writes the files that show calls from inside. Returns the timeline drawn, if any.

    Raises Misuse where a file that shows one call is asked for several.
    """
    drawing = ""
    if not (loads or timeline or chrome_trace):
        return drawing
    calls = comparison.calls(plan, say)
    if (timeline or chrome_trace) and len(calls) != 1:
        raise Misuse(
            f"--timeline and --chrome-trace show one call, not {len(calls)}: name one "
            "collective, one algorithm and one count"
        )
    if timeline:
        found = tracing.trace(calls[0], plan.machine, plan.native, drawn.MOST_MESSAGES)
        drawing = drawn.svg(found)
        files.replace(timeline, drawing)
        say(f"timeline: {timeline}")
    if chrome_trace:
        found = tracing.trace(calls[0], plan.machine, plan.native)
        files.replace(chrome_trace, tracing.chrome(found))
        say(f"trace: {chrome_trace}")
    if loads:
        carried = (bounds.loads(call, plan.machine, plan.native) for call in calls)
        files.replace(loads, _csv(itertools.chain.from_iterable(carried)))
        say(f"loads: {loads}")
    return drawing


def _csv(rows: Iterable[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, bounds.LOADS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
