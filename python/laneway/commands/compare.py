# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from laneway import compare, native, place
from laneway.campaign import new_folder
from laneway.commands.common import (
    cluster_option,
    finish,
    launcher_option,
    lines_option,
    measured,
    mpi_option,
    print_result,
    realtime_option,
    runs_option,
    say,
    seed_option,
    silence_option,
    write_report,
)
from laneway.commands.launchers import launched
from laneway.errors import Misuse
from laneway.parameters import Counts, Names
from laneway.rows import summarise


@click.command("compare")
@click.option(
    "--collective",
    "collectives",
    type=Names(),
    default=(),
    metavar="A,B",
    help="Collectives.  [default: all]",
)
@click.option(
    "--algorithm",
    "algorithms",
    type=Names(),
    default="all",
    metavar="X,Y",
    help="Algorithms, or all; native is always measured, too.  [default: all]",
)
@click.option(
    "--count",
    "counts",
    type=Counts(),
    default="1,1000,100000",
    metavar="N,M",
    show_default=True,
    help="Counts, as in the MPI call.",
)
@click.option(
    "--datatype",
    default="int",
    metavar="NAME",
    show_default=True,
    help="byte, short, int, long, float or double.",
)
@click.option(
    "--op",
    default="sum",
    metavar="NAME",
    show_default=True,
    help="Operator of reductions: sum, prod, max, min, land, lor, lxor, band, bor, bxor.",
)
@click.option(
    "--root",
    default="0",
    metavar="R",
    show_default=True,
    help="Root of rooted collectives: a rank, or rotate.",
)
@cluster_option
@click.option(
    "--nodes", type=click.IntRange(1), help="Nodes.  [default: 4 on a cluster, 2 virtual ones]"
)
@click.option(
    "--ppn",
    type=click.IntRange(1),
    metavar="N",
    help="Processes a node.  [default: 4 on a cluster, else as this machine's cores allow]",
)
@click.option(
    "--lanes",
    type=Counts(),
    default=(),
    metavar="L,M",
    help="Network lanes of a node; on a cluster several numbers, each measured.  [default: 2]",
)
@click.option(
    "--native",
    "native_binding",
    type=click.Choice(("best", "all", "lane")),
    help="On a cluster: what the ranks of the MPI library's own algorithm see of the lanes: all, "
    "one each, or the better of both for each count.  [default: best]",
)
@realtime_option
@runs_option
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    metavar="S",
    help="Seconds for each collective and count in each run, shared by the algorithms.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Repetitions of each algorithm in each run, at most.",
)
@seed_option
@mpi_option
@click.option(
    "--binding",
    metavar="NAME",
    help="What ranks see of the lanes of their node. On a cluster: lane (one each), all, or one "
    "(the first); elsewhere a label for the rows.  [default: lane; elsewhere all]",
)
@launcher_option
@silence_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="New folder for the rows.  [default: laneway-results/compare-TIME]",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report with plots, too: one HTML file.",
)
@lines_option
@launched
def compare_command(
    *,
    launcher: str,
    cluster_name: str,
    nodes: int | None,
    ppn: int | None,
    lanes: tuple[int, ...],
    binding: str | None,
    native_binding: str | None,
    realtime: bool,
    launcher_options: tuple[str, ...],
    algorithms: tuple[str, ...],
    mpi: str | None,
    out: Path | None,
    report: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Time collectives by several algorithms, side by side.

    Starts the benchmark under mpirun several times and prints, for each collective and count, the
    time of the slowest rank by each algorithm (minimum, median, mean), how many times as fast as
    the MPI library's own algorithm it is, and how far from the least time that the lanes allow.
    Runs on an emulated cluster where one is up or can be made, else on virtual nodes. Each result
    is checked before it is timed. The rows are kept as they come, in --out.
    """
    build = native.find(mpi)
    wanted = place.Wanted(
        cluster_name,
        nodes,
        ppn,
        lanes,
        binding,
        realtime=realtime,
        options=launcher_options,
        launcher=launcher,
    )
    with place.settings(wanted, say) as settings:
        if native_binding and settings[0].place.cluster is None:
            raise Misuse("--native needs a cluster: laneway cluster up")
        plan = compare.Plan(
            build=build,
            arms=compare.arms(settings, algorithms, native_binding or "best", build, say),
            **options,
        )
        result = measured(plan, out or new_folder("compare"))
    summaries = summarise(result.rows)
    if as_json:
        for summary in summaries:
            click.echo(json.dumps(summary.row()))
    else:
        print_result(plan, result)
    if report and summaries:
        write_report(result.rows, report)
    finish([result])
