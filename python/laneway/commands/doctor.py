# SPDX-License-Identifier: BSD-3-Clause
"""The subcommand `laneway doctor`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from rich import box
from rich.table import Table

from laneway import doctor
from laneway.cluster.spec import format_rate
from laneway.commands.shared.console import output
from laneway.commands.shared.forms import Form, formed, show
from laneway.doctor import Finding, Status, installed

COLOURS = {
    Status.GOOD: "green",
    Status.NOTE: "cyan",
    Status.UNKNOWN: "default",
    Status.WARNING: "yellow",
    Status.BAD: "red",
}


@click.command("doctor")
@click.option("--quick", is_flag=True, help="Start nothing: no trial jobs, no trial cluster.")
@click.option("--strict", is_flag=True, help="Exit code 1 at warnings, too.")
@click.option(
    "--mpi",
    "libraries_alone",
    is_flag=True,
    help="Only list the MPI libraries of this machine, and which build serves each.",
)
@formed
def doctor_command(*, quick: bool, strict: bool, libraries_alone: bool, form: Form) -> None:
    """Examine this machine: what would spoil a measurement, and what to do about it.

    Looks at cores, clock rates, other load, limits, network devices, MPI libraries and the
    variables that set them. Starts two processes under each library's launcher to see whether they
    keep their cores, and makes a small emulated cluster. Shows which lanes there are and which
    processes are near them.

    With --mpi: the MPI libraries on PATH, in wheels, where their variables point, known to the
    loader, and among the modules. For each of them, the build of Laneway that serves it is shown,
    and what is not served there and why. A process is started under each launcher.

    Exit code 0: nothing bad was found; 1: something was, or, with --mpi, a library is not served.
    """
    if libraries_alone:
        sys.exit(_list_libraries(form, quick=quick))
    examination = doctor.examine(quick=quick)
    rows = [
        *({"kind": "finding", **finding.to_json()} for finding in examination.findings),
        *({"kind": "lane", **lane} for lane in examination.lanes),
    ]
    show(form, rows, _tables(examination.findings, examination.lanes))
    if form is Form.TEXT:
        bad = sum(finding.status is Status.BAD for finding in examination.findings)
        warnings = sum(finding.status is Status.WARNING for finding in examination.findings)
        output().print(f"{bad} that would mislead, {warnings} to know of.", highlight=False)
    spoilt = {Status.BAD, Status.WARNING} if strict else {Status.BAD}
    sys.exit(any(finding.status in spoilt for finding in examination.findings))


def _list_libraries(form: Form, *, quick: bool) -> int:
    """Prints the MPI libraries; returns the exit code."""
    libraries = list(installed.served(quick=quick))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("MPI library", no_wrap=True)
    table.add_column("its file, or launcher", overflow="fold")
    table.add_column("build", no_wrap=True)
    table.add_column("--mpi", no_wrap=True)
    table.add_column("served", overflow="fold")
    for each in libraries:
        forms = "blocking, nonblocking, persistent" if each.requests else "blocking"
        if each.requests is None:
            forms += "; other forms were not tried"
        told = [*([forms] if each.blocking else []), *([each.why] if each.why else [])]
        table.add_row(
            _plain(each.library),
            _plain(each.file or each.mpiexec or f"({each.found})"),
            each.build or "[red]none[/]",
            each.name,
            _plain("; ".join(told)),
        )
    show(form, [each.to_json() for each in libraries], [table])
    if form is Form.TEXT and not libraries:
        output().print("No MPI library on PATH, in a wheel or known to the loader.")
    return not all(each.blocking for each in libraries if each.found != "module")


def _tables(findings: Sequence[Finding], lanes: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("check", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("found, and what to do", overflow="fold")
    for finding in findings:
        advice = f"\n-> {finding.advice}" if finding.advice else ""
        colour = COLOURS[finding.status]
        table.add_row(
            finding.check, f"[{colour}]{finding.status}[/]", f"{_plain(finding.found + advice)}"
        )
    yield table
    if lanes:
        yield _map(lanes)


def _plain(text: str) -> str:
    """Text whose brackets are no markup."""
    return text.replace("[", r"\[")


def _map(lanes: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title="Lanes", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("node", "lane", "device", "rate"):
        table.add_column(heading, justify="right" if heading == "lane" else "left")
    table.add_column("near", overflow="fold")
    for lane in lanes:
        rate = "unknown" if lane["rate"] is None else format_rate(lane["rate"])
        near = (
            f"local ranks {_list(lane['local_ranks'])}"
            if "local_ranks" in lane
            else f"processors {_list(lane['cores'])}"
        )
        table.add_row(lane["node"], str(lane["lane"]), lane["device"], rate, near)
    return table


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
