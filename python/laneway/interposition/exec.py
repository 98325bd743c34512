# SPDX-License-Identifier: BSD-3-Clause
"""Laneway under a program that knows nothing of it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from laneway import collectives
from laneway.errors import Misuse, NotRunError, Problem
from laneway.interposition import linked, mpirun
from laneway.interposition.forwarding import give
from laneway.interposition.linked import Program
from laneway.interposition.mpirun import AppContext
from laneway.launching.launchers import is_launcher
from laneway.libraries import native, profile
from laneway.libraries.identity import identify
from laneway.libraries.native import NativeBuild
from laneway.units import is_whole, quoted

_OF_THE_TOOLKIT = {
    *("LANEWAY_PREFIX", "LANEWAY_PRELOAD", "LANEWAY_LOADED", "LANEWAY_MARKS"),
    *("LANEWAY_WATCH", "LANEWAY_WATCHER"),
}
_OURS = re.compile(r"liblaneway_(preload|flight)\.so")
_CHECK = Path(__file__).with_name("preloaded.sh")


@dataclass(frozen=True)
class Settings:
    """The settings of the library under the program; None leaves a variable as it is."""

    algorithm: str | None = None
    node_size: str | None = None
    """Processes a virtual node, or the path of a map file."""
    lanes: int | None = None
    lane_weights: str | None = None
    """How much each lane carries in the time of the others: 2:1."""
    strict: bool = False
    learn: str | None = None
    """Calls to be learnt from while the job runs: `all`, or `data` for those without sums."""
    reproducible: bool = False
    """Whether reductions depend on their operands and the number of ranks alone."""
    divide_operators: bool = False
    """Whether operators of the program may be called with parts of messages."""
    profile: tuple[Path, ...] = ()
    report: Path | None = None
    """The folder that the ranks' files of the report go to."""
    advise: bool = False
    """Whether everything is native, and timed."""
    marks: Path | None = None
    """The folder in which the processes leave word of Laneway, see marks.py."""
    watch: Mapping[str, str] | None = None
    """The variables by which the processes find their watch, which reads their flight recorders."""

    def preload(self, build: NativeBuild) -> Path:
        """The library of a build that goes into LD_PRELOAD."""
        return build.preload if self.watch is None else build.flight

    def variables(self) -> dict[str, str]:
        """The variables of the environment. Raises Misuse for a map file that does not exist."""
        switches = {
            "LANEWAY_STRICT": self.strict,
            "LANEWAY_REPRODUCIBLE": self.reproducible,
            "LANEWAY_DIVIDE_OPERATORS": self.divide_operators,
            "LANEWAY_ADVISE": self.advise,
        }
        found = {name: "1" for name, is_on in switches.items() if is_on}
        if self.learn is not None:
            found["LANEWAY_LEARN"] = self._learn_variable(self.learn)
        if self.algorithm is not None:
            found["LANEWAY_ALGORITHM"] = collectives.choices(self.algorithm)
        if self.node_size is not None:
            found["LANEWAY_NODE_SIZE"] = _node_size(self.node_size)
        lanes = {"LANEWAY_LANES": self.lanes, "LANEWAY_LANE_WEIGHTS": self.lane_weights}
        found |= {name: str(said) for name, said in lanes.items() if said is not None}
        if self.profile:
            found["LANEWAY_PROFILE"] = profile.variable(self.profile)
        if self.report is not None:
            found["LANEWAY_REPORT"] = str(self.report.absolute())
        if self.marks is not None:
            found["LANEWAY_MARKS"] = str(self.marks)
        if self.watch is not None:
            found |= self.watch
        return found

    def _learn_variable(self, learn: str) -> str:
        if learn != "all":
            return learn
        if self.reproducible:
            raise Misuse(
                "--reproducible fixes the algorithms of reductions: say --learn=data with it"
            )
        return "1"


def _node_size(text: str) -> str:
    if is_whole(text, 1):
        return text
    if not os.path.isfile(text):  # noqa: PTH113 - Path raises where a name is too long
        raise Misuse(f"--node-size {quoted(text)} is neither a number from 1 up nor a map file")
    return str(Path(text).absolute())  # ranks may start in another folder


def preload_variables(
    build: NativeBuild,
    settings: Settings,
    environment: Mapping[str, str],
    runtimes: Sequence[str] = (),
) -> dict[str, str]:
    """The variables that put Laneway under the ranks.

    They are those that `environment` sets for it already, changed by `settings`. In LD_PRELOAD,
    `runtimes` come before all else. Raises Misuse for an algorithm that does not exist. The library
    says what is wrong with profiles, and serves everything natively. Where settings must be
    understood (LANEWAY_STRICT), that is Misuse as well.
    """
    variables = {
        name: value
        for name, value in environment.items()
        if name == "LANEWAY" or (name.startswith("LANEWAY_") and name not in _OF_THE_TOOLKIT)
    }
    variables |= settings.variables()
    try:
        if is_strict(variables):
            profile.must_all_be_understood(build, {**environment, **variables})
        elif settings.algorithm is not None:
            algorithm = variables["LANEWAY_ALGORITHM"]
            profile.must_be_understood(build, {"LANEWAY_ALGORITHM": algorithm})
    except Misuse as error:
        if settings.algorithm is None:
            raise
        # The library names the variable; the user has typed the option.
        told = re.sub("^LANEWAY_ALGORITHM:", "--algorithm:", str(error))
        raise Misuse(told) from error
    preload = settings.preload(build)
    variables["LD_PRELOAD"] = _between(runtimes, preload, environment.get("LD_PRELOAD"))
    return variables


