# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway calibrate`."""

from __future__ import annotations

import os
import re
import shlex
import socket
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from laneway import files
from laneway.calibration import description, parameters, patterns
from laneway.campaign import Folder, Result
from laneway.choosing import next_commands
from laneway.cluster.spec import MADE_FOR_IT, ClusterSpec
from laneway.collectives import EQUAL
from laneway.commands.shared.console import output, say
from laneway.commands.shared.exit_codes import INTERRUPTED
from laneway.commands.shared.helping import Command
from laneway.commands.shared.launchers import launched
from laneway.commands.shared.measuring import measured, nothing_measured
from laneway.commands.shared.options import (
    layouts_option,
    message_size_option,
    mpi_option,
    named_layouts,
    out_option,
    placed,
    seed_option,
    silence_option,
    whole,
)
from laneway.commands.shared.parameters import Duration
from laneway.commands.shared.predictions import not_predicted, predict_calibrated
from laneway.errors import Misuse
from laneway.launching import allocation
from laneway.launching.place import Place
from laneway.libraries import native
from laneway.modelling.floor import BITS
from laneway.plans.calibration import CalibrationPlan
from laneway.probe.lane_rates import PROBE, LaneRates, names_of_nodes
from laneway.probe.summary import summarise
from laneway.simulation import machine
from laneway.units import counted, shape_in_words

_BETWEEN = (part << power for power in range(12, 22) for part in (2, 3))
SIZES = (4, 64, 256, 1024, 2048, 4096, *_BETWEEN)
"""Bytes of messages unless other sizes are asked for."""

LONGEST = 0.02
"""Seconds that the largest message may take on a lane whose rate is known."""

TRIED = ("bcast", "allreduce")
"""Collectives by which predictions are compared with measurements: all of them take long."""

TRIED_VECTORS = ("allgatherv", "alltoallv")
"""Collectives of that kind where layouts of blocks are asked for."""

FEWEST = 4
"""The least number of sizes: fewer do not tell latency from bandwidth."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@click.command("calibrate", cls=Command)
@mpi_option
@message_size_option
@click.option(
    "--seconds",
    "budget",
    type=Duration(least=1, most=300),
    default="2m",
    show_default=True,
    metavar="TIME",
    help="Time that the measurements may take, about.",
)
@click.option(
    "--runs", type=click.IntRange(1), default=3, show_default=True, help="Runs of mpirun."
)
@click.option(
    "--name", metavar="NAME", help="Name of the machine.  [default: the cluster's, or local]"
)
@click.option(
    "--output",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.toml",
    help="Where the description goes.  [default: NAME.toml in ~/.config/laneway/machines, where "
    "--machine NAME finds it; XDG_CONFIG_HOME is respected]",
)
@click.option(
    "--predict/--no-predict",
    "predicts",
    default=None,
    help="Write profiles of what the description predicts, too, which serve where nobody has tuned "
    "(docs/tuning.md). Not with --output.  [default: on real nodes; jobs would use what emulated "
    "or virtual ones say]",
)
@layouts_option
@seed_option
@silence_option
@out_option("calibrate")
@launched
@placed
def calibrate_command(
    *,
    wanted: allocation.Wanted,
    mpi: str | None,
    sizes: tuple[int, ...],
    budget: float,
    runs: int,
    name: str | None,
    path: Path | None,
    predicts: bool | None,
    layouts: tuple[str, ...],
    seed: int,
    silence: float | None,
    out: Path | None,
) -> None:
    """Measure this machine, and describe it for `laneway simulate`.

    \b
    laneway calibrate --nodes 4 --ppn 4
    laneway simulate allreduce --machine default --nodes 64 --ppn 4
    laneway compare allreduce --predict default

    Times messages between two processes, several pairs at once, and copies, reductions and packing.
    Fits the parameters of the simulation's model to these times, and writes a machine file, with a
    source for every number. The rows are kept as they come, in --out.

    Then, on real nodes or with --predict, every algorithm is simulated on that machine. Profiles
    are written of the algorithms that are predicted to be faster than the MPI library's own.
    Programs use these profiles where nobody has tuned. Vector collectives are simulated with blocks
    of each --layout.

    docs/calibration.md says what is measured and how far predictions by it are from measurements.
    """  # noqa: D301 - \b is click's mark for lines to be left as they are
    if len(wanted.lanes) > 1:
        raise Misuse("--lanes: one number; a machine is described with all lanes that it has")
    named_layouts(layouts)
    with allocation.settings(wanted, say) as settings:
        place = settings[0].place
        called = _checked(name or _called(place))
        found_by_jobs = path is None
        path = path or machine.folder() / f"{called}.toml"
        files.refuse_changed(path, "take another --name or --output, or remove it")
        plan = CalibrationPlan(
            native.find(mpi), settings[0], _sizes(place, sizes), budget, runs, seed, silence
        )
        result = measured(plan, out, "calibrate")
    _describe(plan, result, called, path, layouts)
    may_predict = found_by_jobs and predicts is not False
    if result.failures:
        if may_predict:
            not_predicted(plan.build, "not all could be measured")
        sys.exit(1)
    if may_predict and (predicts or _is_for_jobs(plan.place, path)):
        predict_calibrated(plan.build, path, plan.place.nodes, plan.place.ppn, layouts)


def _is_for_jobs(place: Place, path: Path) -> bool:
    """Whether all jobs of a place's shape may use its predictions; if not, tells how they do."""
    if not place.real:
        kind = "virtual nodes" if place.cluster is None else "an emulated cluster"
        command = f"laneway profile predict --machine {shlex.quote(str(path))}"
        say(f"no profile is predicted of {kind}, as all jobs of that shape would use it: "
            f"--predict, or {command}")  # fmt: skip
    return place.real


