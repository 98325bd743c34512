#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that pages, comments, docstrings and messages are plain: short sentences with a subject.

Usage: prose.py [FILE]...

Without files: README.md, DESIGN.md, CONTRIBUTING.md, docs/*.md less algorithms.md, the README.md
of each room of src, python/laneway and packages, and the comments of all sources. Messages are
those of sources in src, python/laneway and packages.

Blocks of code, tables, headings, HTML comments and the targets of links are no prose, and passed
over. A piece of code within a line is one word, as a reader takes it. A list item is a paragraph,
and ends its sentence; a colon or a semicolon ends none.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import comments
import messages

MOST_WORDS = 25
"""Words of a sentence."""
MOST_CHARACTERS = 120
"""Characters of a line."""
DESCRIBED = ("src/algorithms", "src/collectives", "src/decomposition", "src/simulate")
"""Rooms whose literals are cells of tables, or options of a program that no user calls."""
GENERATED = frozenset(("algorithms.md",))
"""Pages whose sentences are written elsewhere."""

_AUXILIARY = "am|are|can|could|did|do|does|had|has|have|is|may|must|was|were|will|would"
_FRAGMENT = re.compile(rf"(?i)(?:Of|What|The same|That of|Those of|So (?:{_AUXILIARY}))\b")
"""How sentences open whose noun is in the one before, or comes after the verb; no questions."""

_FENCE = re.compile(r" *(```|~~~)")
_TABLE = re.compile(r" *\|")
_HEADING = re.compile(r" {0,3}#+ ")
_ITEM = re.compile(r" *(?:[-*+]|\d+[.)]) +")
_QUOTE = re.compile(r"^ *> ?")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^]]*)\](?:\([^)]*\)|\[[^]]*\])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|cf|Fig|Sec|No)\.$")
_PIECE_OF_CODE, _START_OF_LINK = "\0", "\1"
_END = re.compile(
    rf"""[.?!][)"'*_]*(?=\s+[("']*[A-Z0-9*_{_PIECE_OF_CODE}{_START_OF_LINK}])|[.?!]+[)"'*_]*\s*$"""
)
"""The end of a sentence. The next one opens with a capital, a figure, code, a link or emphasis."""
_OPENING_MARKS = f"(\"'*_ \n{_START_OF_LINK}"


class Line(NamedTuple):
    """A line of prose."""

    number: int
    text: str
    """The line without the mark of a list item or a quotation."""
    opens: bool
    """Whether a paragraph begins with it."""
    length: int
    """The length with the mark."""


class Sentence(NamedTuple):
    """A sentence, and the line that it begins in."""

    number: int
    text: str


def _without_comments(text: str) -> str:
    """The text with its comments blank, so that lines keep their numbers."""
    return _COMMENT.sub(lambda found: re.sub(r"[^\n]", "", found[0]), text)


def lines(page: str) -> Iterator[Line]:
    """The lines of prose."""
    fenced = indented = False
    opens, within = True, 0  # within: how far the text of the present list item is indented
    for number, line in enumerate(_without_comments(page).splitlines(), 1):
        if _FENCE.match(line):
            fenced, opens = not fenced, True
        elif not fenced and not line.strip():
            opens = True
        elif not fenced:
            indent = len(line) - len(line.lstrip())
            item = _ITEM.match(line)
            within = 0 if opens and not indent else within
            indented = (opens or indented) and indent >= within + 4
            if indented:
                continue
            within = item.end() if item else within
            if _TABLE.match(line) or _HEADING.match(line):
                opens = True
                continue
            text = line[item.end() :] if item else _QUOTE.sub("", line)
            yield Line(number, text, opens or bool(item), len(line))
            opens = False


def _plain(text: str) -> str:
    """Code as one word each, links as what is read of them, behind a mark."""
    text = _CODE.sub(lambda found: _PIECE_OF_CODE + "\n" * found[0].count("\n"), text)
    return _LINK.sub(rf"{_START_OF_LINK}\1", _IMAGE.sub("", text))


def _split(number: int, text: str) -> Iterator[Sentence]:
    """The sentences of a paragraph that begins in a line."""
    plain = _plain(text)
    start = 0
    for end in _END.finditer(plain):
        if not _ABBREVIATION.search(plain[start : end.start() + 1]):
            yield Sentence(number + _breaks(plain, start), plain[start : end.end()])
            start = end.end()
    yield Sentence(number + _breaks(plain, start), plain[start:])


def _breaks(text: str, start: int) -> int:
    """Ends of lines before the first word at or after `start`."""
    rest = text[start:]
    return text.count("\n", 0, start + len(rest) - len(rest.lstrip()))


def sentences(page: str) -> Iterator[Sentence]:
    """The sentences of prose, code and starts of links in them as marks."""
    first, paragraph = 0, ""
    for line in lines(page):
        if line.opens:
            yield from _split(first, paragraph)
            first, paragraph = line.number, line.text
        else:
            paragraph += f"\n{line.text}"
    yield from _split(first, paragraph)


def words(sentence: str) -> list[str]:
    """The pieces between blanks that have a letter, a digit or a piece of code."""
    return [word for word in sentence.split() if re.search(rf"\w|{_PIECE_OF_CODE}", word)]


def _readable(text: str) -> str:
    return text.replace(_PIECE_OF_CODE, "`...`").replace(_START_OF_LINK, "")


Complaint = tuple[int, str]
"""The line of a fault, and the words for it."""


def complaints(page: str) -> Iterator[Complaint]:
    """The faults of a page."""
    for line in lines(page):
        if line.length > MOST_CHARACTERS:
            yield line.number, f"a line of {line.length} characters, over {MOST_CHARACTERS}"
    yield from complaints_of_sentences(page)


def complaints_of_sentences(page: str) -> Iterator[Complaint]:
    """The faults that do not depend on lines."""
    for sentence in sentences(page):
        found = words(sentence.text)
        start = _readable(" ".join(found[:6]))
        if len(found) > MOST_WORDS:
            yield sentence.number, f"{len(found)} words, over {MOST_WORDS}: {start} ..."
        opening = " ".join(sentence.text.lstrip(_OPENING_MARKS).split())
        fragment = _FRAGMENT.match(opening)
        if fragment and not re.search(r"""\?[)"'*_]*$""", opening):
            yield sentence.number, f"opens with {fragment[0]!r}, no noun of its own: {start} ..."


def pages(root: Path) -> list[Path]:
    """The pages of the repository that are written by hand, for users and for who changes it."""
    first = (root / name for name in ("README.md", "DESIGN.md", "CONTRIBUTING.md"))
    written = (page for page in sorted(root.glob("docs/*.md")) if page.name not in GENERATED)
    places = ("src", "python/laneway", "packages")
    rooms = (root.glob(f"{folder}/**/README.md") for folder in places)
    return [*first, *written, *(page for found in rooms for page in sorted(found))]


