# SPDX-License-Identifier: BSD-3-Clause
"""Conflicts between a program, its launcher, Laneway's builds and the profiles.

Each is told in a line; where there must be none (LANEWAY_STRICT), no job is begun.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from laneway.errors import Problem
from laneway.interposition.linked import Program
from laneway.launching.launchers import is_launcher
from laneway.libraries import native, profile, profile_header
from laneway.libraries.identity import identify
from laneway.libraries.native import NativeBuild
from laneway.libraries.profile import Fact

_SPELLED = {"openmpi": "Open MPI", "mpich": "MPICH"}
"""Binary interfaces of single libraries; the standard one says nothing of the launcher."""


def with_builds(programs: Sequence[Program]) -> list[str]:
    """Programs of MPI libraries that no build fits: their processes say so themselves, too."""
    built = {build.interface for build in native.described()}
    told = []
    for program in programs:
        if program.mpi and not program.interface:
            why = "an MPI library that no build of Laneway knows"
        elif program.interface and program.interface not in built:
            why = f"and no build of Laneway here fits that ({native.building(program.interface)})"
        else:
            continue
        told.append(f"{program.path} is linked with {program.mpi}, {why}: all its calls are native")
    return told


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
    own = [(program, program.interface) for program in programs if program.interface in _SPELLED]
    if not own or not is_launcher(launcher) or not (known := _family(launcher)):
        return []
    return [
        f"{program.path} is linked with {program.mpi}, that is {_SPELLED[interface]}, and "
        f"{launcher} is {_SPELLED[known]}'s: each process would be alone; start it with "
        f"{_SPELLED[interface]}'s"
        for program, interface in own
        if interface != known
    ]


def _family(launcher: str) -> str | None:
    try:
        known = identify(launcher)
    except Problem:  # whoever starts it says so
        return None
    return known.family if known else None


def with_profiles(build: NativeBuild, variables: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Profiles for other MPI libraries: where all that are named are, and others to be told of.

    Some of those that are named are told, as a site may name one a library. Those that Laneway has
    found by itself are told where it has found no other. Profiles that are named and hold on nodes
    of another kind alone are told, too.
    """
    if variables.get("LANEWAY") == "off":
        return [], []
    facts = profile.used(build, variables)
    left_out = {
        fact["left_out"]: f"{fact['left_out']} is for {fact['library']}, and this is "
        f"{build.library}: its rules are left out"
        for fact in facts
        if "left_out" in fact
    }
    named = [file for file in variables.get("LANEWAY_PROFILE", "").split(":") if file]
    foreign = [left_out[file] for file in named if file in left_out]
    if named and len(foreign) == len(named):
        return foreign, []
    return [], [*(foreign or _found(facts, left_out)), *_elsewhere(named, facts, variables)]


def _elsewhere(
    named: Sequence[str], facts: Sequence[Fact], variables: Mapping[str, str]
) -> Iterator[str]:
    """Named profiles that say `place` of nodes of another kind."""
    told = {str(fact.get("file") or fact.get("left_out")) for fact in facts}
    emulated = variables.get("LANEWAY_EMULATED", "") not in ("", "0")
    here = "virtual" if variables.get("LANEWAY_NODE_SIZE") else "emulated" if emulated else ""
    for file in named:
        if file in told or not Path(file).is_file():  # the library says why there is no such file
            continue
        text = Path(file).read_text(encoding="utf-8", errors="replace")
        place = profile_header.header(text).get("place")
        if place in ("emulated", "virtual") and place != here:
            yield f"{file} holds on {place} nodes alone (place {place}): its rules are left out"


def _found(facts: Sequence[Fact], left_out: Mapping[str, str]) -> list[str]:
    """Profiles that are found, where none of them holds; the library itself tells some."""
    if any("file" in fact and not profile.is_built_in(fact) for fact in facts):
        return []
    remarks = [str(fact["remark"]) for fact in facts if "remark" in fact]
    return [
        line
        for file, line in left_out.items()
        if not any(remark.startswith(f"{file} ") for remark in remarks)
    ]
