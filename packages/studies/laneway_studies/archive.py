# SPDX-License-Identifier: BSD-3-Clause
"""A study in one file, to be read on another machine: its rows, what it was, where and by what."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laneway import files
from laneway.campaign.folder import ROWS
from laneway.errors import Problem
from laneway.results.study_files import FACTS, SUFFIX
from laneway.rows import Row, read
from laneway_studies import folder, simulated

ENVIRONMENTS = "environments.json"
"""Versions and topology of what was measured: the manifests of its campaigns, by name."""


@dataclass(frozen=True)
class Packed:
    """The facts and rows that were read back."""

    facts: Mapping[str, Any]
    rows: Sequence[Row]


def write(path: Path, environments: Mapping[str, Any]) -> Path:
    """Packs a study's folder; the same content gives the same file."""
    name = folder.read_facts((path / FACTS).read_bytes(), str(path))["study"]
    members = {
        each: (path / each).read_bytes()
        for each in (FACTS, ROWS, folder.REPORT)
        if (path / each).exists()
    }
    members[ENVIRONMENTS] = (json.dumps(environments, indent=1) + "\n").encode()
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as outer,
        tarfile.open(fileobj=outer, mode="w") as archive,
    ):
        for each, data in members.items():
            member = tarfile.TarInfo(f"{name}/{each}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    file = path / f"{name}{SUFFIX}"
    files.replace(file, packed.getvalue())
    return file


def load(source: Path) -> Packed:
    """A study's folder or archive. Raises Problem where it cannot be read."""
    try:
        found = _of_folder(source) if source.is_dir() else _of_archive(source)
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise Problem(f"cannot read {source}: {error}") from error
    if missing := {FACTS, ROWS} - found.keys():
        raise Problem(f"{source} holds no study: there is no {' and no '.join(sorted(missing))}")
    own = folder.read_facts(found[FACTS], str(source))
    rows = read(found[ROWS].decode(errors="replace").split("\n"))
    return Packed(own, simulated.complete(rows))


def _of_folder(source: Path) -> dict[str, bytes]:
    names = (FACTS, ROWS)
    return {name: (source / name).read_bytes() for name in names if (source / name).exists()}


def _of_archive(source: Path) -> dict[str, bytes]:
    """Members by their names, read where they are: nothing is put on disk.

    The stream is read to its end first, where its checksum is.
    """
    unpacked = io.BytesIO(gzip.decompress(source.read_bytes()))
    with tarfile.open(fileobj=unpacked) as archive:
        return {
            Path(member.name).name: content.read()
            for member in archive
            if (content := archive.extractfile(member))
        }
