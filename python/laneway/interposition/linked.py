# SPDX-License-Identifier: BSD-3-Clause
"""Programs before they run: what they are linked with, as far as their files say."""

from __future__ import annotations

import functools
import mmap
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from laneway.interposition.mpirun import AppContext
from laneway.libraries.installations import INTERFACES

_MPI = re.compile(r"libmpi(ch|_abi)?\.so\.\d+")
_SANITIZER = re.compile(r"lib(asan|clang_rt\.asan[\w-]*)\.so[\d.]*")
_LOADED = re.compile(r"^\s*(\S+) => (/.*) \(0x\w+\)$", re.MULTILINE)
"""A line of ldd."""
_OF_MPI_ITSELF = (b"\0MPID_Init\0", b"\0ompi_mpi_init\0")
"""Functions inside MPICH and Open MPI, which no program calls."""


@dataclass(frozen=True)
class Program:
    """An executable, with the shared libraries that the loader would bring."""

    path: Path
    libraries: Mapping[str, str]
    """Their paths, by the names that the program is linked with."""

    @property
    def mpi(self) -> str | None:
        """The name of its MPI library, such as libmpi.so.40."""
        return next(filter(_MPI.fullmatch, self.libraries), None)

    @property
    def interface(self) -> str | None:
        """The binary interface of builds that serve it: ``openmpi``, ``mpich`` or ``abi``."""
        return INTERFACES.get(self.mpi) if self.mpi else None

    @property
    def sanitizer(self) -> str | None:
        """The path of ASan's runtime: it ends a process in which it does not come first."""
        return next(
            (path for name, path in self.libraries.items() if _SANITIZER.fullmatch(name)), None
        )

    @property
    def has_mpi_inside(self) -> bool:
        """Whether an MPI library is linked in, and nobody can take its place."""
        if self.mpi:
            return False
        with self.path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as text:
            return any(text.find(name) >= 0 for name in _OF_MPI_ITSELF)


def programs(parts: Sequence[AppContext]) -> list[Program]:
    """The executables that the parts of a command line start, by scripts and wrappers or not."""
    found = (_program(part) for part in parts)
    return [program for program in found if program is not None]


def _program(part: AppContext) -> Program | None:
    """The first of the part's words that is linked with MPI, or else the first executable."""
    candidates = list(_executables(part))
    return next((program for program in candidates if program.mpi), (*candidates, None)[0])


def _executables(part: AppContext) -> Iterator[Program]:
    folder = part.value("wdir", "wd") or "."
    for place, word in enumerate(part.program):
        path = shutil.which(word) if place == 0 and "/" not in word else str(Path(folder, word))
        if path is not None and ("/" in word or place == 0) and (program := look_at(path)):
            yield program


@functools.cache
def look_at(path: str) -> Program | None:
    """An executable and its libraries; None where it is a script, or cannot be read."""
    with suppress(OSError, ValueError), Path(path).open("rb") as file:
        if file.read(4) == b"\x7fELF" and os.access(path, os.X_OK):
            return Program(Path(path), dict(_LOADED.findall(_loader_says(path))))
    return None


def _loader_says(path: str) -> str:
    """The loader's words; empty where there is no telling: of one without shared libraries, say."""
    environment = {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(
            ["ldd", path], env=environment, capture_output=True, text=True, errors="replace",
            timeout=30, check=False,
        ).stdout  # fmt: skip
    return ""
