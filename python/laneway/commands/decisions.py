# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway decisions`, and the report that `exec` prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from laneway import decisions
from laneway.commands.shared.console import output
from laneway.commands.shared.forms import Form, formed, show
from laneway.decisions import Advice, CallCount, CountedCase, DecisionReport, JobOrigin, origin
from laneway.decisions.advice import (
    LITTLE,
    SHOWN,
    WORTHWHILE,
    AdvisedComparison,
    waits_apart,
)
from laneway.errors import Misuse, Problem
from laneway.libraries import native, profile, registry
from laneway.modelling import one_node
from laneway.plans.comparison import ComparisonPlan
from laneway.plans.duration import ComparisonDuration
from laneway.rows import NATIVE
from laneway.units import duration, roughly, size

KEYS = ("job", "collective", "bytes")
"""Columns that stand in each part of a table that is too wide for a terminal."""

LESS = ("communicator", "a process", "calls", "us a call")
"""Columns that a narrow terminal goes without, from the first one on."""


@click.command("decisions")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--rank", type=int, metavar="R", help="Only the calls of rank R.")
@click.option(
    "--each", is_flag=True, help="Each communicator by itself, not those of one shape together."
)
@formed
def decisions_command(folder: Path, *, rank: int | None, each: bool, form: Form) -> None:
    """Print the report of a job, or several: which algorithm served which calls, and why.

    FOLDER is what `laneway exec --report` or `--advise` left, or what LANEWAY_REPORT names; it may
    be read while the job runs.
    """
    report = decisions.load(folder, rank)
    shown = report if each else report.folded()
    if form is Form.TEXT:
        print_report(shown, output(), origin.load(folder))
    else:
        # Sums over the whole report are no lines of a table.
        rows = (row for row in report.rows() if form is Form.JSON or row["kind"] == "decision")
        show(form, rows, [_table(Advice(shown, origin.load(folder)))])


def print_report(report: DecisionReport, console: Console, started: JobOrigin) -> None:
    """Prints the report of jobs that were `started` so as a table, with sums and advice below."""
    advice = Advice(report, started)
    show(Form.TEXT, (), [_table(advice)], keys=KEYS, less=LESS, console=console)
    for line in (*report.notes(), *_sums(advice), *(_next(advice) if report.timed else ())):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _next(advice: Advice) -> Iterator[str]:
    """The commands to go on with where times were measured."""
    if worth := advice.comparisons:
        yield from _lanes(advice)
        yield (
            "To measure how much of that another algorithm saves, and get a profile for `laneway "
            "exec --profile`:"
        )
        for each in worth[:SHOWN]:
            of_all, lasts = _of_all(advice, each.seconds), roughly(_lasts(advice, each))
            yield f"{each.collective}{of_all}; the command takes about {lasts}:"
            yield each.command(advice.where(each.nodes))
        if worth[1:]:
            minutes = max(LEAST_MINUTES, round(sum(_lasts(advice, each) for each in worth) / 60))
            yield f"Or all of it by one command, in {minutes} minutes:"
            yield advice.tuning(f"{minutes}m")
        if any(each.nodes == 1 for each in worth):
            yield one_node.SENTENCE
        return
    if advice.late and not advice.crowds:
        spent = advice.report.spent
        yield (
            "Another algorithm shortens no waiting, and little else: without it, collectives take "
            f"{duration(spent)}{_of_all(advice, spent)}."
        )
    elif advice.little:
        yield f"Nothing to gain here: collectives take {_share(advice, advice.report.spent)}."
    elif Advice(advice.report, JobOrigin(advice.origin.folder)).comparisons:
        yield f"Nothing to gain here: no collective takes {WORTHWHILE:.0%} of the job's time."
    else:
        timed = (each for each in advice.report.cases.items() if each[1].seconds)
        for case, count in islice(timed, 1):
            reason = advice.of(case, count).removeprefix("nothing: ")
            yield f"Nothing to gain here: {reason} ({case.collective})."
    if all(each.place.nodes in (None, 1) for each in advice.report.cases):
        yield "On several nodes there may be: advise there, or see `laneway demo`."


TWO = 2
"""Lanes that a node has at least, where it has several."""


def _lanes(advice: Advice) -> Iterator[str]:
    """The gain of lanes that nobody knows of, if built-in rules would serve by them."""
    if not advice.lanes_are_unknown:
        return
    with suppress(Problem, Misuse):
        build = native.find(dict(pairwise(advice.origin.compare)).get("--mpi"))

        def served(case: CountedCase) -> bool:
            shape = profile.CommunicatorShape(case.place.nodes or 1, case.place.ppn_most or 1, TWO)
            own = profile.standing(build, shape, case.collective, case.bytes_to or 0)
            return own != NATIVE

        if (seconds := advice.served(served)) and (advice.share(seconds) or 1.0) >= WORTHWHILE:
            yield (
                f"No lanes are known. If nodes have {TWO} or more, built-in rules serve calls of "
                f"{duration(seconds)}{_of_all(advice, seconds)}: laneway exec --lanes {TWO} -- ..."
            )


