# SPDX-License-Identifier: BSD-3-Clause
"""Statements of profiles on themselves: of their headers, and of rules that were inferred.

The library checks the statements (``src/choose/header.cpp``). In files from before they were
statements, they are comments, which are read here, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
}
"""The comment that was in the place of a statement, by the word of that."""

_DATED = re.compile(r"^# (\d{4}-\d\d-\d\d)T[\d:]+\S*: laneway (\w+)", re.MULTILINE)
"""The comment with the command that measured, which was all that told when."""

_NOT_DECIDED = ": not decided, what serves without this profile does"
"""The end of the comment that `undecided` takes the place of."""

_IN_FILES = str.maketrans({"%": "%25", "#": "%23", "\n": "%0A"})


def named(file: str) -> str:
    """A file as statements name it: `#` would begin a comment there."""
    return file.translate(_IN_FILES)


def header(text: str) -> Mapping[str, str]:
    """The statements of a profile's header, by the first word; of several shapes, the last one."""
    said = {}
    for line in text.removeprefix("\ufeff").splitlines():
        word, value = statement(line)
        if word in WORDS:
            said[word] = unquote(value) if word in ("machine", "native") else value
    return {**_told_by_comments(text, is_dated=bool({"tuned", "measured"} & said.keys())), **said}


def dated(text: str) -> tuple[str, str] | None:
    """The word and the day of the statement for the first `# DATE: laneway COMMAND` of a text."""
    told = _DATED.search(text)
    return ("tuned" if told[2] == "tune" else "measured", told[1]) if told else None


def _told_by_comments(text: str, *, is_dated: bool) -> dict[str, str]:
    found = {}
    for word, comment in _COMMENTS.items():
        if told := re.search(f"^{comment}$", text, re.MULTILINE):
            found[word] = told[1].strip()
    if "simulated" in found:
        found["simulated"] = found["simulated"].replace(",", "")
    if not is_dated and (when := dated(text)):
        found[when[0]] = when[1]
    return found


def statement(line: str) -> tuple[str, str]:
    """The first word of a line, and what follows it, without a comment."""
    word, *rest = line.partition("#")[0].split(None, 1) or [""]
    return word, rest[0].strip() if rest else ""


def undecided(line: str) -> str | None:
    """The calls that a line leaves undecided, such as `bcast bytes=..63`; None: there are none."""
    told = re.fullmatch(f"# (.*){_NOT_DECIDED}", line)
    word, rest = statement(line)
    return told[1] if told else rest if word == "undecided" else None


def inferred(rule: str) -> str | None:
    """The machine of which alone published times speak for a rule, and nothing else does.

    It is empty where the machine is not named; None: the rule is from sources.
    """
    conditions, _, comment = rule.partition("#")
    for word in conditions.partition(" use ")[0].split():
        name, _, machine = word.partition("=")
        if name == "inferred":
            return machine
    word, _, machine = map(str.strip, comment.partition(":"))
    return machine if word == "inferred" else None
