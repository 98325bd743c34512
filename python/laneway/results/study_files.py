# SPDX-License-Identifier: BSD-3-Clause
"""The files by which a study is known: `laneway report` must tell it from measurements."""

from __future__ import annotations

from pathlib import Path

FACTS = "study.json"
"""The file in the folder that a study leaves."""
SUFFIX = ".tar.gz"
"""The ending of the name of its archive."""


def holds_study(source: Path) -> bool:
    """Whether a folder or file is what a study has left."""
    if source.is_dir():
        return (source / FACTS).exists()
    return source.name.endswith(SUFFIX)
