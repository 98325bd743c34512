# SPDX-License-Identifier: BSD-3-Clause
"""Measurements as commands read them: damage in them is told."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from laneway.commands.shared.console import say

if TYPE_CHECKING:
    from laneway.results.measurements import Measured


def read(sources: Iterable[Path]) -> Measured:
    """The rows of folders and files. Raises Misuse, as measurements.read() does."""
    from laneway.results import measurements  # noqa: PLC0415 - not all that import this read any

    measured = measurements.read(sources)
    for damage in measured.damage:
        say(damage)
    return measured
