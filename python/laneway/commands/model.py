# SPDX-License-Identifier: BSD-3-Clause
"""The commands `laneway model ...`: times as a formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich import box
from rich.table import Table

from laneway import files
from laneway.calibration import latency, latency_cases, regression
from laneway.calibration.latency_cases import Fitted
from laneway.commands.shared import completing, known
from laneway.commands.shared.console import output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Group
from laneway.commands.shared.options import message_size_option, unless_all
from laneway.commands.shared.parameters import CollectiveList, CountList, NameList
from laneway.commands.shared.reading import read
from laneway.errors import Misuse
from laneway.rows import Row
from laneway.showing import latency_models
from laneway.units import microseconds


@click.group("model", cls=Group)
def model() -> None:
    """Say what times follow from, as a formula."""


@model.command("fit")
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    metavar="FOLDER|ROWS...",
    type=click.Path(path_type=Path),
)
@click.option(
    "--collective",
    "collectives",
    type=CollectiveList(),
    metavar="A,B",
    help="Only of these collectives.  [default: all]",
)
@click.option(
    "--algorithm",
    "algorithms",
    type=NameList(),
    metavar="X,Y",
    shell_complete=completing.algorithms,
    help="Only of these algorithms.  [default: all]",
)
@click.option(
    "--growth",
    type=click.Choice(tuple(latency.GROWTHS)),
    help="In what times grow: the processes, or their logarithm.  [default: what fits better]",
)
@click.option(
    "--breakpoints",
    type=click.IntRange(0, 4),
    default=regression.MOST,
    show_default=True,
    help="Breakpoints of p and of m each, at most; the criterion decides how many there are.",
)
@click.option(
    "--processes",
    type=CountList(),
    default=(),
    metavar="P,Q",
    help="Predict for so many processes, too, measured or not.",
)
@message_size_option
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.svg",
    help="Draw times and models; several models have a number each in their file's name.",
)
@formed
def fit_command(
    *,
    sources: tuple[Path, ...],
    collectives: tuple[str, ...] | None,
    algorithms: tuple[str, ...] | None,
    growth: str | None,
    breakpoints: int,
    processes: tuple[int, ...],
    sizes: tuple[int, ...],
    picture: Path | None,
    form: Form,
) -> None:
    """Fit latency models to measurements: time by processes and bytes.

    \b
    laneway model fit laneway-results/compare-20260101-120000
    laneway model fit rows.jsonl --algorithm chain --processes 512,1024 -m 1,1K
    laneway model fit rows.jsonl --plot models.svg --json

    Sources are folders and files of rows, measured or imported, as of `laneway report`. Each
    collective, algorithm and placement has a model of its own. A model is a sum of terms in p
    processes and m bytes, some of them beyond breakpoints alone. Prints its coefficients with their
    errors, and how good it is. With --processes or -m, also prints times with the interval of 95%
    for a further one. docs/studies.md says how models are fitted.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if 0 in processes:
        raise Misuse("--processes: at least one")
    measured = read(sources)
    known.must_have_collectives("--collective", unless_all(collectives), measured.rows)
    known.must_have_algorithms("--algorithm", unless_all(algorithms), measured.rows)
    samples = {
        key: own
        for key, own in measured.samples.items()
        if key.collective in (unless_all(collectives) or (key.collective,))
        and key.algorithm in (unless_all(algorithms) or (key.algorithm,))
    }
    growths = (growth,) if growth else tuple(latency.GROWTHS)
    found, short = latency_cases.fitted(samples, growths, breakpoints)
    for told in short:
        say(told)
    if not found:
        raise Misuse("no model: these rows hold too few times")
    wanted = [latency_models.predictions(each, processes, sizes) for each in found]
    rows = ({**each.row(), "predictions": own} for each, own in zip(found, wanted, strict=True))
    if form is Form.CSV:
        rows = (line for each in found for line in latency_models.lines(each))
    show(form, rows, _tables(found, wanted))
    if form is Form.TEXT:
        output().print(_KEY, highlight=False, markup=False, soft_wrap=True)
    if picture:
        _draw(found, picture)


_KEY = (
    "p: processes; m: bytes; : stands between factors. p > 128 is 1 beyond 128, the last number "
    "measured before the change, else 0."
)


def _tables(found: Sequence[Fitted], wanted: Sequence[Sequence[Row]]) -> Iterator[Table]:
    names = latency_cases.distinguishing(found)
    table = Table(*names, box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left",
                  title="Latency models, times in us")  # fmt: skip
    table.add_column("term")
    for name in ("estimate", "std. error", "t", "R2 adj.", "residual"):
        table.add_column(name, justify="right")
    for each in found:
        own = each.model
        for number, one in enumerate(own.coefficients):
            first = number == 0
            table.add_row(
                *(str(each.facts.get(name, "")) if first else "" for name in names),
                str(one.term),
                f"{one.estimate:.4g}",
                f"{one.error:.2g}",
                f"{one.t:.2f}",
                f"{own.r_squared:.4f}" if first else "",
                f"{own.residual:.1%}" if first else "",
                end_section=number == len(own.coefficients) - 1,
            )
    yield table
    if any(wanted):
        yield _predicted(found, wanted, names)


def _predicted(
    found: Sequence[Fitted], wanted: Sequence[Sequence[Row]], names: Sequence[str]
) -> Table:
    table = Table(*names, box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left",
                  title=f"Predicted, with the interval of {latency.CONFIDENCE:.0%}")  # fmt: skip
    for name in ("p", "m", "us", "from", "to"):
        table.add_column(name, justify="right")
    for each, own in zip(found, wanted, strict=True):
        for row in own:
            times = (microseconds(row[name]) for name in ("time_us", "low_us", "high_us"))
            facts = (str(each.facts.get(name, "")) for name in names)
            table.add_row(*facts, str(row["p"]), str(row["m"]), *times)
    return table


def _draw(found: Sequence[Fitted], path: Path) -> None:
    from laneway.showing import drawing

    for number, each in enumerate(found, 1):
        name = path if len(found) == 1 else path.with_stem(f"{path.stem}-{number}")
        files.replace(
            name, drawing.svg(latency_models.plot(each, latency_cases.distinguishing(found)))
        )
        say(f"plot: {name}")
