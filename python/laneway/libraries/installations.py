# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries of this machine: their launchers, and their files by binary interface.

They are looked for where users have them: on PATH, in Python environments (wheels), and where
variables of the libraries point. The loader's cache and the environment modules tell of others.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from laneway.errors import Problem
from laneway.libraries.identity import Identity, identify

INTERFACES = {
    "libmpi.so.40": "openmpi",
    "libmpich.so.12": "mpich",
    "libmpi.so.12": "mpich",
    "libmpi_abi.so.1": "abi",
}
"""Names by which programs are linked with MPI libraries, and the binary interface of each.

src/api/library.c has them again, for processes.
"""

_LAUNCHERS = (
    "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra", "mpiexec", "mpirun", "orterun", "prterun",
)  # fmt: skip
_ROOTS = ("I_MPI_ROOT", "MPI_ROOT", "MPI_HOME", "OPAL_PREFIX", "MPICH_DIR", "CRAY_MPICH_DIR")
"""Variables that name the folder in which an MPI library is installed."""
_MODULES = re.compile(r"(?i)^(open-?mpi|mpich|intel-?mpi|impi|mvapich2?|cray-mpich)(/\S+)?$")
_PATIENCE = 30.0
"""Seconds."""

Way = Literal["PATH", "wheel", "variable", "loader", "module"]


@dataclass(frozen=True)
class Installation:
    """An MPI library of this machine."""

    product: str
    """Open MPI, MPICH or Intel MPI; of a library without launcher, the name of its file."""
    version: str
    """Empty where only a launcher could tell."""
    way: Way
    """How it was found."""
    family: str = ""
    """The family of its launcher: ``openmpi`` or ``mpich``; empty where there is none."""
    mpiexec: Path | None = None
    """Its launcher."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Its files, by binary interface: ``openmpi``, ``mpich`` or ``abi``."""

    @property
    def library(self) -> str:
        """Name and version: Open MPI 4.1.4."""
        return f"{self.product} {self.version}".rstrip()


def installations(environment: Mapping[str, str] = os.environ) -> list[Installation]:
    """All that are found, those first that are first on PATH, each once."""
    found: dict[tuple[str, str, Path], Installation] = {}
    for launcher, way in _launchers(environment):
        if each := installation_of(launcher, way):
            found.setdefault((each.product, each.version, launcher.resolve().parent), each)
    shown = {file.resolve() for each in found.values() for file in each.files.values()}
    alone = [
        Installation(file.name, "", "loader", files={INTERFACES[name]: file})
        for name, file in _loader_cache()
        if file.resolve() not in shown
    ]
    return [*found.values(), *alone]


def installation_of(launcher: Path, way: Way) -> Installation | None:
    """The MPI library that a launcher belongs to; None where it does not say."""
    try:
        known = identify(str(launcher))
    except Problem:
        return None
    if known is None:
        return None
    files = _files(launcher, known)
    return Installation(known.product, known.version, way, known.family, launcher, files)


def numbers(version: str) -> list[int]:
    """The numbers of a version, in order: versions compare as these do."""
    return [int(part) for part in re.findall(r"\d+", version)]


def defect(library: Installation, interface: str) -> str:
    """Why no build may serve a library's binary interface; empty where one may."""
    is_early = library.product == "MPICH" and numbers(library.version) < [5, 0, 2]
    if interface == "abi" and is_early:
        return "operators and attributes of programs fail in the standard ABI of MPICH before 5.0.2"
    return ""


def loadable_modules() -> list[str]:
    """Environment modules, not loaded, that are MPI libraries by their names."""
    if not (home := os.environ.get("MODULESHOME")) and not os.environ.get("LMOD_CMD"):
        return []
    command = os.environ.get("LMOD_CMD") or str(Path(home or "", "libexec", "modulecmd.tcl"))
    with suppress(OSError, subprocess.SubprocessError):
        answer = subprocess.run(
            [command, "sh", "-t", "avail"], capture_output=True, text=True, errors="replace",
            timeout=_PATIENCE, check=False,
        )  # fmt: skip
        loaded = set(os.environ.get("LOADEDMODULES", "").split(":"))
        words = (word.strip() for word in (answer.stdout + answer.stderr).splitlines())
        names = (re.sub(r"\((default|L|D)\)$|/$", "", word) for word in words)
        return [name for name in names if _MODULES.match(name) and name not in loaded]
    return []


def _launchers(environment: Mapping[str, str]) -> Iterator[tuple[Path, Way]]:
    places: list[tuple[Path, Way]] = [
        (Path(folder), "PATH") for folder in environment.get("PATH", "").split(":") if folder
    ]
    places += [(Path(sys.prefix) / "bin", "wheel")]
    places += [(folder, "wheel") for folder in sorted(Path(sys.prefix).glob("mpi/*/bin"))]
    places += [
        (Path(environment[name]) / "bin", "variable") for name in _ROOTS if environment.get(name)
    ]
    for folder, way in places:
        for name in _LAUNCHERS:
            if os.access(folder / name, os.X_OK) and (folder / name).is_file():
                yield folder / name, way


def _has_the_standard_abi(known: Identity) -> bool:
    """Whether a library brings libmpi_abi: several libraries may share a folder."""
    releases = {"MPICH": [5], "Intel MPI": [2021, 17], "Open MPI": [6]}
    return numbers(known.version) >= releases[known.product]


def _files(launcher: Path, known: Identity) -> dict[str, Path]:
    """The library's files, from the folder that its launcher is installed in."""
    interfaces = {known.family, *(["abi"] if _has_the_standard_abi(known) else [])}
    prefixes = dict.fromkeys((launcher.absolute().parent.parent, launcher.resolve().parent.parent))
    files: dict[str, Path] = {}
    for prefix in prefixes:
        folders = [prefix / "lib", prefix / "lib64", *sorted(prefix.glob("lib/*-linux-gnu"))]
        for folder in (*folders, prefix / "lib" / "release"):
            for name, interface in INTERFACES.items():
                if interface in interfaces and (folder / name).is_file():
                    files.setdefault(interface, folder / name)
    return files


def _loader_cache() -> Iterator[tuple[str, Path]]:
    """Names and files of MPI libraries that the loader finds without being told where."""
    with suppress(OSError, subprocess.SubprocessError):
        answer = subprocess.run(
            ["/sbin/ldconfig", "-p"], capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
        kind = {"x86_64": "x86-64", "aarch64": "AArch64"}.get(platform.machine(), "")
        line = re.compile(rf"^\s*(\S+) \(libc6,{kind}.*\) => (\S+)$", re.MULTILINE)
        for name, path in line.findall(answer.stdout):
            if name in INTERFACES:
                yield name, Path(path)
