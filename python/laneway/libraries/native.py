# SPDX-License-Identifier: BSD-3-Clause
"""The native builds, one for each MPI library: where they are and which one is meant.

This is the only module that knows the layout ``<prefix>/<id>/{bin,lib,include,build.json}``.
LANEWAY_PREFIX names such a prefix, a single build, or an environment with ``lib/laneway/<id>``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from laneway.errors import Misuse, Problem
from laneway.libraries.identity import identify
from laneway.libraries.installations import (
    Installation,
    defect,
    installation_of,
    installations,
    numbers,
)
from laneway.libraries.loading import programs_here, programs_with

Family = Literal["openmpi", "mpich", "abi"]
FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True)
class NativeBuild:
    """Library, preload and benchmark, built for one MPI library."""

    id: str
    """``family-major.minor``, such as ``openmpi-4.1``; ``abi-1`` for the standard ABI."""
    family: str
    """``openmpi`` or ``mpich``: that of the launcher, whose options it decides."""
    version: str
    library: str
    """The MPI library in prose, such as ``Open MPI 4.1.4``."""
    mpicc: Path
    mpiexec: Path
    """The launcher that belongs to the MPI library."""
    folder: Path
    interface: str
    """The binary interface of the programs that it fits: ``openmpi``, ``mpich`` or ``abi``."""
    loads: Path | None = None
    """The file of the MPI library that its programs load; None: the one that they are made with."""

    @property
    def programs(self) -> Path:
        """The folder of its programs. Raises Problem where none can be made that load `loads`."""
        return self.folder / "bin" if self.loads is None else programs_with(self.folder, self.loads)

    def programs_here(self) -> AbstractContextManager[Path]:
        """The folder of its programs, for this process and not for the ranks of a job."""
        if self.loads is None:
            return nullcontext(self.folder / "bin")
        return programs_here(self.folder, self.loads)

    @property
    def bench(self) -> Path:
        """The benchmark executable."""
        return self.programs / "laneway-bench"

    @property
    def liblaneway(self) -> Path:
        """The shared library with the C API."""
        return self.folder / "lib" / "liblaneway.so"

    @property
    def preload(self) -> Path:
        """The library that goes into LD_PRELOAD."""
        return self.folder / "lib" / "liblaneway_preload.so"

    @property
    def flight(self) -> Path:
        """The preload that has a flight recorder write calls down."""
        return self.folder / "lib" / "liblaneway_flight.so"

    @property
    def yielding(self) -> Path:
        """The library that has waiting ranks of MPICH give up their core."""
        return self.folder / "lib" / "liblaneway_yield.so"

    @property
    def release(self) -> str:
        """Major and minor version, which decide whether a build fits a library."""
        return release(self.version)


def clone() -> Path | None:
    """The clone that this package is run from; None where it was installed."""
    root = Path(__file__).parents[3]
    return root if (root / "scripts" / "setup.sh").is_file() else None


FINDING_ONE = (
    "put its mpirun on PATH, by `module load`, say; `laneway doctor --mpi` lists what there is"
)
"""Advice for whoever misses an MPI library."""


def building(family: str | None = None) -> str:
    """How a native build is made, told to the one who runs this: for a family's library, or any."""
    if root := clone():
        return f"run `make build{f' MPI={family}' if family else ''}` in {root}"
    pip = Path(sys.prefix) / "bin" / "pip"
    of = "an MPI library's" if family is None else f"{family}'s"
    return (
        f"install Laneway again, with {of} mpicc first on PATH: `{pip} install "
        "--force-reinstall .` in a clone (a second library: docs/install.md)"
    )


def release(version: str) -> str:
    """``major.minor`` of a version."""
    found = re.match(r"\d+\.\d+", version)
    return found.group() if found else version


def is_called(library: str, name: str) -> bool:
    """Whether a library goes by a name: Open MPI 4.1.4 is openmpi, openmpi-4.1, open-mpi-4.1.4."""
    own, asked = (
        re.findall(r"[a-z]+|\d+", re.sub(r"[ -]", "", text.lower())) for text in (library, name)
    )
    return bool(asked) and own[: len(asked)] == asked


_DESCRIPTIONS = ("build.json", "*/build.json", "lib/laneway/*/build.json")
"""Where builds describe themselves, from a prefix."""


def prefixes() -> list[Path]:
    """The folders that may hold native builds, in order of preference."""
    named = os.environ.get("LANEWAY_PREFIX")
    return [*([Path(named)] if named else []), Path(sys.prefix) / "lib" / "laneway"]


def installed() -> list[NativeBuild]:
    """All native builds, by family and version; the first prefix that has an id wins.

    A build of a wheel names no launcher. It counts once for each library of this machine that it
    fits, in the order of PATH. Where there is no such library, it counts as it is.
    """
    builds = described()
    found = [build for build in builds if build.mpiexec.name]
    from_wheels = [build for build in builds if not build.mpiexec.name]
    for build in _with_other_libraries(from_wheels) if from_wheels else ():
        if all(build.id != other.id for other in found):
            found.append(build)
    return found or from_wheels


def described() -> list[NativeBuild]:
    """The native builds as they were made, whether or not this machine has their libraries."""
    builds: dict[str, NativeBuild] = {}
    for prefix in prefixes():
        found = (file for pattern in _DESCRIPTIONS for file in sorted(prefix.glob(pattern)))
        for build in map(_read, found):
            builds.setdefault(build.id, build)
    return sorted(builds.values(), key=_order)


