# SPDX-License-Identifier: BSD-3-Clause
"""The commands `laneway machine ...`: descriptions of machines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import click
from rich import box
from rich.markup import escape
from rich.syntax import Syntax
from rich.table import Table

from laneway import files
from laneway.calibration import description, parameters, patterns, point_to_point
from laneway.calibration.lane_pattern import Known
from laneway.commands.shared import completing
from laneway.commands.shared.console import output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.helping import Aliased, Group
from laneway.commands.shared.parameters import CollectiveList
from laneway.commands.shared.reading import read
from laneway.commands.shared.simulated import PPN
from laneway.errors import Misuse, WrongFileError
from laneway.results import lane_patterns
from laneway.rows import Row
from laneway.simulation import derived, described, machine
from laneway.simulation.machine import Machine
from laneway.units import counted, size


@click.group("machine", cls=Group)
def machine_group() -> None:
    """Look at descriptions of machines, check them, make them of measurements.

    \b
    laneway machine list
    laneway machine show fugaku
    laneway machine check mine.toml
    laneway machine gain
    laneway machine fit laneway-results/probe-20260101-120000 --output mine.toml

    docs/simulation.md says what stands in a machine file.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are


# ---- list ----------------------------------------------------------------------------------------


@machine_group.command("list")
@formed
def list_command(*, form: Form) -> None:
    """List the machines that --machine finds by their names."""
    rows = []
    for name in machine.names():
        try:
            rows.append(_row(name))
        except Misuse as error:
            say(str(error))
    show(form, rows, (_listed(each) for each in [rows]), less=("source", "within", "hops"))


def _row(name: str) -> Row:
    """The row of a machine. Raises Misuse."""
    own = machine.load(name)
    return {
        "name": name,
        "source": "Laneway" if name in machine.own_names() else str(machine.file_of(name)),
        "nodes": own.nodes,
        "processes": own.processes,
        "lanes": own.lanes,
        "lane_bandwidth": own.rate("lane-bandwidth"),
        "lane_latency_us": _us(own.seconds("lane-latency")),
        "node_bandwidth": own.rate("node-bandwidth"),
        "node_latency_us": _us(own.seconds("node-latency")),
        "topology": _topology(own),
    }


def _us(seconds: float) -> float:
    return round(1e6 * seconds, 6)


def _topology(own: Machine) -> str:
    """The topology in a few words: flat, torus 4x4x2, fat_tree."""
    values = own.values
    return " ".join(
        [values.get("topology", "flat"), *([values["shape"]] if "shape" in values else [])]
    )


def _listed(rows: Sequence[Row]) -> Table:
    table = _table(
        ("machine", "nodes", "ppn", "lanes", "a lane", "latency", "a node", "within", "topology"),
        left=("machine", "topology"),
    )
    table.add_column("source")
    for row in rows:
        table.add_row(
            row["name"],
            *(str(row[key] or "-") for key in ("nodes", "processes", "lanes")),
            _rate(row["lane_bandwidth"]),
            _time(row["lane_latency_us"]),
            _rate(row["node_bandwidth"]),
            _time(row["node_latency_us"]),
            row["topology"],
            row["source"],
        )
    return table


def _table(columns: Sequence[str], left: Sequence[str], title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="left" if name in left else "right")
    return table


def _rate(rate: float | None) -> str:
    if rate is None:
        return "-"
    return f"{rate / 1e9:.4g} GB/s" if rate >= 1e9 else f"{rate / 1e6:.4g} MB/s"


def _time(microseconds: float) -> str:
    return f"{microseconds:.4g} us"


# ---- show ----------------------------------------------------------------------------------------


@machine_group.command("show")
@click.argument("name", metavar="NAME|FILE", shell_complete=completing.machines)
@formed
def show_command(*, name: str, form: Form) -> None:
    """Print a machine file, and what follows from it.

    Prints its numbers with their sources, then figures of its messages: rates, the shortest
    message's time, n 1/2. `laneway machine gain` tells the gain by its lanes.
    """
    text = machine.text_of(name)
    own = machine.load(name)
    if form is Form.TEXT:
        console = output()
        if console.is_terminal:
            console.print(Syntax(text, "toml", background_color="default", word_wrap=True))
        else:
            console.print(text, highlight=False, markup=False, soft_wrap=True)
    values = (_values(each) for each in [text] if form is Form.MARKDOWN)
    show(form, _shown(own, text), chain(values, (_derived(each) for each in [own])))


def _shown(own: Machine, text: str) -> Iterator[Row]:
    for entry in described.entries(text):
        yield {"kind": "value", **asdict(entry)}
    for key, value in asdict(derived.derived(own)).items():
        yield {"kind": "derived", "key": key, "value": value}


