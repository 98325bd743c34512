# SPDX-License-Identifier: BSD-3-Clause
"""Where results go unless the user says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path("laneway-results")


def new_folder(name: str) -> Path:
    """A folder for results that does not exist yet, named by what they are and the time."""
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    return RESULTS / f"{name}-{stamp}"
