# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway probe`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from laneway import files
from laneway.campaign import Result
from laneway.choosing import busy
from laneway.choosing.next_commands import comparison
from laneway.commands.shared import forms
from laneway.commands.shared.console import output, say
from laneway.commands.shared.exit_codes import INTERRUPTED
from laneway.commands.shared.forms import Form, formed
from laneway.commands.shared.helping import Command
from laneway.commands.shared.launchers import launched
from laneway.commands.shared.measuring import measured
from laneway.commands.shared.options import (
    collectives_options,
    message_size_option,
    mpi_option,
    out_option,
    placed,
    repetitions_option,
    runs_option,
    seconds_option,
    seed_option,
    silence_option,
    whole,
)
from laneway.commands.shared.parameters import CountList
from laneway.errors import Misuse
from laneway.launching import allocation
from laneway.libraries import native
from laneway.modelling.floor import Wire
from laneway.plans.probe import ProbePlan
from laneway.probe import lane_rates, show, verdict
from laneway.probe.lane_rates import LaneRates, names_of_nodes
from laneway.probe.summary import ProbeSummary, summarise
from laneway.results.measurements import Measured
from laneway.rows import Row
from laneway.units import INT, counted

BETWEEN_NODES = ("lane-pattern", "lane-pairs", "lane-both", "lane-all", "lane-hypercube")
"""Messages by k processes of a node: to the next node, or as the name says."""
PROBES = (*BETWEEN_NODES, "multi-collective", "node-vs-lane", lane_rates.PROBE)
COUNTS = {
    **dict.fromkeys(BETWEEN_NODES, (1000, 10_000, 100_000, 1_000_000)),
    "multi-collective": (1000, 10_000, 100_000, 1_000_000),
    "node-vs-lane": (1, 10, 100, 1000, 10_000, 100_000),
    lane_rates.PROBE: (250_000,),
}


LESS = ("min us", "avg us", "floor us", "p", "N", "n")
"""Columns that a narrow terminal goes without, from the first one on."""


