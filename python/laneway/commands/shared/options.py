# SPDX-License-Identifier: BSD-3-Clause
"""The options that several subcommands share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from laneway.cluster.pace import Pace, paced
from laneway.collectives import EQUAL, OF_A_FILE
from laneway.commands.shared import completing
from laneway.commands.shared.helping import Aliased
from laneway.commands.shared.parameters import (
    Amounts,
    CollectiveList,
    CountList,
    Duration,
    NameList,
    Processes,
    SizeList,
    Words,
)
from laneway.errors import Misuse
from laneway.launching.launchers import PLACEMENTS
from laneway.units import INT

Command = TypeVar("Command", bound=Callable[..., Any])

mpi_option = click.option(
    "--mpi",
    metavar="NAME",
    shell_complete=completing.libraries,
    help="MPI library: openmpi, mpich, or a build such as openmpi-5.0.",
)
of_one_library_option = click.option(
    "--mpi",
    metavar="NAME",
    help="MPI library whose times count, where there are several: openmpi, mpich-4.0, ...",
)
cluster_option = click.option(
    "--cluster",
    "cluster_name",
    envvar="LANEWAY_CLUSTER",
    default="auto",
    metavar="auto|none|NAME",
    shell_complete=completing.clusters,
    show_default=True,
    help="Name of an emulated cluster that is up. With none, nodes of this machine are virtual. "
    "With auto, it is the cluster that is up, else one made for this, else none.",
)
realtime_option = click.option(
    "--realtime", is_flag=True, help="On a cluster: ranks under SCHED_RR, undisturbed (root only)."
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=1,
    show_default=True,
    help="Decides the order in which those that are compared take turns.",
)
silence_option = click.option(
    "--timeout",
    "silence",
    type=Duration(least=1),
    metavar="TIME",
    help="Give a run up after so long without a row.  [default: by --time]",
)
launcher_options_option = click.option(
    "--launcher-options",
    type=Words(),
    default=(),
    metavar="'...'",
    help="More options for mpirun, where there is no emulated cluster: '--hostfile hosts'.",
)
message_size_option = click.option(
    "-m",
    "--message-size",
    "--bytes",
    "sizes",
    cls=Aliased,
    type=SizeList(),
    default=(),
    metavar="[MIN:][MAX]",
    help="Bytes in place of counts: powers of two from MIN (1) to MAX (4M), or a list: 8,64,4K.",
)
LAYOUT = (
    "The lengths of a vector collective's blocks, whose mean is the count: equal, ramp, single, "
    "random, sparse, stencil, or file:PATH. A file has the counts of each rank on a line."
)
layouts_option = click.option(
    "--layout",
    "layouts",
    type=NameList(),
    default=EQUAL,
    metavar="NAME,...",
    show_default=True,
    shell_complete=completing.layouts,
    help=LAYOUT,
)


def named_layouts(layouts: tuple[str, ...]) -> tuple[str, ...]:
    """The layouts, where each is to be had with any mean. Raises Misuse for a file of counts."""
    if files := [name for name in layouts if name.startswith(OF_A_FILE)]:
        raise Misuse(f"--layout {files[0]}: a file has counts of its own, not these sizes")
    return layouts


counts_option = click.option(
    "--count",
    "counts",
    type=Amounts(),
    metavar="N,M",
    help="Counts, as in the MPI call; 2p is twice the number of ranks.  [default: 1,1000,100000]",
)


def whole(sizes: Sequence[int], datatype: str | None) -> tuple[int, ...]:
    """The sizes in bytes that ints fit into, or all where a datatype is given.

    Raises Misuse where that leaves none.
    """
    fitting = tuple(size for size in sizes if datatype is not None or size % INT == 0)
    if sizes and not fitting:
        raise Misuse(f"-m: no size is a multiple of {INT} bytes, an int; take --datatype byte")
    return fitting


def unless_all(names: tuple[str, ...] | None) -> tuple[str, ...]:
    """Names, of which none means all of them, as does the word `all`.

    Raises Misuse where `all` stands beside others.
    """
    if names and "all" in names and {*names} != {"all"}:
        raise Misuse("'all' is all of them: leave the other names out, or it")
    return names if names and "all" not in names else ()


def collectives_options(default: str) -> Callable[[Command], Command]:
    """Collectives, as arguments or as `--collective`: the command gets both as `collectives`.

    Where all are the default, the word `all` means them, too.
    """
    all_else = default == "[default: all]"

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def wrapper(
            *, named: tuple[tuple[str, ...], ...], collectives: tuple[str, ...], **options: Any
        ) -> Any:
            words = (*(word for group in named for word in group), *collectives)
            names = tuple(dict.fromkeys(words))
            return command(collectives=unless_all(names) if all_else else names, **options)

        option = click.option(
            "--collective",
            "collectives",
            type=CollectiveList(),
            default=(),
            metavar="A,B",
            help=f"Collectives; they may be named without the option, too.  {default}",
        )
        argument = click.argument(
            "named", nargs=-1, type=CollectiveList(), metavar="[COLLECTIVE]..."
        )
        return argument(option(wrapper))  # type: ignore[return-value]

    return add


def runs_option(default: int, what: str = "Runs of mpirun.") -> Callable[[Command], Command]:
    """The option `--runs`; `what` is its help."""
    return click.option(
        "--runs", type=click.IntRange(1), default=default, show_default=True, help=what
    )


def seconds_option(default: float, what: str) -> Callable[[Command], Command]:
    """The option `--time`; `what` is its help."""
    return click.option(
        "--time",
        "seconds",
        type=Duration(),
        default=f"{default:g}s",
        show_default=True,
        metavar="TIME",
        help=what,
    )


def repetitions_option(default: int) -> Callable[[Command], Command]:
    """The option `--repetitions`, at most, of whatever is timed."""
    return click.option(
        "--repetitions",
        type=click.IntRange(1),
        default=default,
        show_default=True,
        help="Repetitions of each in each run, at most.",
    )


def out_option(name: str, *also: str) -> Callable[[Command], Command]:
    """The option `--out`, a new folder, named by `name` and the time where none is given.

    Spellings in `also` are accepted, too: `--output`, by commands that have no such option.
    """
    return click.option(
        *("--out", *also),
        cls=Aliased,
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        help=f"New folder for the rows.  [default: laneway-results/{name}-TIME]",
    )


def placed(command: Command) -> Command:
    """Adds the options that say where a job runs: the command gets them as `wanted`.

    Under `launched`, `wanted` has the launcher, too.
    """
    return _placed(command, several=False)


def placed_by_processes(command: Command) -> Command:
    """Adds the same options with several numbers of processes a node, and threads.

    The command gets `wanted` as a list, with an entry for each number.
    """
    threads = click.option(
        "--threads",
        type=click.IntRange(1),
        metavar="T",
        help="Measure one process a node with so many threads, too, which share the local part of "
        "binomial_reduce; of other collectives each makes its own calls.",
    )
    return _placed(threads(command), several=True)


def unequal_option(command: Command) -> Command:
    """Adds `--unequal`, for a command that serves unequal nodes, too."""
    return click.option(
        "--unequal",
        type=Processes(),
        default=(),
        metavar="N,N,...",
        help="Processes on each node of a cluster, where they differ: 4,4,4,1.",
    )(command)


def _placed(command: Command, *, several: bool) -> Command:
    @functools.wraps(command)
    def wrapper(
        *,
        cluster_name: str,
        nodes: int | None,
        ppn: tuple[int, ...],
        lanes: tuple[int, ...],
        binding: str | None,
        placement: str,
        realtime: bool,
        launcher_options: tuple[str, ...],
        pace: Pace,
        launcher: str | None = None,
        threads: int | None = None,
        unequal: tuple[int, ...] | None = None,
        **options: Any,
    ) -> Any:
        from laneway.launching.allocation import Wanted  # noqa: PLC0415 - it loads clusters' modules

        wanted = Wanted(
            cluster_name,
            nodes,
            ppn[0] if ppn else None,
            lanes,
            binding,
            realtime=realtime,
            options=launcher_options,
            launcher=launcher,
            placement=placement,
            pace=pace,
            unequal=unequal or (),
            equal=unequal is None,
        )
        if not several:
            if len(ppn) > 1:
                raise Misuse("--ppn: one number of processes a node")
            return command(wanted=wanted, **options)
        each = [wanted, *(replace(wanted, ppn=other) for other in ppn[1:])]
        if threads and threads > 1:
            each.append(replace(wanted, ppn=1, threads=threads))
        return command(wanted=each, **options)

    for option in reversed(
        (
            cluster_option,
            click.option(
                "--nodes",
                type=click.IntRange(1),
                metavar="N",
                help="Nodes; of a cluster that has more, the first ones.  [default: all of a "
                "cluster, 4 of one made for it, 2 virtual ones]",
            ),
            click.option(
                "--ppn",
                type=Processes(),
                default=(),
                metavar="N,M" if several else "N",
                help=(
                    "Processes a node; of several numbers, each is measured"
                    if several
                    else "Processes a node"
                )
                + ".  [default: 4 on a cluster, else as this machine's cores allow]",
            ),
            click.option(
                "--lanes",
                type=CountList(),
                default=(),
                metavar="L,M",
                help="Network lanes of a node; on a cluster several numbers, each measured. 1 on a "
                "cluster of several is the control: every rank on the first.  [default: 2]",
            ),
            click.option(
                "--binding",
                metavar="NAME",
                help="The lanes of their node that ranks see. On a cluster: lane (one each), "
                "all, or one (the first); elsewhere a label for the rows.  [default: lane; "
                "elsewhere all]",
            ),
            click.option(
                "--placement",
                type=click.Choice(PLACEMENTS),
                default="node",
                show_default=True,
                help="Consecutive ranks fill node after node, go round the sockets of a node, or "
                "round the nodes (cyclic).",
            ),
            realtime_option,
            paced,
            launcher_options_option,
        )
    ):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]
