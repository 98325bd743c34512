# SPDX-License-Identifier: BSD-3-Clause
"""What cannot go well between a program, its launcher, Laneway's builds and the profiles.

Each is told in a line; where it must go well (LANEWAY_STRICT), no job is begun.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from laneway.errors import Problem
from laneway.interposition.linked import Program
from laneway.launching.launchers import identify, is_launcher
from laneway.libraries import profile
from laneway.libraries.native import NativeBuild

_SPELLED = {"openmpi": "Open MPI", "mpich": "MPICH"}


def with_builds(programs: Sequence[Program]) -> list[str]:
    """Programs of MPI libraries that no build knows: their processes say so themselves, too."""
    return [
        f"{program.path} is linked with {program.mpi}, an MPI library that no build of Laneway "
        "knows: all its calls are native"
        for program in programs
        if program.mpi and not program.family
    ]


def with_preloading(programs: Sequence[Program]) -> list[str]:
    """Programs whose calls no preload reaches."""
    return [
        f"{program.path} has its MPI library linked in, out of Laneway's reach: all its calls are "
        "native; link it with the shared library"
        for program in programs
        if program.has_mpi_inside
    ]


def with_launcher(launcher: str, programs: Sequence[Program]) -> list[str]:
    """Programs of another MPI library than the launcher's: each process believes to be alone."""
    families = {program.family for program in programs if program.family}
    if not families or not is_launcher(launcher) or not (known := _family(launcher)):
        return []
    return [
        f"{program.path} is linked with {program.mpi}, that is {_SPELLED[program.family]}, and "
        f"{launcher} is {_SPELLED[known]}'s: each process would be alone; start it with "
        f"{_SPELLED[program.family]}'s"
        for program in programs
        if program.family and program.family != known
    ]


def _family(launcher: str) -> str | None:
    try:
        known = identify(launcher)
    except Problem:  # whoever starts it says so
        return None
    return known[0] if known else None


def with_profiles(build: NativeBuild, variables: Mapping[str, str]) -> list[str]:
    """The profiles that are named, where all of them are for other MPI libraries."""
    named = [file for file in variables.get("LANEWAY_PROFILE", "").split(":") if file]
    if not named or variables.get("LANEWAY") == "off":
        return []
    left_out = profile.left_out(build, variables)
    if not all(file in left_out for file in named):
        return []
    return [
        f"{Path(file)} is for {left_out[file]}, and this is {build.library}: its rules are left out"
        for file in named
    ]
