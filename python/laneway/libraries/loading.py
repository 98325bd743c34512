# SPDX-License-Identifier: BSD-3-Clause
"""A build's programs with another MPI library than the one that they are linked with.

Libraries with one binary interface have several names and lie anywhere. A folder in the user's
cache looks like a build: its programs are scripts, which tell the loader where the library is.
Launchers, batch systems and users call the scripts as they call the build's own programs.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from laneway.errors import Problem
from laneway.libraries.installations import INTERFACES


def folder_with(build: Path, library: Path) -> Path:
    """The folder of a build whose programs load `library`, the file of an MPI library.

    It is made where it is not there, in one step, and is the same for the same two paths.

    Raises:
        Problem: The cache cannot be written to.

    """
    build, library = build.absolute(), library.absolute()
    key = hashlib.sha256(f"{build}\0{library}".encode()).hexdigest()[:16]
    folder = _cache() / f"{build.name}-{key}"
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent))
        _fill(made, folder, build, library)
        made.chmod(0o755)
        with suppress(OSError):  # another process was quicker
            made.rename(folder)
        shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise Problem(f"cannot write {folder}: {error.strerror or error}") from error
    return folder


def _fill(made: Path, folder: Path, build: Path, library: Path) -> None:
    """Puts into `made`, which will be called `folder`, what a build has."""
    (made / "bin").mkdir()
    (made / "mpi").mkdir()
    (made / "lib").symlink_to(build / "lib")
    for name, path in _names_for_loader(library).items():
        (made / "mpi" / name).symlink_to(path)
    places = f"{library.parent}:{folder / 'mpi'}"
    for program in (build / "bin").iterdir():
        script = made / "bin" / program.name
        script.write_text(
            "#!/bin/sh\n"
            f"LD_LIBRARY_PATH={shlex.quote(places)}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\n"
            f'export LD_LIBRARY_PATH\nexec {shlex.quote(str(program))} "$@"\n'
        )
        script.chmod(0o755)


def _names_for_loader(library: Path) -> dict[str, Path]:
    """The library by all names of its binary interface, and the folders that it looks into."""
    own = INTERFACES[library.name]
    found = {name: library for name, interface in INTERFACES.items() if interface == own}
    if library.parent.parent.name != "usr" and "-linux-gnu" not in library.parent.name:
        found |= {path.name: path for path in library.parent.iterdir() if path.is_dir()}
    return found


def _cache() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (cache if cache.is_absolute() else Path.home() / ".cache") / "laneway" / "libraries"
