# SPDX-License-Identifier: BSD-3-Clause
"""The native builds, one for each MPI library: where they are and which one is meant.

This is the only module that knows the layout ``<prefix>/<id>/{bin,lib,include,build.json}``.
LANEWAY_PREFIX names such a prefix, a single build, or an environment with ``lib/laneway/<id>``.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from laneway.errors import Misuse, Problem

Family = Literal["openmpi", "mpich"]
FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True)
class NativeBuild:
    """Library, preload and benchmark, built for one MPI library."""

    id: str
    """``family-major.minor``, such as ``openmpi-4.1``."""
    family: str
    """``openmpi`` or ``mpich``."""
    version: str
    library: str
    """The MPI library in prose, such as ``Open MPI 4.1.4``."""
    mpicc: Path
    mpiexec: Path
    """The launcher that belongs to the MPI library."""
    folder: Path

    @property
    def bench(self) -> Path:
        """The benchmark executable."""
        return self.folder / "bin" / "laneway-bench"

    @property
    def liblaneway(self) -> Path:
        """The shared library with the C API."""
        return self.folder / "lib" / "liblaneway.so"

    @property
    def preload(self) -> Path:
        """The library that goes into LD_PRELOAD."""
        return self.folder / "lib" / "liblaneway_preload.so"

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
    """All native builds, by family and version; the first prefix that has an id wins."""
    builds: dict[str, NativeBuild] = {}
    for prefix in prefixes():
        found = (file for pattern in _DESCRIPTIONS for file in sorted(prefix.glob(pattern)))
        for build in map(_read, found):
            builds.setdefault(build.id, build)
    return sorted(builds.values(), key=_order)


def find(mpi: str | None = None) -> NativeBuild:
    """The native build for ``mpi``: a family (its lowest version), an id, or None for any.

    Raises Misuse for a name that is neither, Problem where the build is missing.
    """
    builds = installed()
    if not builds:
        places = ", ".join(map(str, prefixes()))
        raise Problem(f"no native build in {places}: {building()}, or set LANEWAY_PREFIX")
    if mpi is None:
        return builds[0]
    for build in builds:
        if mpi == build.id or (mpi == build.family and build.id == f"{mpi}-{build.release}"):
            return build
    known = ", ".join(build.id for build in builds)
    if mpi in FAMILIES or re.fullmatch(rf"({'|'.join(FAMILIES)})-\d+\.\d+.*", mpi):
        make = building(mpi.partition("-")[0])
        raise Problem(f"no native build for {mpi} (there are: {known}): {make}")
    raise Misuse(f"unknown MPI library '{mpi}'; known: {', '.join(FAMILIES)}, {known}")


def _read(description: Path) -> NativeBuild:
    try:
        facts = json.loads(description.read_text())
        return NativeBuild(
            id=facts["id"],
            family=facts["family"],
            version=facts["version"],
            library=facts["library"],
            mpicc=Path(facts["mpicc"]),
            mpiexec=Path(facts["mpiexec"]),
            folder=description.parent.absolute(),
        )
    except (OSError, ValueError, KeyError) as error:
        raise Problem(f"{description} is damaged ({error}): {building()}") from error


def _order(build: NativeBuild) -> tuple[int, list[int], str]:
    family = FAMILIES.index(build.family) if build.family in FAMILIES else len(FAMILIES)
    return family, [int(part) for part in re.findall(r"\d+", build.version)], build.id
