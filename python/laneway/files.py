# SPDX-License-Identifier: BSD-3-Clause
"""Files that are whole or not there, and where results go unless the user says."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from laneway.errors import Misuse, Problem

RESULTS = Path("laneway-results")


def users_folder() -> Path:
    """The folder where a user's own files are found by themselves, on all machines of that home."""
    return _of_the_user("XDG_CONFIG_HOME", ".config")


def users_cache() -> Path:
    """Where what can be made again is kept for a user. Raises RuntimeError without a home."""
    return _of_the_user("XDG_CACHE_HOME", ".cache")


def _of_the_user(variable: str, otherwise: str) -> Path:
    """Laneway's folder in the one that a variable names, or else in one of the home."""
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / otherwise) / "laneway"


class UnwritableError(Problem):
    """A file that could not be written: a full disk, most often."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"cannot write {path}: {error.strerror or error}")


def slug(text: str) -> str:
    """A text as a part of a file's name: Open MPI 4.1.4 is open-mpi-4.1.4."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def replace(path: Path, content: str | bytes) -> None:
    """Puts a file there in one step, on disk, with its folder.

    Whatever happens meanwhile, `path` is as it was or as it is meant to be. (Where that cannot be,
    as with a device or in a folder of somebody else, it is written to.) Raises UnwritableError.
    """
    data = content.encode(errors="surrogateescape") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.resolve()  # a symbolic link stays, and what it leads to is replaced
        if file.exists() and not (file.is_file() and os.access(file.parent, os.W_OK)):
            file.write_bytes(data)
        else:
            _replace(file, data)
    except OSError as error:
        raise UnwritableError(path, error) from error


def create(path: Path, content: str) -> None:
    """Writes a file that was not there before.

    A file that is there is never written, whatever it is, nor what a link leads to. O_EXCL makes
    sure of that, and that nobody is waited for. Raises FileExistsError where the name is taken,
    UnwritableError.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(content)
    except FileExistsError:
        raise
    except OSError as error:
        raise UnwritableError(path, error) from error


def remove(path: Path) -> None:
    """Removes a file, if there is one. Raises UnwritableError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UnwritableError(path, error) from error


SEAL = "# Unchanged while this is its digest: "


def sealed(text: str) -> str:
    """A text in which `#` begins a comment, with a last line that shows whether it was changed."""
    return f"{text}{SEAL}{_digest(text)}\n"


def is_unchanged(text: str) -> bool:
    """Whether a text is as sealed() gave it: then it may be written anew."""
    before, seal, digest = text.rpartition(SEAL)
    return bool(seal) and digest.strip() == _digest(before)


def is_ours(path: Path) -> bool:
    """Whether a file is as sealed() gave it; what cannot be read is not."""
    try:
        return is_unchanged(path.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:
        return False


def refuse_changed(path: Path, otherwise: str) -> None:
    """Raises Misuse for a file that somebody wrote or has changed; `otherwise`: what to do then."""
    if path.is_file() and not is_ours(path):
        raise Misuse(f"{path} was changed by somebody, and is left as it is: {otherwise}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(0o666 & ~_umask())
        draft.replace(path)
        _sync_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def must_be_there(path: Path) -> None:
    """Raises Misuse where the user has named nothing that is there."""
    if not path.exists():
        raise Misuse(f"{path}: no such file or folder")


def new_folder(name: str) -> Path:
    """Makes a folder for results, named by what they are and the time: nobody else has it.

    Raises Problem where it cannot be made.
    """
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    for number in itertools.count(1):
        # Other commands may begin in the same second.
        path = RESULTS / (f"{name}-{stamp}" if number == 1 else f"{name}-{stamp}-{number}")
        with contextlib.suppress(FileExistsError):
            try:
                RESULTS.mkdir(parents=True, exist_ok=True)
                path.mkdir()
            except FileExistsError:
                if not RESULTS.is_dir():
                    raise _no_folder(path, "Not a directory") from None
                raise
            except FileNotFoundError:
                continue  # another command that had no results has just removed RESULTS
            except OSError as error:
                raise _no_folder(path, error.strerror) from error
            return path
    raise AssertionError  # numbers do not end


def _no_folder(path: Path, why: str | None) -> Problem:
    """The user may be in a folder of somebody else."""
    return Problem(f"cannot write results into {path}: {why}: start in a folder of your own")


@contextlib.contextmanager
def results_folder(name: str, chosen: Path | None = None) -> Iterator[Path]:
    """The folder that the user has chosen for results, or a new one.

    A new one is gone afterwards if nothing has come into it.
    """
    if chosen is not None:
        yield chosen
        return
    path = new_folder(name)
    try:
        yield path
    finally:
        for folder in (path, path.parent):
            with contextlib.suppress(OSError):
                folder.rmdir()