def _of_all(advice: Advice, seconds: float) -> str:
    """The share of the job's time, where that is known."""
    return f", {_share(advice, seconds)}" if advice.origin.seconds else ""


def _share(advice: Advice, seconds: float) -> str:
    share = advice.share(seconds) or 0.0
    told = f"{share:.0%}" if share >= LITTLE else "less than 1%"
    return f"{told} of the job's {duration(advice.origin.seconds or 0.0)}"


LEAST_MINUTES = 5
"""Minutes for a tuning: with less, it confirms little."""

ALGORITHMS = 20
"""Algorithms that a collective has, about, where there is no native build to ask."""


def _lasts(advice: Advice, comparison: AdvisedComparison) -> float:
    """Seconds that a comparison takes; on a cluster native is measured in a further job."""
    where = advice.origin.compare
    jobs = 2 if advice.origin.emulated and "--binding" not in where else 1
    known = ALGORITHMS
    with suppress(Problem):
        build = native.find(dict(pairwise(where)).get("--mpi"))
        entries = registry.load(build)
        known = 1 + sum(entry.collective == comparison.collective for entry in entries)
    return ComparisonDuration(ComparisonPlan.runs, ComparisonPlan.seconds, known, jobs).lasts(
        comparison.calls
    )


def _table(advice: Advice) -> Table:
    report = advice.report
    table = Table(box=None, pad_edge=False)
    several = len(report.jobs) > 1
    words = ("communicator", "nodes x ppn", "collective")
    numbers = ("bytes", "calls", "a process")
    for heading in (*(("job",) if several else ()), *words):
        table.add_column(heading)
    times = ("us a call", "waiting") if report.timed else ("us a call",)
    for heading in (*numbers, *times):
        table.add_column(heading, justify="right")
    for heading in () if report.timed else ("served by",):
        table.add_column(heading)
    # This column has sentences, which fold where there is little room.
    table.add_column("what would pay" if report.timed else "because", overflow="fold", min_width=20)
    for case, count in report.cases.items():
        job = (str(case.place.job),) if several else ()
        last = _timed(case, count, advice) if report.timed else _served(case, count)
        table.add_row(*map(escape, (*job, *_what(case, count), *last)))
    return table


def _what(case: CountedCase, count: CallCount) -> tuple[str, ...]:
    place = case.place
    if case.bytes_from is None or case.bytes_to is None:
        bytes_ = "?"
    elif case.bytes_from == case.bytes_to:
        bytes_ = size(case.bytes_to)
    else:
        bytes_ = f"{size(case.bytes_from)} to {size(case.bytes_to + 1)}"
    calls = (str(count.calls), str(count.most_calls))
    return place.label, place.shape, case.collective, bytes_, *calls


def _served(case: CountedCase, count: CallCount) -> tuple[str, ...]:
    took = f"{count.elapsed_s / count.calls * 1e6:.1f}" if count.elapsed_s else ""
    return took, case.algorithm, case.why


def _timed(case: CountedCase, count: CallCount, advice: Advice) -> tuple[str, ...]:
    if not count.seconds:
        return "", "", advice.of(case, count)
    return (
        f"{count.seconds / count.calls * 1e6:.1f}",
        f"{count.waiting:.0%}" if waits_apart(case) else "",
        advice.of(case, count),
    )


def _sums(advice: Advice) -> Iterator[str]:
    report = advice.report
    total = report.total
    elapsed, waited, seconds = map(
        total.a_process, (total.elapsed_s, total.waited_s, total.seconds)
    )
    of_all = _of_all(advice, report.spent)
    if elapsed and not report.timed:
        spent = duration(elapsed)
        yield f"A process spends {spent} in collectives{of_all} (mean; waiting for others included)"
    if not report.timed:
        return
    for crowd in {*advice.crowds.values()}:
        yield (
            f"{crowd}: who waits may wait for a processor, which says nothing of the balance of "
            "the work. Times are right where each process has one of its own."
        )
    if advice.late and not advice.crowds:
        yield "Balance the work first: most of the time goes by until the last process has come."
    yield (
        f"A process spends {duration(seconds)} in collectives{of_all}, and {duration(waited)} "
        "waiting before them for the last process to come. These are means."
    )