def sources(root: Path) -> list[Path]:
    """The sources of the repository whose comments are looked at."""
    folders = ("examples", "include", "packages", "python", "scripts", "src", "tests")
    found = (path for folder in folders for path in sorted(root.glob(f"{folder}/**/*")))
    return [path for path in found if path.suffix in {".py", *comments.C_SUFFIXES}]


def read(path: Path) -> str:
    """The prose of a page, or of a source."""
    is_source = path.suffix in {".py", *comments.C_SUFFIXES}
    return comments.page(path) if is_source else path.read_text(encoding="utf-8")


def complaints_of_messages(path: Path) -> Iterator[Complaint]:
    """The faults of what a source prints, each at the line where the message begins."""
    for number, text in messages.messages(path):
        for _, fault in complaints_of_sentences(text):
            yield number, fault


def prints(root: Path, path: Path) -> bool:
    """Whether users see what a file of the repository prints."""
    if path.suffix not in {".py", *comments.C_SUFFIXES} or not path.is_relative_to(root):
        return False
    inside = path.relative_to(root)
    return any(map(inside.is_relative_to, ("python/laneway", "packages"))) or (
        inside.is_relative_to("src") and not any(map(inside.is_relative_to, DESCRIBED))
    )


def main() -> int:
    """Returns the exit code."""
    root = Path(__file__).resolve().parents[1]
    given = [Path(word) for word in sys.argv[1:]] or [*pages(root), *sources(root)]
    faults = 0
    for page in given:
        name = page.relative_to(root) if page.is_relative_to(root) else page
        found = [*complaints(read(page))]
        if prints(root, page):
            found += complaints_of_messages(page)
        for number, fault in sorted(found):
            print(f"{name}:{number}: {fault}", file=sys.stderr)
            faults += 1
    print(f"prose: {len(given)} files, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