def _values(text: str) -> Table:
    """The numbers of a machine file with their sources."""
    table = Table("key", "value", "source")
    for entry in described.entries(text):
        name = entry.name if entry.table else entry.key
        table.add_row(*map(escape, (name, entry.value, entry.source)))
    return table


def _derived(own: Machine) -> Table:
    found = derived.derived(own)
    table = _table(("what follows", "value"), left=("what follows",))
    for told, value in (
        ("all lanes of a node, each direction", _rate(found.node_rate)),
        ("within a node over a lane", _number(found.memory_over_lane)),
        ("shortest message between nodes", _time(found.start_us)),
        ("shortest message within a node", _time(found.start_in_node_us)),
        ("n 1/2 between nodes: half of a lane's bandwidth", _bytes(found.half_bandwidth)),
        ("n 1/2 within a node", _bytes(found.half_bandwidth_in_node)),
        ("messages a second that a process sends", _number(found.message_rate)),
        ("links of a node", _number(found.links)),
        ("hops to the farthest node", _number(found.diameter)),
        ("between halves of the torus, each direction", _rate(found.bisection_rate)),
    ):
        if value != "-":
            table.add_row(told, value)
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _bytes(value: float | None) -> str:
    return "-" if value is None else size(round(value))


# ---- check ---------------------------------------------------------------------------------------


@machine_group.command("check")
@click.argument(
    "names",
    nargs=-1,
    required=True,
    metavar="NAME|FILE...",
    shell_complete=completing.machines,
)
@formed
def check_command(*, names: tuple[str, ...], form: Form) -> None:
    """Check machine files: exit code 1 where one is wrong.

    Errors are told with file, line and reason. Numbers that are hard to believe, and numbers
    without a source, are told as well: they don't change the exit code.
    """
    for name in names:
        machine.text_of(name)  # a machine that is not there cannot be checked
    found = [row for name in names for row in _checked(name)]
    tables = (_findings(each) for each in [found])
    if form is Form.TEXT:
        for row in found:
            say(f"{row['file']}:{row['line']}: {row['severity']}: {row['message']}")
    else:
        show(form, found, tables)
    wrong = len({row["file"] for row in found if row["severity"] == "error"})
    if form is Form.TEXT and not wrong:
        output().print(f"{counted(len(names), 'machine')}: no errors", highlight=False)
    if wrong:
        sys.exit(1)


def _findings(rows: Sequence[Row]) -> Table:
    table = _table(("file", "line", "severity", "message"), left=("file", "severity", "message"))
    for row in rows:
        table.add_row(*map(str, row.values()))
    return table


def _checked(name: str) -> Iterator[Row]:
    """The findings on a machine, an object each."""
    try:
        own = machine.load(name)
    except WrongFileError as error:
        file, line = error.file, error.line or 1
        yield {"file": file, "line": line, "severity": "error", "message": error.reason}
        return
    file, text = str(machine.file_of(name)), machine.text_of(name)
    lines = {(entry.table, entry.key): entry.line for entry in described.entries(text)}
    for doubt in described.doubts(own):
        yield {
            "file": file,
            "line": lines.get((doubt.table, doubt.key), 1),
            "severity": "warning",
            "message": f"[{doubt.table}] {doubt.key}: {doubt.reason}",
        }
    bare = described.without_source(text)
    if bare:
        told = ", ".join(entry.name for entry in bare)
        yield {
            "file": file,
            "line": bare[0].line,
            "severity": "warning",
            "message": f"no source is told of {told}",
        }


# ---- gain ----------------------------------------------------------------------------------------


@machine_group.command("gain")
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...", shell_complete=completing.machines)
@click.option(
    "--collective",
    "collectives",
    type=CollectiveList(),
    default=",".join(derived.DECOMPOSED),
    show_default=True,
    metavar="A,B",
    help="Collectives.",
)
@click.option(
    "--nodes", type=click.IntRange(2), default=16, show_default=True, metavar="N", help="Nodes."
)
@click.option(
    "--ppn",
    type=click.IntRange(2),
    metavar="N",
    help="Processes a node.  [default: the machine's, or 4]",
)
@formed
def gain_command(
    *, names: tuple[str, ...], collectives: tuple[str, ...], nodes: int, ppn: int | None, form: Form
) -> None:
    """Say how fast a node must be inside for its k lanes to give a k-fold gain.

    The question is that of Träff and Hunold 2020, Section 5. It is asked for the algorithm `lane`,
    and all machines unless some are named. The answer is by the bytes that the algorithm carries
    within nodes and on lanes, counted in its schedule. docs/scale.md explains the columns.
    """
    rows = [
        {"machine": own.name, **asdict(derived.gain(own, collective, nodes, _processes(own, ppn)))}
        for own in map(machine.load, names or machine.names())
        for collective in collectives
    ]
    tables = (_gains(each) for each in [rows])
    show(form, rows, tables, keys=("machine", "collective"), less=("in turn",))


