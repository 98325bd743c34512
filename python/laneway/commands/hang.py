# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway hang`."""

from __future__ import annotations

import json
import sys

import click

from laneway.commands.shared.console import say
from laneway.commands.shared.exit_codes import NOT_WELL, UNDECIDED
from laneway.commands.shared.parameters import Duration
from laneway.errors import Misuse, Problem
from laneway.units import counted
from laneway.watching import jobs
from laneway.watching.exchange import JobSide
from laneway.watching.jobs import RunningJob
from laneway.watching.judging import mismatches
from laneway.watching.processes import stack_of
from laneway.watching.telling import in_words, to_json
from laneway.watching.watch import found_by, judge_with_stacks
from laneway.watching.world import WatchFinding


@click.command("hang")
@click.option("--job", metavar="NAME", help="The job, where several of yours are recorded here.")
@click.option(
    "--after",
    type=Duration(),
    default=10.0,
    show_default="10s",
    metavar="TIME",
    help="A process that has waited for so long stands still.",
)
@click.option("--json", "as_json", is_flag=True, help="A finding a line, as an object of JSON.")
def hang_command(job: str | None, after: float, *, as_json: bool) -> None:
    """Say who is missing in a job that stands still: one that `laneway exec --watch` has started.

    Call it on a node of the job, as the same user. The job goes on, or stands still, as it did.
    """
    running = jobs.running()
    if not running:
        raise Problem("no job of yours is recorded on this node: start it by laneway exec --watch")
    names = ", ".join(one.name for one in running)
    chosen = [one for one in running if job in (None, one.name)]
    if not chosen:
        raise Misuse(f"--job '{job}'; known: {names}")
    if len(chosen) > 1:
        raise Misuse(f"several jobs of yours are recorded on this node, name one by --job: {names}")
    found = _findings(chosen[0], after)
    for finding in found:
        if as_json:
            click.echo(json.dumps(to_json(finding)))
        else:
            for line in in_words(finding):
                click.echo(line)
    if not found and not as_json:
        click.echo(f"nobody has waited {after:g} s for a process that is not there")
    if found:
        only_slow = all(finding.kind in ("slow", "inside") for finding in found)
        sys.exit(UNDECIDED if only_slow else NOT_WELL)


def _findings(job: RunningJob, after: float) -> list[WatchFinding]:
    if job.folder is not None:
        found, silent = found_by(JobSide(job.folder), after)
        if silent:
            say(f"{counted(silent, 'node')} did not answer")
        return found
    say("this job's nodes cannot be asked from here: this is what this node's processes tell")
    accounts = [one.account() for one in job.processes]

    def stacks_of(ranks: list[int]) -> dict[tuple[str, int], tuple[str, ...]]:
        return {one.key: stack_of(one) for one in accounts if one.rank in ranks}

    is_complete = len(accounts) == max((one.size for one in accounts), default=0)
    found = judge_with_stacks(accounts, after, stacks_of, is_complete=is_complete)
    return found or mismatches(accounts)
