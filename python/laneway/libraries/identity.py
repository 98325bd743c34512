# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI library a launcher belongs to, by what it says of itself."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from laneway.errors import NotRunError, Problem

_PATIENCE = 30.0
"""Seconds."""

_PRODUCTS = (
    ("openmpi", "Open MPI", re.compile(r"(?:Open MPI|OpenRTE)\)? v?(\d[\w.]*)")),
    ("mpich", "MPICH", re.compile(r"HYDRA build details:\s+Version:\s+(\d[\w.]*)")),
    # Its releases have years for numbers: builds for MPICH's binary interface serve them.
    ("mpich", "Intel MPI", re.compile(r"Intel\(R\) MPI Library.*? Version (\d[\w.]*)")),
)


class Identity(NamedTuple):
    """The MPI library of a launcher."""

    family: str
    """``openmpi`` or ``mpich``, as builds have it."""
    version: str
    product: str
    """Open MPI, MPICH or Intel MPI."""
    said: str
    """All that the launcher says."""


@functools.cache
def identify(launcher: str) -> Identity | None:
    """The MPI library of a launcher; None where it does not say.

    Raises NotRunError where the launcher cannot be run, Problem where it does not end.
    """
    said = _version(launcher)
    for family, product, pattern in _PRODUCTS:
        if found := pattern.search(said):
            return Identity(family, found[1], product, said)
    return None


def _version(launcher: str) -> str:
    # Intel MPI's mpirun is a script that starts whatever mpiexec.hydra is first on PATH.
    path = os.pathsep.join([str(Path(launcher).parent), os.environ.get("PATH", os.defpath)])
    try:
        answer = subprocess.run(
            [launcher, "--version"], capture_output=True, text=True, timeout=_PATIENCE, check=False,
            env={**os.environ, "PATH": path},
        )  # fmt: skip
    except OSError as error:
        raise NotRunError(launcher, error) from error
    except subprocess.TimeoutExpired as error:
        raise Problem(f"cannot run {launcher}: {error}") from error
    return answer.stdout + answer.stderr