@click.command("probe", cls=Command)
@click.argument("probe", type=click.Choice(PROBES), metavar="|".join(PROBES))
@click.option(
    "--virtual-lanes",
    type=CountList(),
    metavar="K,L",
    help="Processes of a node that communicate at once.  [default: 1, 2, 4, ... up to --ppn]",
)
@click.option(
    "--count",
    "counts",
    type=CountList(),
    metavar="N,M",
    help="Elements (int): of a node, of a process, as in the call, by probe.  [default: by probe]",
)
@message_size_option
@collectives_options(
    "alltoall, allgather, allreduce or bcast; lane-... takes none.  [default: by probe]"
)
@mpi_option
@runs_option(3)
@seconds_option(2.0, "For each count in each run, shared by the virtual lanes.")
@repetitions_option(20)
@click.option(
    "--inner-repetitions",
    type=click.IntRange(1),
    metavar="I",
    help="Exchanges in one repetition.  [default: 10 for messages of lanes, else 1]",
)
@seed_option
@silence_option
@out_option("probe", "--output")
@click.option(
    "--install",
    is_flag=True,
    help="lane-rates: write a profile of the weights that follow, which all jobs find.",
)
@formed
@launched
@placed
def probe_command(
    *,
    wanted: allocation.Wanted,
    probe: str,
    virtual_lanes: tuple[int, ...] | None,
    counts: tuple[int, ...] | None,
    sizes: tuple[int, ...],
    mpi: str | None,
    out: Path | None,
    install: bool,
    form: Form,
    **options: Any,
) -> None:
    """See how many network lanes this machine really has.

    \b
    lane-pattern      k processes of each node share what the node sends to the next one
    lane-pairs        between the two nodes of a pair

    \b
    lane-both         to the next node and the one before at once
    lane-all          to all other nodes in turn

    \b
    lane-hypercube    across each dimension of a hypercube of nodes in turn

    \b
    multi-collective  the same collective on k lane communicators at once
    node-vs-lane      the same collective on one node, and on one process of each node

    \b
    lane-rates        each lane of each node by itself: which one is slower

    Probes make plain MPI calls, by no algorithm of Laneway: with k lanes, k processes at once
    should be k times as fast as one. On an emulated cluster every time stands beside the floor that
    the lanes' rate sets; virtual nodes have no lanes.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if sizes and counts:
        raise Misuse("--count or -m, not both: counts of ints, or bytes")
    if probe in (*BETWEEN_NODES, lane_rates.PROBE) and options["collectives"]:
        named = ", ".join(options["collectives"])
        raise Misuse(f"{probe} runs no collective: leave {named} out, or probe node-vs-lane")
    if install:
        if probe != lane_rates.PROBE:
            raise Misuse(f"--install goes with {lane_rates.PROBE}: {probe} finds no weights")
        files.refuse_changed(_installed(), "remove it, or write the weights there")
    ints = tuple(size // INT for size in whole(sizes, None))
    with allocation.settings(wanted, say) as settings:
        plan = ProbePlan(
            build=native.find(mpi),
            probe=probe,
            settings=settings,
            virtual_lanes=_virtual_lanes(virtual_lanes, settings[0].place.ppn),
            counts=ints or counts or COUNTS[probe],
            **options,
        )
        result = measured(plan, out, "probe")
    _print(plan, result, form)
    if install:
        _install(plan, result)


def _installed() -> Path:
    """The profile of weights. By its name it is read after what `laneway tune` writes."""
    return files.users_folder() / "weights.conf"


def _install(plan: ProbePlan, result: Result) -> None:
    """Writes the weights of lanes that are not alike; else removes those of earlier."""
    path = _installed()
    found = LaneRates.of(summarise(result.rows), names_of_nodes(result.rows))
    if found is None or result.interrupted:
        return
    if found.slow:
        files.replace(path, found.profile(plan.place.kind, plan.place.machine))
        say(f"all jobs follow these weights: {path}")
    elif path.is_file():
        path.unlink()
        say(f"the lanes are alike, so the weights of an earlier probe are removed: {path}")
    else:
        say("the lanes are alike: there are no weights to install")


BUSY = "On such a machine lanes may be missed: probe again when it is quiet, or use --realtime."
"""A verdict on lanes that was found beside other work."""


def busy_with(rows: Sequence[Row]) -> list[str]:
    """Sentences about other work of the machine, beside which lanes were looked for."""
    told = busy.sentence(Measured([*rows]))
    return [told, BUSY] if told else []


def _virtual_lanes(asked: tuple[int, ...] | None, ppn: int) -> tuple[int, ...]:
    if asked is None:
        return tuple(2**power for power in range(ppn.bit_length()))
    if not all(1 <= k <= ppn for k in asked):
        raise Misuse(f"--virtual-lanes: numbers from 1 to {ppn}, the processes of a node")
    return tuple(sorted(set(asked)))


def _print(plan: ProbePlan, result: Result, form: Form) -> None:
    """The table, the verdict and the figure; exit code 1 where something went wrong."""
    summaries = summarise(result.rows)
    cluster = plan.place.cluster
    wire = Wire.of(cluster.state.described()) if cluster else None
    virtual = cluster is None and _one_host(result)
    found = verdict.verdicts(summaries, virtual=virtual, names=names_of_nodes(result.rows))
    impossible = verdict.errors(summaries)
    if form is not Form.TEXT:
        rows = [*(s.row() for s in summaries), *(v.row() for v in found if form is Form.JSON)]
        forms.show(form, rows, (table for _, table in show.tables(summaries, wire)))
    elif summaries:
        _print_tables(plan, summaries, wire, found)
        for line in () if virtual else busy_with(result.rows):
            output().print(line, highlight=False, markup=False, soft_wrap=True)
    if any(summary.speedup is not None for summary in summaries):  # else nothing is compared
        show.write_figure(summaries, wire, result.folder / "probe.svg")
        say(f"figure: {result.folder}/probe.svg")
    samples = sum(row["kind"] == "probe" for row in result.rows)
    kept = f"{counted(samples, 'sample')}{' before the interrupt' if result.interrupted else ''}"
    say(f"{kept}: {result.folder}/rows.jsonl")
    for failure in (*result.failures, *impossible):
        say(failure)
    if result.interrupted:
        sys.exit(INTERRUPTED)
    if result.failures or impossible:
        sys.exit(1)


def _print_tables(
    plan: ProbePlan,
    summaries: list[ProbeSummary],
    wire: Wire | None,
    found: list[verdict.ProbeVerdict],
) -> None:
    console = output()
    for heading, table in show.tables(summaries, wire):
        console.print(heading, highlight=False, markup=False)
        forms.print_fitting(table, console, LESS)
    console.print(f"Measured on {plan.place}.", highlight=False, markup=False)
    if wire:
        console.print(
            f"Floor: {wire.formula}; headers are not counted.",
            highlight=False,
            markup=False,
        )
    for told in dict.fromkeys(one.text for one in found):
        console.print(f"Verdict: {told}", highlight=False, markup=False)
    for caveat in verdict.caveats(summaries):
        console.print(f"* {caveat}", highlight=False, markup=False)
    console.print(_next(plan, found), highlight=False, markup=False, soft_wrap=True)


def _next(plan: ProbePlan, found: list[verdict.ProbeVerdict]) -> str:
    """The next command after a verdict."""
    if any(one.text == verdict.VIRTUAL for one in found):
        return "To see lanes on this machine: laneway cluster up, then this command once more."
    several = any(one.lanes and one.lanes.lanes > 1 for one in found)
    why = "which collectives leave lanes unused" if several else "what other algorithms gain"
    what = ("bcast", "allreduce", "allgather", "-m", "4K:1M")
    return f"To see {why}: {comparison(what, plan.place, plan.build.id)}"


def _one_host(result: Result) -> bool:
    environments = [row for row in result.rows if row["kind"] == "environment"]
    return all(len(set(row["hosts"])) == 1 for row in environments)
