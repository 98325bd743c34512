# SPDX-License-Identifier: BSD-3-Clause
"""What profiles say of themselves: statements of their headers, and of rules that were inferred.

The library checks the statements (``src/choose/header.cpp``). In files of before they were
statements, they are comments, which are read here, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

WORDS = (
    "library", "shape", "place", "elsewhere", "tuned", "measured", "predicted", "machine",
    "native", "margin", "simulated", "quirks", "stand-in",
)  # fmt: skip
"""The first words of statements, in the order in which headers have them."""

_COMMENTS = {
    "quirks": r"# quirks:(.*)",
    "stand-in": r"# stand-in:(.*)",
    "machine": r"# machine: (.+)",
    "native": r"# native: what (.+) chooses by its native profile",
    "margin": r"# (\d+\.?\d*) times as fast as native; it chooses that, .*",
    "simulated": r"# simulated: ([^;]*);.*",
    "tuned": r"# (\d{4}-\d\d-\d\d)T[\d:]+\S*: laneway tune\b.*",
    "measured": r"# (\d{4}-\d\d-\d\d)T[\d:]+\S*: laneway (?!tune\b)\w+.*",
}
"""By the word of the statement, the comment that was in its place."""

_IN_FILES = str.maketrans({"%": "%25", "#": "%23", "\n": "%0A"})


def named(file: str) -> str:
    """A file as statements name it: `#` would begin a comment there."""
    return file.translate(_IN_FILES)


def header(text: str) -> Mapping[str, str]:
    """What the header of a profile says, by the first word; of several shapes, the last one."""
    found = {word: value for word, value in _told_by_comments(text)}
    for line in text.removeprefix("\ufeff").splitlines():
        word, _, value = _statement(line).partition(" ")
        if word in WORDS:
            found[word] = unquote(value.strip()) if word == "machine" else value.strip()
    return found


def _told_by_comments(text: str) -> Iterator[tuple[str, str]]:
    for word, comment in _COMMENTS.items():
        if told := re.search(f"^{comment}$", text, re.MULTILINE):
            value = told[1].strip()
            yield word, value.replace(", ", " ") if word == "simulated" else value


def _statement(line: str) -> str:
    """A line without its comment; one blank behind the first word."""
    return " ".join(line.partition("#")[0].split(None, 1))


def inferred(rule: str) -> str | None:
    """Of which machine alone published times speak for a rule, and nothing else does.

    Empty: of whichever; None: the rule is from sources.
    """
    statement, _, comment = rule.partition("#")
    for word in statement.partition(" use ")[0].split():
        name, _, machine = word.partition("=")
        if name == "inferred":
            return machine
    word, _, machine = map(str.strip, comment.partition(":"))
    return machine if word == "inferred" else None
