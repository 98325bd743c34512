# SPDX-License-Identifier: BSD-3-Clause
"""The launchers, and the command line by which each starts a job."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from laneway.errors import Misuse, Problem
from laneway.launching import this_machine
from laneway.libraries.native import FINDING_ONE, NativeBuild


class Launcher(Protocol):
    """A program that starts the processes of a job."""

    def command(self, job: Job) -> list[str]:
        """The complete command line of a job."""

    def started(self, _job: Job, /) -> list[str]:
        """The words with which a user starts a program of his own alike."""


@dataclass(frozen=True)
class Mpirun:
    """The launcher that belongs to the MPI library: Open MPI's mpirun, or MPICH's Hydra."""

    def command(self, job: Job) -> list[str]:
        """The command line; variables reach the ranks and not the launcher."""
        family = job.build.family
        if not job.build.mpiexec.name:
            raise Problem(f"no MPI library was found here: {FINDING_ONE}")
        environment = dict(job.environment)
        if family == "mpich" and job.oversubscribed:
            environment["LD_PRELOAD"] = preloaded(job.build.yielding, {**os.environ, **environment})
        words = self._words(job, str(job.build.mpiexec), forward(family, environment))
        return [*words, *job.program]

    def started(self, job: Job) -> list[str]:
        """See Launcher."""
        return self._words(job, usual_name(job.build.mpiexec))

    def _words(self, job: Job, mpiexec: str, variables: Sequence[str] = ()) -> list[str]:
        open_mpi = job.build.family == "openmpi"
        return [
            mpiexec,
            *(_open_mpi_options(job.oversubscribed) if open_mpi else ()),
            *variables,
            "-np",
            str(job.ranks),
            *job.options,
        ]


PMI = {"openmpi": "pmix", "mpich": "pmi2"}
"""The interface by which ranks under srun find each other, for each family of MPI libraries. With
another one, Open MPI ends at once, and each rank of MPICH believes to be alone."""


PLACEMENTS = ("node", "socket", "cyclic")
"""Consecutive ranks fill node after node, go round the sockets of a node, or go round the nodes."""


DISTRIBUTIONS = {"node": "block:block", "socket": "block:cyclic", "cyclic": "cyclic:block"}
"""The names that srun has for the placements, see PLACEMENTS."""


@dataclass(frozen=True)
class Srun:
    """Slurm's launcher, inside an allocation or not, on `nodes` with equally many ranks each."""

    nodes: int
    placement: str = "node"
    """How consecutive ranks are placed, see PLACEMENTS."""

    def command(self, job: Job) -> list[str]:
        """The command line; `--mpi` among the job's options overrules ours."""
        variables = assignments(job.environment)
        return [*self.started(job), "env", *variables, *job.program]

    def started(self, job: Job) -> list[str]:
        """See Launcher."""
        return [
            "srun",
            f"--mpi={PMI[job.build.family]}",
            f"--nodes={self.nodes}",
            f"--ntasks={job.ranks}",
            f"--ntasks-per-node={job.ranks // self.nodes}",
            f"--distribution={DISTRIBUTIONS[self.placement]}",
            "--kill-on-bad-exit=1",
            *job.options,
        ]


@dataclass(frozen=True)
class Flux:
    """Flux's launcher, inside an instance, on `nodes` with equally many ranks each."""

    nodes: int

    def command(self, job: Job) -> list[str]:
        """The command line."""
        return [*self.started(job), "env", *assignments(job.environment), *job.program]

    def started(self, job: Job) -> list[str]:
        """See Launcher."""
        return ["flux", "run", f"--nodes={self.nodes}", f"--ntasks={job.ranks}", *job.options]


def assignments(environment: Mapping[str, str]) -> list[str]:
    """Variables as words for `env`."""
    return [f"{name}={value}" for name, value in environment.items()]


