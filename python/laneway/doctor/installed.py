# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries of this machine, and which build of Laneway serves each of them how far."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from laneway.doctor.libraries import PATIENCE
from laneway.errors import Problem
from laneway.launching.launchers import Job
from laneway.launching.run import Run
from laneway.libraries import native
from laneway.libraries.installations import Installation, defect, installations, loadable_modules

_WITHOUT_NETWORK = {"I_MPI_FABRICS": "shm"}
"""Intel MPI asks for libfabric even within one node, and its wheel does not bring that."""


@dataclass(frozen=True)
class Served:
    """One binary interface of an MPI library of this machine."""

    library: str
    """Name and version."""
    found: str
    """How: on PATH, as a wheel, by a variable, by the loader, or as a module."""
    mpiexec: str
    """The launcher; empty where there is none."""
    file: str
    """The file that programs load."""
    build: str
    """The build of Laneway that serves it; empty: none does."""
    name: str
    """The name for ``--mpi``; empty where no program can be started."""
    blocking: bool
    requests: bool | None
    """Whether nonblocking and persistent collectives are served; None: not tried."""
    why: str
    """The forms that are not served, and why; empty where all are."""

    def to_json(self) -> dict[str, Any]:
        """The line of `--json`."""
        return {"kind": "library", **asdict(self)}


def served(*, quick: bool = False) -> Iterator[Served]:
    """All of them, one after the other; `quick`: without starting a process under each launcher."""
    builds = native.described()
    for each in installations():
        for interface, file in each.files.items():
            build = native.fitting(builds, interface, each.version)
            yield _judged(each, interface, file, build, quick=quick)
        if not each.files:
            yield _unserved(each, Path(), "its library was not found beside the launcher")
    for name in loadable_modules():
        why = f"not loaded: `module load {name}`, and ask again"
        yield _unserved(Installation(name, "", "module"), Path(), why)


def _unserved(each: Installation, file: Path, why: str) -> Served:
    return Served(
        each.library,
        each.way,
        str(each.mpiexec or ""),
        str(file) if file.name else "",
        build="",
        name="",
        blocking=False,
        requests=False,
        why=why,
    )


def _judged(
    each: Installation,
    interface: str,
    file: Path,
    build: native.NativeBuild | None,
    *,
    quick: bool,
) -> Served:
    if fault := defect(each, interface):
        return _unserved(each, file, fault)
    if build is None:
        missing = f"no build for its binary interface: {native.building(interface)}"
        return _unserved(each, file, missing)
    requests, why = None, ""
    if each.mpiexec is None:
        why = "no launcher beside it"
    elif not quick:
        try:
            requests, why = _tried(native.running_with(build, each, interface, file))
        except Problem as problem:
            why = str(problem)
    blocking = requests is not None or quick or each.mpiexec is None
    return Served(
        each.library,
        each.way,
        str(each.mpiexec or ""),
        str(file),
        build.id if blocking else "",
        name=native.name_with(each, interface) if blocking and each.mpiexec else "",
        blocking=blocking,
        requests=requests,
        why=why,
    )


def _tried(build: native.NativeBuild) -> tuple[bool, str]:
    """Whether a process under the launcher can serve requests, and what is to be said of it.

    Raises Problem where none starts.
    """
    remark = ""
    try:
        serves = _start(build, {})
    except Problem:
        if not build.library.startswith("Intel"):
            raise
        serves = _start(build, _WITHOUT_NETWORK)
        remark = "within one node only, by I_MPI_FABRICS=shm: it finds no libfabric"
    if not serves:
        native_forms = "nonblocking and persistent collectives are native: nothing carries them on"
        remark = "; ".join(filter(None, (native_forms, remark)))
    return serves, remark


def _start(build: native.NativeBuild, variables: dict[str, str]) -> bool:
    job = Job(build, 1, [str(build.bench), "start"], variables)
    try:
        with Run(job) as run:
            rows = [json.loads(line) for line in run.lines(PATIENCE) if line.startswith("{")]
            told = run.tail()
    except (TimeoutError, ValueError) as error:
        raise Problem(f"a process under {build.mpiexec} said nothing that helps") from error
    for row in rows:
        if row.get("kind") == "start":
            return bool(row["serves_requests"])
    first = told.splitlines()[0] if told else "it said nothing"
    raise Problem(f"no process starts under {build.mpiexec}: {first}")
