# SPDX-License-Identifier: BSD-3-Clause
"""A build's programs with another MPI library than the one that they are linked with.

Libraries with one binary interface have several names and lie anywhere. A folder in the user's
cache has a script for each program, which tells the loader where the library is. Launchers, batch
systems and users call the scripts as they call the build's own programs.
"""

from __future__ import annotations

import errno
import hashlib
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from laneway.errors import Problem
from laneway.files import users_cache
from laneway.libraries.installations import INTERFACES

_FORM = 1
"""A number for how these folders are made: another one makes them anew."""


def programs_with(build: Path, library: Path) -> Path:
    """The folder of a build's programs that load `library`, the file of an MPI library.

    It is made where it is not there, in one step, and made anew for another build in that place.

    Raises:
        Problem: The cache cannot be written to.

    """
    build, library = build.absolute(), library.absolute()
    try:
        folder = users_cache() / "libraries" / f"{build.name}-{_key(build, library)}"
        if not folder.is_dir():
            _make(folder, build, library)
    except (OSError, RuntimeError) as error:  # RuntimeError: nobody knows where home is
        told = error.strerror if isinstance(error, OSError) else str(error)
        raise Problem(
            f"cannot make programs of {build} that load {library} in the user's cache ({told}): "
            "set XDG_CACHE_HOME to a folder that all nodes see"
        ) from error
    return folder / "bin"


@contextmanager
def programs_here(build: Path, library: Path) -> Iterator[Path]:
    """As programs_with; where the cache cannot be written to, for as long as the context alone."""
    try:
        made = programs_with(build, library)
    except Problem:
        with tempfile.TemporaryDirectory(prefix="laneway-") as folder:
            _fill(Path(folder), Path(folder), build.absolute(), library.absolute())
            yield Path(folder) / "bin"
    else:
        yield made


def _key(build: Path, library: Path) -> str:
    """Another one for each build and library, and after a change of either."""
    described = [str(_FORM), str(build), str(library)]
    for file in (build / "build.json", *sorted((build / "bin").iterdir()), library):
        facts = file.stat()
        described.append(f"{file.name} {facts.st_size} {facts.st_mtime_ns}")
    return hashlib.sha256("\0".join(described).encode()).hexdigest()[:16]


def _make(folder: Path, build: Path, library: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        _fill(made, folder, build, library)
        made.chmod(0o755)
        made.rename(folder)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):  # another process was quicker
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _fill(made: Path, folder: Path, build: Path, library: Path) -> None:
    """Puts into `made`, which will be called `folder`, scripts and names for the loader."""
    (made / "bin").mkdir()
    (made / "mpi").mkdir()
    for name, path in _names_for_loader(library).items():
        (made / "mpi" / name).symlink_to(path)
    first, last = shlex.quote(str(folder / "mpi")), ""
    if not _is_of_the_system(library):  # the library may need others that lie beside it
        last = f":{shlex.quote(str(library.parent))}"
    for program in (build / "bin").iterdir():
        script = made / "bin" / program.name
        script.write_text(
            "#!/bin/sh\n"
            f"LD_LIBRARY_PATH={first}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}{last}\n"
            f'export LD_LIBRARY_PATH\nexec {shlex.quote(str(program))} "$@"\n'
        )
        script.chmod(0o755)


def _names_for_loader(library: Path) -> dict[str, Path]:
    """The library by all names of its binary interface, and the folders that it looks into."""
    own = INTERFACES[library.name]
    found = {name: library for name, interface in INTERFACES.items() if interface == own}
    if not _is_of_the_system(library):
        found |= {path.name: path for path in library.parent.iterdir() if path.is_dir()}
    return found


def _is_of_the_system(library: Path) -> bool:
    """Whether it lies where the loader looks by itself."""
    folder = library.parent
    if folder.name.endswith("-linux-gnu"):
        folder = folder.parent
    return folder in {Path(root, name) for root in ("/", "/usr") for name in ("lib", "lib64")}