def find(mpi: str | None = None) -> NativeBuild:
    """The native build for ``mpi``: a family (its first build), an id, or None for any.

    Other libraries of this machine have names, too, such as ``impi``: a build with the library's
    binary interface then runs with it (loading.py). Raises Misuse for a name that is none of these,
    Problem where the build is missing.
    """
    builds = installed()
    if not builds:
        places = ", ".join(map(str, prefixes()))
        raise Problem(f"no native build in {places}: {building()}, or set LANEWAY_PREFIX")
    if mpi is None:
        return builds[0]
    if fitting := next((build for build in builds if _goes_by(build, mpi)), None):
        return fitting
    others = _with_other_libraries(described())
    if fitting := next((build for build in others if _goes_by(build, mpi)), None):
        return fitting
    known = ", ".join(dict.fromkeys(build.id for build in [*builds, *others]))
    if mpi in FAMILIES or re.fullmatch(rf"({'|'.join(FAMILIES)})-\d+(\.\d+.*)?", mpi):
        interface = mpi.partition("-")[0]
        if any(build.interface == interface for build in described()):
            raise Problem(
                f"no native build for {mpi}, and no such library that another one would fit (there "
                f"are: {known}): {FINDING_ONE}"
            )
        raise Problem(f"no native build for {mpi} (there are: {known}): {building(interface)}")
    raise Misuse(f"unknown MPI library '{mpi}'; known: {', '.join(FAMILIES)}, {known}")


def fitting(builds: Sequence[NativeBuild], interface: str, version: str) -> NativeBuild | None:
    """The build that serves a library with a binary interface; None where none does.

    The build for the library's own release is best, then that for the newest release before it of
    the same major version. Else it is the oldest, which asks least. (src/api/library.c chooses so.)
    """
    same = [build for build in builds if build.interface == interface and not _is_variant(build)]
    major, asked = numbers(version)[:1], numbers(version)[:2]
    before = [b for b in same if numbers(b.release)[:1] == major and numbers(b.release) <= asked]
    if interface == "abi":
        before = same
    return max(before, key=_order) if before else min(same, key=_order, default=None)


_SLUGS = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel MPI": "impi"}


def _with_other_libraries(builds: Sequence[NativeBuild]) -> list[NativeBuild]:
    """Builds that run with libraries of this machine other than those that they were made for."""
    found = (
        (build, each, interface, file)
        for each in installations()
        if each.mpiexec
        for interface, file in each.files.items()
        if not defect(each, interface) and (build := fitting(builds, interface, each.version))
    )
    return [running_with(*each) for each in found]


def of_launcher(launcher: str) -> NativeBuild | None:
    """A build that runs with the library of a launcher; None where no build fits it.

    A library with several binary interfaces is run by its own one.
    """
    path = Path(os.path.abspath(shutil.which(launcher) or launcher))  # noqa: PTH100 - no links
    known = installation_of(path, "PATH")
    if known is None:
        return None
    builds, folder = described(), path.resolve().parent
    for build in builds:
        is_its = build.mpiexec.name and build.mpiexec.resolve().parent == folder
        if is_its and (build.family, build.version) == (known.family, known.version):
            return build
    for interface, file in known.files.items():
        if (other := fitting(builds, interface, known.version)) is not None:
            return running_with(other, known, interface, file)
    # Its files lie elsewhere. The preload finds the right core in every process.
    other = fitting(builds, known.family, known.version)
    return other and replace(
        other, family=known.family, version=known.version, library=known.library, mpiexec=path
    )


def name_with(library: Installation, interface: str) -> str:
    """The id of a build that runs with a library: impi-2021.19-abi."""
    name = f"{_SLUGS[library.product]}-{release(library.version)}"
    return f"{name}-abi" if interface == "abi" else name


def running_with(
    build: NativeBuild, library: Installation, interface: str, file: Path
) -> NativeBuild:
    """A build whose programs run with a library that has a launcher, whose file is told."""
    assert library.mpiexec is not None  # noqa: S101 - as told
    return replace(
        build,
        id=name_with(library, interface),
        family=library.family,
        version=library.version,
        library=library.library,
        mpiexec=library.mpiexec,
        loads=file,
    )


def _is_variant(build: NativeBuild) -> bool:
    return re.fullmatch(rf"{build.interface}-\d+(\.\d+)?", build.id) is None


def _goes_by(build: NativeBuild, mpi: str) -> bool:
    """Whether it is meant: by its id, or, where it is no variant, by that without the release."""
    if build.interface == "abi" and mpi in ("abi", build.folder.name):
        return True
    if build.loads is not None and mpi == build.folder.name:
        return True
    name, _, end = build.id.rpartition("-")
    return mpi == build.id or (mpi == name and re.fullmatch(r"\d+(\.\d+)?", end) is not None)


def _read(description: Path) -> NativeBuild:
    try:
        facts = json.loads(description.read_text())
        mpiexec = Path(facts["mpiexec"])
        return NativeBuild(
            id=facts["id"],
            family=_launched_like(facts["family"], mpiexec),
            interface=facts["family"],
            version=facts["version"],
            library=facts["library"],
            mpicc=Path(facts["mpicc"]),
            mpiexec=mpiexec,
            folder=description.parent.absolute(),
        )
    except (OSError, ValueError, KeyError) as error:
        raise Problem(f"{description} is damaged ({error}): {building()}") from error


def _launched_like(interface: str, mpiexec: Path) -> str:
    """The family of a launcher; of libraries with the standard ABI the launcher itself says it."""
    if interface != "abi":
        return interface
    try:
        known = identify(str(mpiexec)) if mpiexec.name else None
    except Problem:  # who starts it is told
        known = None
    return known.family if known else "mpich"


def _order(build: NativeBuild) -> tuple[int, list[int], str]:
    known = build.interface in FAMILIES
    family = FAMILIES.index(build.interface) if known else len(FAMILIES)
    return family, numbers(build.version), build.id