def _processes(own: Machine, asked: int | None) -> int:
    """Processes of a node, two at least: with one there is nothing to decompose."""
    return asked or max(2, own.processes or PPN)


def _gains(rows: Sequence[Row]) -> Table:
    table = _table(
        ("machine", "k", "nodes x ppn", "collective", "inside/lanes", "has", "for k-fold",
         "in turn, 0.9 k", "gain at most", "in turn"),
        left=("machine", "collective"),
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row["machine"],
            str(row["lanes"]),
            f"{row['nodes']} x {row['ppn']}",
            row["collective"],
            f"{row['volume_ratio']:.2f}",
            _number(row["has"]),
            f"{row['needed']:.3g}",
            f"{row['needed_in_turn']:.3g}",
            f"{row['most']:.2f}",
            f"{row['most_in_turn']:.2f}",
        )
    return table


# ---- fit -----------------------------------------------------------------------------------------


@machine_group.command("fit")
@click.argument(
    "sources", nargs=-1, required=True, metavar="ROWS...", type=click.Path(path_type=Path)
)
@click.option(
    "--output",
    "--out",
    "path",
    cls=Aliased,
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.toml",
    help="Where the description goes.",
)
@click.option("--name", metavar="NAME", help="Name of the machine.  [default: the file's]")
@click.option(
    "--system",
    metavar="NAME",
    help="Table that is meant, where a file has published ones of several systems.",
)
@click.option(
    "--like",
    metavar="NAME|FILE",
    shell_complete=completing.machines,
    help="Machine that says what the lane pattern does not show. That is the work for a message, a "
    "lane's time for it, and the length up to which it is sent at once.",
)
def fit_command(
    *,
    sources: tuple[Path, ...],
    path: Path,
    name: str | None,
    system: str | None,
    like: str | None,
) -> None:
    """Make a machine file of measurements.

    \b
    laneway machine fit laneway-results/calibrate-20260101-120000 --output mine.toml
    laneway machine fit laneway-results/probe-20260101-120000 --output mine.toml
    laneway machine fit multilane_collectives.csv --system vsc-3 --like vsc3 --output lanes.toml

    ROWS are folders or files of rows: of `laneway calibrate`, of the probe lane-pattern, or
    imported ones of ping-pong (`laneway campaign import`). They may also be a published table of
    the lane pattern, a CSV file (--system "Hydra, Open MPI 4.0.1"). The rows of `laneway calibrate`
    say all of a machine; the others, as much of its lanes as can be seen.
    """  # noqa: D301
    files.refuse_changed(path, "take another --output, or remove it")
    known = None if like is None else _known(machine.load(like))
    found, what = _fitted(sources, system, known)
    facts = (
        f"Fitted by `laneway machine fit` on {datetime.now(UTC):%Y-%m-%d} to {what}:",
        f"{', '.join(map(str, sources))}. docs/calibration.md",
        *(
            [f"All that these do not show was taken from {like}, and has to be added."]
            if like
            else []
        ),
    )
    text = description.text(name or path.stem, facts, found)
    machine.parse(text, str(path))
    files.replace(path, text)
    output().print(text, highlight=False, markup=False, soft_wrap=True, end="")
    say(f"machine: {path}")


def _known(own: Machine) -> Known:
    """The facts that a machine file has and that the lane pattern does not show."""
    eager = own.values.get("lane-eager")
    return Known(
        1e6 * (own.seconds("send") + own.seconds("receive")),
        1e6 * own.seconds("lane-message"),
        None if eager is None else int(eager),
    )


def _fitted(
    sources: Sequence[Path], system: str | None, known: Known | None
) -> tuple[parameters.Parameters, str]:
    """The parameters of a machine by the sources, and the name of such sources."""
    tables = [source for source in sources if source.suffix == ".csv"]
    if tables and len(tables) < len(sources):
        raise Misuse("rows or published tables, not both")
    if tables:
        rows: list[Row] = [row for file in tables for row in lane_patterns.read(file, system)]
        return point_to_point.of_rows(rows, known), "published times of the lane pattern"
    if system is not None:
        raise Misuse("--system: rows are of one machine; it is for published tables (CSV)")
    measured = read(sources)
    probes = {row["probe"] for row in measured.rows if row["kind"] == "probe"}
    if patterns.MESSAGES in probes:
        if known is not None:
            raise Misuse("--like: `laneway calibrate` has measured all of it")
        return parameters.fitted(patterns.gathered(measured.rows)), "messages between two processes"
    return point_to_point.of_rows(measured.rows, known), "messages between nodes"