@dataclass(frozen=True)
class Job:
    """A program on `ranks` processes, with one native build, under a launcher."""

    build: NativeBuild
    ranks: int
    program: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables for the ranks."""
    options: Sequence[str] = ()
    """More options for the launcher, such as a file of hosts."""
    launcher: Launcher = field(default_factory=Mpirun)
    elsewhere: bool = False
    """Whether ranks run on other nodes, or sharing this machine was provided for otherwise."""
    threads: int = 1
    """The threads of each rank that communicate."""

    @property
    def oversubscribed(self) -> bool:
        """Whether threads must share cores, as far as this machine's are concerned."""
        here = not (self.elsewhere or self.options)
        return here and self.ranks * self.threads > this_machine.cores()

    def command(self) -> list[str]:
        """The complete command line."""
        return self.launcher.command(self)


def usual_name(launcher: Path) -> str:
    """The name of a launcher on this machine: mpirun, if that is the one; else its path."""
    for name in ("mpirun", launcher.name):
        found = shutil.which(name)
        if found is not None and Path(found).resolve() == launcher.resolve():
            return name
    return str(launcher)


def preloaded(library: Path, environment: Mapping[str, str]) -> str:
    """LD_PRELOAD with a library before those that are there already."""
    others = environment.get("LD_PRELOAD")
    return f"{library}:{others}" if others else str(library)


def forward(family: str, environment: Mapping[str, str]) -> list[str]:
    """Options of a family's launcher that give variables to the ranks, and not to itself."""
    if family == "openmpi":
        return [word for name, value in environment.items() for word in ("-x", f"{name}={value}")]
    return [word for name, value in environment.items() for word in ("-genv", name, value)]


_PLACING: Mapping[str, Mapping[str, Sequence[str]]] = {
    "openmpi": {
        "node": ("--map-by", "slot"),
        "socket": ("--map-by", "socket"),
        "cyclic": ("--map-by", "node"),
    },
    "mpich": {
        "node": (),
        "socket": ("-bind-to", "core", "-map-by", "socket"),
        "cyclic": ("-ppn", "1"),
    },
}
"""Options for a placement, by family."""


_MCA = ("mca", "gmca", "prtemca")
_PLACED = {
    "openmpi": {
        "N", "bynode", "byslot", "cpu-list", "cpu-set", "map-by", "npernode", "npersocket",
        "orte_rankfile", "pernode", "ppr", "rankfile", "rf", "rmaps_base_mapping_policy",
        "rmaps_default_mapping_policy", "rmaps_rank_file_path", "slot-list",
    },
    "mpich": {"map-by", "perhost", "ppn", "rankmap"},
}  # fmt: skip
"""Options, and variables of Open MPI's, by which a launcher has been told where ranks go."""


def placement_options(family: str, placement: str, given: Sequence[str] = ()) -> Sequence[str]:
    """Options of a family's launcher for a placement, see PLACEMENTS.

    There are none where the given options say it already, as a file of ranks does, beside which
    Open MPI allows no other. Raises Misuse where something else is asked for.
    """
    options = [word.lstrip("-").partition("=")[0] for word in given if word.startswith("-")]
    variables = [name for option, name in pairwise(given) if option.lstrip("-") in _MCA]
    placed = sorted({*options, *variables} & _PLACED[family])
    if placed and placement != "node":
        raise Misuse(f"--placement {placement} and {placed[0]} of --launcher-options: say one")
    return () if placed else _PLACING[family][placement]


def _open_mpi_options(oversubscribed: bool) -> Iterator[str]:
    """Options that Open MPI must be given before it starts such a job."""
    if os.geteuid() == 0:
        yield "--allow-run-as-root"
    if oversubscribed:
        yield "--oversubscribe"
        # A waiting rank hands its core to the one that it waits for.
        yield from ("--mca", "mpi_yield_when_idle", "1")


_LAUNCHER = re.compile(r"(mpirun|mpiexec|orterun)([.-].+)?")


def is_launcher(program: str) -> bool:
    """Whether a program is, by its name, the mpirun of some MPI library."""
    return _LAUNCHER.fullmatch(Path(program).name) is not None


def is_on_cluster(command: Sequence[str]) -> bool:
    """Whether a command starts a program on an emulated cluster."""
    return Path(command[0]).name == "laneway" and [*command[1:3]] == ["cluster", "run"]
