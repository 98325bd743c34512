# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway probe`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from laneway import machine, native, progress
from laneway.campaign import Result, measure, new_folder
from laneway.commands.common import (
    INTERRUPTED,
    errors,
    launcher_option,
    lines_option,
    mpi_option,
    output,
    realtime_option,
    runs_option,
    say,
    seed_option,
    silence_option,
)
from laneway.errors import Misuse
from laneway.floor import Wire
from laneway.parameters import Counts, Names
from laneway.place import Place, Setting, find_cluster, lanes_mismatch, mismatch
from laneway.probe import show, verdict
from laneway.probe.campaign import Plan
from laneway.probe.summary import Summary, summarise

PROBES = ("lane-pattern", "multi-collective", "node-vs-lane")
BINDINGS = ("lane", "all", "one")
COUNTS = {
    "lane-pattern": (1000, 10_000, 100_000, 1_000_000),
    "multi-collective": (1000, 10_000, 100_000, 1_000_000),
    "node-vs-lane": (1, 10, 100, 1000, 10_000, 100_000),
}


@click.command("probe")
@click.argument("probe", type=click.Choice(PROBES), metavar="|".join(PROBES))
@click.option(
    "--virtual-lanes",
    type=Counts(),
    metavar="K,L",
    help="Processes of a node that communicate at once.  [default: 1, 2, 4, ... up to --ppn]",
)
@click.option(
    "--count",
    "counts",
    type=Counts(),
    metavar="N,M",
    help="Elements (int): of a node, of a process, as in the call, by probe.  [default: by probe]",
)
@click.option(
    "--collective",
    "collectives",
    type=Names(),
    default=(),
    metavar="A,B",
    help="alltoall, allgather, allreduce or bcast; lane-pattern takes none.  [default: by probe]",
)
@click.option(
    "--nodes", type=click.IntRange(2), help="Nodes.  [default: those of the cluster, else 2]"
)
@click.option(
    "--ppn", type=click.IntRange(1), metavar="N", help="Processes a node.  [default: 4, or 2]"
)
@click.option(
    "--lanes",
    type=Counts(),
    metavar="L,M",
    help="Network lanes of a node. On a cluster: its own number, or 1, the control: every rank on "
    "the first lane.  [default: those of the cluster]",
)
@click.option(
    "--binding",
    type=click.Choice(BINDINGS),
    default="lane",
    show_default=True,
    help="On a cluster: ranks spread over the lanes; every rank on all; every rank on the first.",
)
@click.option(
    "--cluster",
    "cluster_name",
    envvar="LANEWAY_CLUSTER",
    metavar="NAME|none",
    help="An emulated cluster, or none.  [default: the one that is up]",
)
@realtime_option
@mpi_option
@runs_option
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=2.0,
    show_default=True,
    metavar="S",
    help="Seconds for each count in each run, shared by the virtual lanes.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Repetitions in each run, at most.",
)
@click.option(
    "--inner-repetitions",
    type=click.IntRange(1),
    metavar="I",
    help="Exchanges in one repetition.  [default: 10 for lane-pattern, else 1]",
)
@seed_option
@launcher_option
@silence_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="New folder for rows and figure.  [default: laneway-results/probe-TIME]",
)
@lines_option
def probe_command(
    *,
    probe: str,
    virtual_lanes: tuple[int, ...] | None,
    counts: tuple[int, ...] | None,
    nodes: int | None,
    ppn: int | None,
    lanes: tuple[int, ...] | None,
    binding: str,
    cluster_name: str | None,
    realtime: bool,
    mpi: str | None,
    launcher_options: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """See how many network lanes this machine really has.

    \b
    lane-pattern      k processes of each node share what the node sends to the next one
    multi-collective  the same collective on k lane communicators at once
    node-vs-lane      the same collective on one node, and on one process of each node

    Plain MPI calls, no algorithm of Laneway: with k lanes, k processes at once should be k times as
    fast as one. Runs on the emulated cluster that is up (laneway cluster up), where every time
    stands beside the floor that the lanes' rate sets, else on virtual nodes, which have no lanes.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    place = _place(cluster_name, nodes, ppn, realtime, launcher_options)
    plan = Plan(
        build=native.find(mpi),
        probe=probe,
        settings=_settings(place, lanes, binding),
        virtual_lanes=_virtual_lanes(virtual_lanes, place.ppn),
        counts=counts or COUNTS[probe],
        **options,
    )
    with progress.shown(errors, plan) as observer:
        result = measure(plan, out or new_folder("probe"), observer)
    _print(plan, result, as_json)


def _place(
    name: str | None,
    nodes: int | None,
    ppn: int | None,
    realtime: bool,
    launcher_options: tuple[str, ...],
) -> Place:
    cluster = find_cluster("none" if launcher_options and name is None else name)
    if cluster is None:
        if realtime:
            raise Misuse("--realtime needs a cluster: laneway cluster up")
        nodes = nodes or 2
        return Place(nodes, ppn or max(2, machine.cores() // nodes), options=launcher_options)
    if launcher_options:
        raise Misuse("--launcher-options go with --cluster none")
    spec = cluster.spec
    if reason := mismatch(spec, nodes, ppn):
        raise Misuse(reason)
    return Place(spec.nodes, spec.slots[0] if spec.slots else ppn or 4, cluster, realtime)


def _settings(place: Place, asked: tuple[int, ...] | None, binding: str) -> list[Setting]:
    """What is measured in every run. Without a cluster, lanes are a label."""
    if place.cluster is None:
        if asked and len(asked) > 1:
            raise Misuse("--lanes: several numbers need a cluster: laneway cluster up")
        return [Setting(place, asked[0] if asked else None)]
    own = place.cluster.spec.lanes
    chosen = asked or (1 if binding == "one" else own,)
    if reason := lanes_mismatch(place.cluster.spec, chosen):
        raise Misuse(reason)
    return [Setting(place, lanes, "one" if lanes < own else binding) for lanes in chosen]


def _virtual_lanes(asked: tuple[int, ...] | None, ppn: int) -> tuple[int, ...]:
    if asked is None:
        return tuple(2**power for power in range(ppn.bit_length()))
    if not all(1 <= k <= ppn for k in asked):
        raise Misuse(f"--virtual-lanes: numbers from 1 to {ppn}, the processes of a node")
    return tuple(sorted(set(asked)))


def _print(plan: Plan, result: Result, as_json: bool) -> None:
    """The table, the verdict and the figure; exit code 1 where something went wrong."""
    summaries = summarise(result.rows)
    spec = plan.place.cluster.spec if plan.place.cluster else None
    wire = Wire(spec.rate, spec.burst) if spec else None
    virtual = spec is None and _one_host(result)
    found = verdict.verdicts(summaries, virtual=virtual)
    impossible = verdict.errors(summaries)
    if as_json:
        for row in (*(s.row() for s in summaries), *(v.row() for v in found)):
            click.echo(json.dumps(row))
    elif summaries:
        _print_tables(plan, summaries, wire, found)
    if summaries:
        show.write_figure(summaries, wire, result.folder / "probe.svg")
        say(f"figure: {result.folder}/probe.svg")
    samples = sum(row["kind"] == "probe" for row in result.rows)
    kept = f"{samples} samples{' before the interrupt' if result.interrupted else ''}"
    say(f"{kept}: {result.folder}/rows.jsonl")
    for failure in (*result.failures, *impossible):
        say(failure)
    if result.interrupted:
        sys.exit(INTERRUPTED)
    if result.failures or impossible:
        sys.exit(1)


def _print_tables(
    plan: Plan, summaries: list[Summary], wire: Wire | None, found: list[verdict.Verdict]
) -> None:
    console = output()
    for heading, table in show.tables(summaries, wire):
        console.print(heading, highlight=False, markup=False)
        console.print(table)
    console.print(f"Measured on {plan.place}.", highlight=False, markup=False)
    if wire:
        console.print(
            f"Floor: (bytes that the busiest lane must carry - {wire.burst}) / rate, headers not "
            "counted.",
            highlight=False,
            markup=False,
        )
    for told in dict.fromkeys(one.text for one in found):
        console.print(f"Verdict: {told}", highlight=False, markup=False)
    for caveat in verdict.caveats(summaries):
        console.print(f"* {caveat}", highlight=False, markup=False)


def _one_host(result: Result) -> bool:
    environments = [row for row in result.rows if row["kind"] == "environment"]
    return all(len(set(row["hosts"])) == 1 for row in environments)
