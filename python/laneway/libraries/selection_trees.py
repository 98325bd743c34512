# SPDX-License-Identifier: BSD-3-Clause
"""The trees by which MPICH selects collective algorithms (its "CSEL"), as they are in the library.

MPICH compiles them in as text: src/mpi/coll/tuning of its sources. A file that takes the place of
one must repeat all that it does not change, in the names of the very same version. Any name that
this version does not know ends the program. So they are read from the library that is there.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from laneway.errors import Problem
from laneway.libraries.native import NativeBuild, building

Tree = Mapping[str, "Tree"]
"""Conditions, of which the first that holds is followed; at its leaves an algorithm, or a
composition of the device."""

_TREE = re.compile(rb'\{\s*"collective=[^\0]*')
_LIBRARY = re.compile(r"libmpi(?:ch)?\.so[.\d]* => (/\S+)")


@dataclass(frozen=True)
class SelectionTrees:
    """The trees that MPICH asks for each collective call: first the device's, then the general."""

    general: Tree
    """The tree of algorithms on a whole communicator: for calls that the device leaves to it, and
    for the parts of what the device composes."""
    device: Tree | None
    """The tree of the device ch4, which composes a collective of others on nodes and their leaders;
    None for other devices, as ch3."""


def selection_trees(build: NativeBuild) -> SelectionTrees:
    """The trees of the MPICH that a build is for. Raises Problem where none are found."""
    library = library_of(build)
    try:
        return read(library.read_bytes())
    except (OSError, ValueError) as error:
        raise Problem(f"{library} does not show how it selects algorithms: {error}") from error


def read(library: bytes) -> SelectionTrees:
    """The trees in a library's text. Raises ValueError where there is not one general tree."""
    texts = [found.group().decode() for found in _TREE.finditer(library)]
    general = [text for text in texts if '"algorithm=MPIR_' in text]
    device = [text for text in texts if '"composition=' in text]
    if len(general) != 1 or len(device) > 1:
        raise ValueError(
            f"it has {len(general)} trees of algorithms and {len(device)} of compositions"
        )
    return SelectionTrees(json.loads(general[0]), json.loads(device[0]) if device else None)


def library_of(build: NativeBuild) -> Path:
    """The MPI library that a build runs with here. Raises Problem where it is not to be found."""
    if build.loads is not None:
        return build.loads
    try:
        told = subprocess.run(
            ["ldd", build.bench], capture_output=True, text=True, check=True, timeout=60
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise Problem(f"ldd does not tell {build.bench}'s MPI library ({error})") from error
    found = _LIBRARY.search(told)
    if found is None:
        raise Problem(f"{build.bench} finds no MPI library: {building(build.family)}")
    return Path(found.group(1))
