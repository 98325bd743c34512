# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from laneway.commands.shared.closing import print_conclusion
from laneway.commands.shared.console import output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Command
from laneway.commands.shared.measuring import (
    LESS,
    finish,
    measured,
    print_origin,
    result_tables,
    write_report,
)
from laneway.commands.shared.options import (
    cluster_option,
    realtime_option,
    runs_option,
    seconds_option,
)
from laneway.errors import Misuse
from laneway.files import results_folder
from laneway.launching import allocation, batch
from laneway.plans import demo
from laneway.results.measurements import Measured
from laneway.rows import CaseSummary
from laneway.showing.caveats import caveats

if TYPE_CHECKING:
    from rich.table import Table


@click.command("demo", cls=Command)
@cluster_option
@realtime_option
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    default=Path("laneway-report/index.html"),
    show_default=True,
    help="Where the report goes.",
)
@runs_option(6)
@seconds_option(30.0, "For all timing; starting jobs and checking results come on top.")
@formed
def demo_command(
    *, cluster_name: str, realtime: bool, report: Path, runs: int, seconds: float, form: Form
) -> None:
    """Compare all algorithms on this machine, in two minutes at most.

    Uses every MPI library that Laneway is built for. The nodes are an emulated cluster of 4 nodes
    with two network lanes where there can be one, else virtual nodes. Prints the tables, says what
    the figures can and cannot show, and writes a report with plots.
    """
    if cluster_name == "auto" and (job := batch.current()):
        raise Misuse(
            f"this is {job}: `laneway compare {job.system.launcher}` measures its nodes, --cluster "
            "NAME or none an emulated cluster or virtual nodes of this machine"
        )
    builds = demo.builds()
    results = []
    tables: list[Table] = []
    wanted = allocation.Wanted(cluster_name, realtime=realtime, launcher="local")
    with results_folder("demo") as folder, allocation.settings(wanted, say) as settings:
        for number, plan in enumerate(demo.plans(builds, settings, runs, seconds, say), 1):
            result = measured(plan, folder / f"{number}-{plan.build.id}")
            own = Measured(result.rows)
            if form is Form.TEXT:
                show(form, (), result_tables(plan, own), less=LESS)
                print_origin(result, own.summaries)
            else:
                tables += result_tables(plan, own)
            results.append(result)
            if result.interrupted:
                break
    rows = [row for result in results for row in result.rows]
    found = Measured(rows)
    if form is Form.TEXT:
        for caveat in caveats(rows):
            output().print(f"* {caveat}\n", highlight=False, markup=False)
    else:
        show(form, map(CaseSummary.row, found.summaries), tables)
    if found.summaries:
        print_conclusion(found, folder, quiet=form is not Form.TEXT)
        write_report(rows, report)
    finish(results)
