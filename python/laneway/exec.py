# SPDX-License-Identifier: BSD-3-Clause
"""Laneway under a program that knows nothing of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import NoReturn

from laneway import mpirun, native, profile
from laneway.errors import Misuse, Problem
from laneway.launch import forward, identify, is_launcher, preloaded
from laneway.native import NativeBuild

_CHECK = resources.files("laneway").joinpath("preloaded.sh")


@dataclass(frozen=True)
class Settings:
    """What the library under the program is told; None leaves a variable as it is."""

    algorithm: str | None = None
    node_size: str | None = None
    """Processes a virtual node, or the path of a map file."""
    lanes: int | None = None
    strict: bool = False
    profile: tuple[Path, ...] = ()
    report: Path | None = None
    """The folder that the ranks' files of the report go to."""
    advise: bool = False
    """Everything native, and timed."""

    @property
    def chooses(self) -> bool:
        """Whether algorithms are named here, and not only in the environment."""
        return self.algorithm is not None or bool(self.profile)

    def variables(self) -> dict[str, str]:
        """As variables of the environment. Raises Misuse for a map file that does not exist."""
        found = {}
        if self.algorithm is not None:
            found["LANEWAY_ALGORITHM"] = self.algorithm
        if self.node_size is not None:
            found["LANEWAY_NODE_SIZE"] = _node_size(self.node_size)
        if self.lanes is not None:
            found["LANEWAY_LANES"] = str(self.lanes)
        if self.strict:
            found["LANEWAY_STRICT"] = "1"
        if self.profile:
            found["LANEWAY_PROFILE"] = profile.variable(self.profile)
        if self.report is not None:
            found["LANEWAY_REPORT"] = str(self.report.absolute())
        if self.advise:
            found["LANEWAY_ADVISE"] = "1"
        return found


def _node_size(text: str) -> str:
    if text.isdecimal() and int(text) > 0:
        return text
    if not Path(text).is_file():
        raise Misuse(f"--node-size '{text}' is neither a number from 1 up nor a map file")
    return str(Path(text).absolute())  # ranks may start in another folder


def preload_variables(
    build: NativeBuild, settings: Settings, environment: Mapping[str, str]
) -> dict[str, str]:
    """The variables that put Laneway under the ranks.

    Those that `environment` sets for it already, changed by `settings`. Raises Misuse for an
    algorithm that does not exist and a profile that cannot be understood, if `settings` names it.
    """
    variables = {
        name: value
        for name, value in environment.items()
        if name == "LANEWAY" or (name.startswith("LANEWAY_") and name != "LANEWAY_PREFIX")
    }
    variables |= settings.variables()
    if settings.chooses:
        profile.must_be_understood(build, variables)
    variables["LD_PRELOAD"] = preloaded(build.preload, environment)
    return variables


def build_for(command: Sequence[str], mpi: str | None) -> NativeBuild:
    """A native build for `command`; its preload fits every MPI library that there is a build for.

    The one named by `mpi`, or one for the MPI library of the command's launcher, or the first.
    Raises Problem where there is none.
    """
    if mpi is not None or not command or not is_launcher(command[0]):
        return native.find(mpi)
    known = identify(command[0])
    if known is None:
        raise Problem(f"cannot tell which MPI library {command[0]} belongs to: say --mpi")
    family, version = known
    wanted = f"{family}-{native.release(version)}"
    builds = [build for build in native.installed() if build.family == family]
    exact = [build for build in builds if build.id == wanted]
    return (exact or builds or [native.find(wanted)])[0]


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
    variables = preload_variables(build, settings, environment)
    if not is_launcher(command[0]):
        return list(command), {
            **environment,
            **variables,
            **_for_other_hosts(variables, environment),
        }
    launcher, *words = command
    given = forward(build.family, variables)
    places = mpirun.programs(words, build.family)
    if verify and places is None:
        raise Problem(
            f"found no program in '{' '.join(words)}', to make sure on every rank of it that "
            "Laneway is loaded: is its path right? To go without, say --no-verify"
        )
    # Open MPI gives variables to the ranks of one part of its command line only.
    again = given if build.family == "openmpi" else []
    check = ["sh", "-c", _CHECK.read_text(), "laneway", str(build.preload)] if verify else []
    first, *others = places or [0]
    for place in reversed(others):
        words[place:place] = [*again, *check]
    words[first:first] = check
    return [launcher, *given, *words], dict(environment)


def _for_other_hosts(
    variables: Mapping[str, str], environment: Mapping[str, str]
) -> dict[str, str]:
    """What lets an mpirun inside a script take `variables` along to other hosts.

    MPICH's and those of batch systems hand on their environment. Open MPI 4 starts its daemons by
    ssh, which does not, and ranks inherit from their host's daemon: so the daemons get them. (Open
    MPI's variable for the purpose, mca_base_env_list, ends jobs whose command line has an -x.)
    """
    agent = "OMPI_MCA_orte_launch_agent"
    if not environment.keys().isdisjoint({agent, "SLURM_JOB_ID", "PBS_JOBID"}):
        return {}
    words = shlex.join(f"{name}={value}" for name, value in variables.items())
    return {agent: f"env {words} orted"}


def replace_process(command: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Becomes `command`: its exit code and the signals sent to it need no passing on."""
    try:
        os.execvpe(command[0], list(command), dict(environment))  # noqa: S606 - no shell is wanted
    except OSError as error:
        raise Problem(f"cannot run {command[0]}: {error.strerror}") from error
