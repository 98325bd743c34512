# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway scale`."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from laneway.commands.shared import completing, progress
from laneway.commands.shared.console import errors, output, say
from laneway.commands.shared.forms import Form, formed, show
from laneway.commands.shared.options import collectives_options
from laneway.commands.shared.parameters import Bytes, Duration, NameList
from laneway.commands.shared.simulated import PPN, lanes_option, machine_option
from laneway.errors import Misuse
from laneway.showing import scaling as shown
from laneway.simulation import machine, scaling
from laneway.simulation.machine_limits import MOST_NODES
from laneway.simulation.program import COMPONENTS
from laneway.simulation.scaling import Question, ScalingResult
from laneway.units import INT, counted, duration, exact_size, quoted

NODES = "2..1024"


class NodeCounts(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """Node counts: a range of which the powers of two are taken, or a list."""

    name = "nodes"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Override of click's."""
        if isinstance(value, tuple):
            return value
        if found := re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", str(value)):
            first, last = int(found[1]), int(found[2])
            if 1 <= first <= last <= MOST_NODES:
                return tuple(scaling.grid(first, last))
        elif re.fullmatch(r"\d{1,9}(,\d{1,9})*", str(value)):
            counts = sorted({int(word) for word in str(value).split(",")})
            if counts[0] >= 1 and counts[-1] <= MOST_NODES:
                return tuple(counts)
        return self.fail(
            f"{quoted(str(value))} are no node counts: 2..8192, or 16,100,1000", param, ctx
        )


@click.command("scale")
@collectives_options("One of them.")
@machine_option
@click.option(
    "--bytes",
    "size",
    type=Bytes(),
    default="4M",
    show_default=True,
    metavar="SIZE",
    help="Size of the message; of a rank's block in collectives that have one for each.",
)
@click.option(
    "--nodes",
    type=NodeCounts(),
    default=NODES,
    show_default=True,
    metavar="N..M|N,M",
    help="Node counts: of a range the powers of two and its ends, or a list.",
)
@click.option(
    "--ppn",
    type=click.IntRange(1),
    metavar="N",
    help="Processes a node.  [default: the machine's, or 4]",
)
@lanes_option
@click.option(
    "--algorithm",
    "algorithms",
    type=NameList(),
    default="all",
    metavar="X,Y",
    shell_complete=completing.algorithms,
    show_default=True,
    help="Algorithms, or all.",
)
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default="10m",
    show_default=True,
    metavar="TIME",
    help="Time that all of it may take. Whatever does not fit is left out, and told.",
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"Draw times by nodes: {', '.join(shown.FORMATS)}, by the name of the file.",
)
@formed
def scale_command(
    *,
    machine_name: str,
    collectives: tuple[str, ...],
    size: int,
    nodes: tuple[int, ...],
    ppn: int | None,
    lanes: int | None,
    algorithms: tuple[str, ...],
    seconds: float,
    picture: Path | None,
    form: Form,
) -> None:
    """Say which algorithm is the fastest on how many nodes of a machine.

    \b
    laneway scale allreduce --machine fugaku --bytes 4M --nodes 2..8192
    laneway scale bcast --machine mine.toml --ppn 16 --plot bcast.svg

    Simulates every algorithm, with the components that suit it best, on a grid of node counts.
    Where winners change between two of them, it finds from where on by bisection. Algorithms that
    fall far behind are dropped early, and those that would take too long are left out. Both are
    told. docs/scale.md has results of this command.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if len(collectives) != 1:
        raise Misuse("name one collective: laneway scale bcast")
    (collective,) = collectives
    if size % INT:
        raise Misuse(f"--bytes: {size} is no multiple of {INT} bytes, an int")
    if picture and picture.suffix.removeprefix(".") not in shown.FORMATS:
        raise Misuse(f"--plot: '{picture.suffix}' is none of {', '.join(shown.FORMATS)}")
    own = machine.load(machine_name).with_lanes(lanes)
    question = scaling.shortened(
        Question(
            machine=own,
            collective=collective,
            size=size,
            nodes=nodes,
            ppn=ppn or own.processes or PPN,
            algorithms=scaling.known(collective, algorithms),
            seconds=seconds,
        )
    )
    if question.nodes[-1] < nodes[-1]:
        say(f"{own.name} has {counted(question.nodes[-1], 'node')}: no more are simulated")
    with progress.of_parts(errors()) as told:
        answer = scaling.answer(question, told)
    show(form, answer.rows(), (shown.table(each) for each in [answer]), less=("others", "next"))
    for crossover in answer.crossovers:
        say(f"{shown.told(crossover)}.")
    for one in answer.left_out:
        say(f"left out at {counted(one.nodes, 'node')} and beyond: {one.algorithm}, {one.reason}")
    if picture:
        shown.draw(answer, picture)
        say(f"plot: {picture}")
    if not answer.times:
        say("nothing could be simulated")
        sys.exit(1)
    for line in _closing(answer, machine_name) if form is Form.TEXT else ():
        output().print(line, highlight=False, markup=False, soft_wrap=True)


def _closing(answer: ScalingResult, named: str) -> Iterator[str]:
    """The fastest algorithms on the fewest and on the most nodes, and the command that says why."""
    asked = answer.question
    first, last = (edge(each.nodes for each in answer.times) for edge in (min, max))
    fewest, most = answer.at(first)[0], answer.at(last)[0]
    told = f"{most.algorithm} is the fastest on {counted(last, 'node')}"
    if first < last:
        told += f" ({duration(most.time_us / 1e6)}), {fewest.algorithm} on {first}"
    yield f"By the simulated clock {told}."
    # The comma makes a list of one size: alone it would be the last of a range.
    words = ["laneway", "simulate", asked.collective, "--machine", named, "--nodes", str(last)]
    words += ["--ppn", str(asked.ppn), "--lanes", str(asked.machine.lanes)]
    words += ["-m", f"{exact_size(asked.size)},", "--algorithm", most.algorithm]
    words += ["--components", most.components] if most.components in COMPONENTS else []
    yield f"to see what that time goes to: {shlex.join([*words, '--bounds'])}"
