# SPDX-License-Identifier: BSD-3-Clause
"""The subcommand `laneway doctor`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich import box
from rich.table import Table

from laneway import doctor
from laneway.cluster.spec import format_rate
from laneway.commands.console import output
from laneway.doctor import Finding, Status

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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def doctor_command(*, quick: bool, strict: bool, as_json: bool) -> None:
    """Examine this machine: what would spoil a measurement, and what to do about it.

    Looks at cores, clock rates, other load, limits, network devices, MPI libraries and the
    variables that set them; starts two processes under each library's launcher to see whether they
    keep their cores, and makes a small emulated cluster. Shows which lanes there are and which
    processes are near them.

    Exit code 0: nothing bad was found; 1: something was.
    """
    examination = doctor.examine(quick=quick)
    if as_json:
        for finding in examination.findings:
            click.echo(json.dumps({"kind": "finding", **finding.to_json()}))
        for lane in examination.lanes:
            click.echo(json.dumps({"kind": "lane", **lane}))
    else:
        _print(examination.findings, examination.lanes)
    spoilt = {Status.BAD, Status.WARNING} if strict else {Status.BAD}
    sys.exit(any(finding.status in spoilt for finding in examination.findings))


def _print(findings: Sequence[Finding], lanes: Sequence[Mapping[str, Any]]) -> None:
    console = output()
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
    console.print(table)
    if lanes:
        console.print(_map(lanes))
    bad = sum(finding.status is Status.BAD for finding in findings)
    warnings = sum(finding.status is Status.WARNING for finding in findings)
    console.print(f"{bad} that would mislead, {warnings} to know of.", highlight=False)


def _plain(text: str) -> str:
    """Text whose brackets are no markup."""
    return text.replace("[", r"\[")


def _map(lanes: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title="Lanes", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("node", "lane", "device", "rate", "near"):
        table.add_column(heading, justify="right" if heading == "lane" else "left")
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