def _called(place: Place) -> str:
    """The name of a machine; a cluster made for the command has the usual cluster's name."""
    if place.cluster is None:
        # One home may serve several machines.
        return os.environ.get("SLURM_CLUSTER_NAME", socket.gethostname()) if place.real else "local"
    name = place.cluster.spec.name
    return ClusterSpec().name if name.startswith(MADE_FOR_IT) else name


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise Misuse(f"--name: '{name}' is no name of a file: letters, digits, '.', '_', '-'")
    if name in machine.own_names():
        raise Misuse(f"--name: '{name}' is a machine that comes with Laneway: choose another name")
    return name


def _sizes(place: Place, asked: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes of messages in bytes: whole ints, as many sizes as a fit takes."""
    if asked:
        sizes = tuple(size for size in whole(asked, None) if size > 0)
        if len(sizes) < FEWEST:
            raise Misuse(f"-m: {FEWEST} sizes at least: fewer do not tell latency from bandwidth")
        return sizes
    if place.cluster is None:
        return SIZES
    most = min(map(min, place.cluster.state.rates)) / BITS * LONGEST
    return tuple(size for size in SIZES if size <= max(most, SIZES[FEWEST]))


def _describe(
    plan: CalibrationPlan, result: Result, name: str, path: Path, layouts: Sequence[str]
) -> None:
    """Fits, and writes the file; ends where there is nothing to fit, or not yet."""
    if result.is_empty and not result.interrupted:
        sys.exit(nothing_measured(result))
    for failure in result.failures:
        say(failure)
    say(f"rows: {result.folder}/rows.jsonl")
    if result.interrupted:
        say(f"go on with: {Folder(result.folder).resume()}")
        sys.exit(INTERRUPTED)
    found = parameters.fitted(patterns.gathered(result.rows))
    alone = (row for row in result.rows if row.get("probe", PROBE) == PROBE)
    rates = LaneRates.of(summarise(alone), names_of_nodes(result.rows))
    if rates and rates.slow:
        found = found.weighed(rates.weights_of_lanes)
        say(str(rates))
    facts = (
        f"Calibrated by `laneway calibrate` on {datetime.now(UTC):%Y-%m-%d}: {plan.build.library},",
        f"{plan.place.machine}; {shape_in_words(plan.place.nodes, plan.place.ppn)},",
        f"{counted(plan.runs, 'run')}. Times are medians of runs; all nodes are busy at once, so",
        "the numbers have what their processes share.",
        "o: send, receive; g: message. docs/calibration.md",
    )
    text = description.text(name, facts, found, (plan.place.nodes, plan.place.ppn))
    machine.parse(text, str(path))
    files.replace(path, text)
    output().print(text, highlight=False, markup=False, soft_wrap=True, end="")
    say(f"machine: {path}")
    known = name if path == machine.folder() / f"{name}.toml" else str(path)
    tried = next_commands.trying(_tried(layouts), known, plan.place, plan.build.id)
    say(f"to see how far its predictions are from measurements: {tried}")


def _tried(layouts: Sequence[str]) -> list[str]:
    """The collectives that are compared with predictions, and the layouts that were asked for."""
    if [*layouts] == [EQUAL]:
        return [*TRIED]
    return [*TRIED_VECTORS, "--layout", ",".join(layouts)]
