# SPDX-License-Identifier: BSD-3-Clause
"""Reasons for a rule's choice: the comments above it in its profile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def learned(fact: Mapping[str, Any]) -> list[str]:
    """The calls that a rule was learnt from, as one sentence; none for other rules."""
    found = fact.get("learned")
    if not found:
        return []
    gain = found["gain"].replace("..", " to ")
    told = f": {gain} times as fast as native" if gain else ""
    return [f"learnt on {found['date']} from {found['calls']} calls{told}"]


def reasons(origin: str, size: int) -> list[str]:
    """The comments right above a rule about messages of `size` bytes.

    `origin`: the place of the rule, `FILE:LINE`. The comments about the two nearest measured sizes
    are returned. Where none is about a size, all are; nothing where the file cannot be read (any
    more).
    """
    path, _, line = origin.rpartition(":")
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    above: list[str] = []
    for text in reversed(lines[: int(line) - 1] if line.isdecimal() else []):
        if not text.startswith("#"):
            break
        above.insert(0, text.removeprefix("#").strip())
    measured = {int(found[1]): text for text in above if (found := _SIZE.match(text))}
    if not measured:
        return above
    below = max((own for own in measured if own <= size), default=None)
    beyond = min((own for own in measured if own >= size), default=None)
    return [measured[own] for own in dict.fromkeys((below, beyond)) if own is not None]


_SIZE = re.compile(r"(\d+) bytes: ")
