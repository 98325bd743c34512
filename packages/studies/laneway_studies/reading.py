# SPDX-License-Identifier: BSD-3-Clause
"""The values of parameters, read from their texts."""

from __future__ import annotations

from laneway.units import is_whole, quoted


def whole(text: str, least: int, what: str = "number") -> int:
    """A whole number. Raises ValueError for what is none, or less than `least`."""
    if not is_whole(text, least):
        raise ValueError(f"{quoted(text)} is no {what} of {least} at least")
    return int(text)


def ascending(text: str, least: int, what: str = "numbers") -> tuple[int, ...]:
    """Whole numbers with commas between them, each once, ascending. Raises ValueError."""
    words = [word.strip() for word in text.split(",")]
    if not all(is_whole(word, least) for word in words):
        raise ValueError(f"{quoted(text)} is no list of {what} of {least} at least: 2,4,8")
    return tuple(sorted({int(word) for word in words}))