def is_strict(variables: Mapping[str, str]) -> bool:
    """Whether a job ends rather than run natively where it should not."""
    return variables.get("LANEWAY_STRICT") == "1"


def _between(runtimes: Sequence[str], preload: Path, others: str | None) -> str:
    """LD_PRELOAD with Laneway after all others: tools of every kind see calls and are served.

    Runtimes that want to come first do so.
    """
    files = re.split(r"[:\s]+", others) if others else []
    kept = [file for file in files if file and not _OURS.fullmatch(Path(file).name)]
    return ":".join(dict.fromkeys([*runtimes, *kept, str(preload)]))


def parts_of(command: Sequence[str], build: NativeBuild) -> list[AppContext]:
    """The parts of a launcher's command line; any other command is one part."""
    if is_launcher(command[0]):
        return mpirun.parse(command[1:], build.family)
    return [AppContext(program=list(command))]


def is_certain(
    build: NativeBuild, command: Sequence[str], mpi: str | None, programs: Sequence[Program]
) -> bool:
    """Whether a command's MPI library is that of its build: a script may start another's job."""
    return (
        mpi is not None
        or is_launcher(command[0])
        or any(program.interface == build.interface for program in programs)
        or all(other.interface == build.interface for other in native.described())
    )


def build_for(command: Sequence[str], mpi: str | None) -> NativeBuild:
    """A native build for `command`; its preload fits every MPI library that there is a build for.

    It is the one named by `mpi`, or one for the MPI library of the command's launcher or of the
    program, or the first. Raises Problem where there is none.
    """
    if mpi is not None or not command:
        return native.find(mpi)
    if not is_launcher(command[0]):
        programs = linked.programs([AppContext(program=list(command))])
        interfaces = {program.interface for program in programs}
        fitting = [build for build in native.installed() if build.interface in interfaces]
        return (fitting or [native.find()])[0]
    known = identify(command[0])
    if known is None:
        raise Problem(f"cannot tell which MPI library {command[0]} belongs to: say --mpi")
    return native.of_launcher(command[0]) or native.find(
        f"{known.family}-{native.release(known.version)}"
    )


def wrap(
    command: Sequence[str],
    build: NativeBuild,
    settings: Settings,
    environment: Mapping[str, str],
    *,
    verify: bool = True,
) -> tuple[list[str], dict[str, str]]:
    """Command line and environment with which `command` runs under Laneway.

    The ranks of a launcher get the variables through its own options: they reach every host, and
    the launcher itself is not preloaded. With `verify`, each rank makes sure that the preload is
    there before the program starts, and ends the job where it is not. For any other command the
    variables are the environment, also of the launcher in a script. Raises Problem where there is
    no telling the program from the launcher's options.
    """
    parts = parts_of(command, build)
    runtimes = [program.sanitizer for program in linked.programs(parts) if program.sanitizer]
    variables = preload_variables(build, settings, environment, runtimes)
    if not is_launcher(command[0]):
        return list(command), {**environment, **for_all_hosts(variables, environment)}
    launcher, *words = command
    if verify and not (parts and all(part.found for part in parts)):
        raise Problem(
            f"found no program in '{' '.join(words)}', to make sure on every rank of it that "
            "Laneway is loaded: is its path right? To go without, say --no-verify"
        )
    check: list[str] = []
    if verify:
        variables["LANEWAY_LOADED"] = "0"
        preload = str(settings.preload(build))
        check = ["/bin/sh", "-c", _CHECK.read_text(), "laneway", preload]
    parts = parts or [AppContext()]
    environment = give(
        parts,
        build.family,
        variables,
        environment,
        partial(_between, runtimes, settings.preload(build)),
    )
    first, *others = (part.words(check) for part in parts)
    return [launcher, *first, *(word for part in others for word in (":", *part))], environment


_AGENT = "OMPI_MCA_orte_launch_agent"


def for_all_hosts(variables: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """`variables`, and what lets an mpirun in a script take them along to other hosts.

    MPICH's and those of batch systems hand on their environment. Open MPI 4 starts its daemons by
    ssh, which does not, and ranks inherit from their host's daemon: so the daemons get them. (Open
    MPI's variable for the purpose, mca_base_env_list, ends jobs whose command line has an -x.)
    """
    own = _is_ours(environment.get(_AGENT))
    if not own and not environment.keys().isdisjoint({_AGENT, "SLURM_JOB_ID", "PBS_JOBID"}):
        return dict(variables)
    words = shlex.join(f"{name}={value}" for name, value in variables.items())
    return {**variables, _AGENT: f"env {words} orted"}


def _is_ours(agent: str | None) -> bool:
    """Whether an earlier `laneway env` has set how daemons are started: that is out of date."""
    return agent is not None and agent.startswith("env ") and bool(_OURS.search(agent))


def replace_process(command: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Becomes `command`: its exit code and the signals sent to it need no passing on."""
    try:
        os.execvpe(command[0], list(command), dict(environment))  # noqa: S606 - no shell is wanted
    except OSError as error:
        raise NotRunError(command[0], error) from error
