# SPDX-License-Identifier: BSD-3-Clause
"""The messages of a source, for `prose.py`: its literals of several words.

A value that is put into a literal when the program runs is one word. The texts of a list are lines
of one message. Docstrings are no messages here, as `comments.py` reads them. Text without a
stop is a list of names. Descriptions of algorithms stand in cells of a table.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import comments

LEAST_WORDS = 6
"""Shorter ones are headings, names, and parts of a table."""

_INSERTED = "`...`"
_NUMBERED = re.compile(r"%[-+0-9.*]*(?:l|ll|z)?[a-z]")
"""Places where C's printf puts values."""
_STOP = re.compile(r"[,.:;?!]")
_CELL = re.compile(r"\.(?:idea|rounds|volume|memory|source) =$")
_PIECE = re.compile(r'(?:"(?:\\.|[^"\\\n])*"\s*)+')
_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?<!\w)'(?:\\.|[^'\\\n])+'"""
    rf"""|(?P<message>{_PIECE.pattern})""",
    re.DOTALL,
)

Message = tuple[int, str]
"""The line that it begins in, and its text."""


def _text_of(node: ast.AST) -> str | None:
    """The text of a literal, or of a sum with one; none: it is something else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text_of(part) or _INSERTED for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            texts = _text_of(left), _text_of(right)
            return "".join(text or _INSERTED for text in texts) if any(texts) else None
    return None


def _literals(node: ast.AST) -> Iterator[Message]:
    """The literals within a node of a module's tree."""
    inner: Iterable[ast.AST]
    match node:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.List(elts=items):
            texts = [_text_of(item) for item in items]
            lines = [text for text in texts if text is not None and (not text or " " in text)]
            yield node.lineno, "\n".join(lines)
            inner = [item for item, text in zip(items, texts, strict=True) if text is None]
        case ast.expr() if text := _text_of(node):
            yield node.lineno, text
            return
        case _:
            inner = ast.iter_child_nodes(node)
    for child in inner:
        yield from _literals(child)


def _python(source: str) -> Iterator[Message]:
    """The literals of a module, joined where they are added up."""
    yield from _literals(ast.parse(source))


def _c(source: str) -> Iterator[Message]:
    """The literals of a source; one that goes on behind a value is none by itself."""
    for found in _CODE.finditer(source):
        before = source[: found.start()].rstrip()
        if not found["message"] or before.endswith(("+", "<")) or _CELL.search(before):
            continue
        pieces = re.findall(r'"((?:\\.|[^"\\\n])*)"', found["message"])
        text = "".join(pieces).replace(r"\n", "\n").replace(r"\"", '"')
        yield source.count("\n", 0, found.start()) + 1, _NUMBERED.sub(_INSERTED, text)


def messages(path: Path) -> Iterator[Message]:
    """The messages of a source."""
    source = path.read_text(encoding="utf-8")
    read = _c if path.suffix in comments.C_SUFFIXES else _python
    for number, text in read(source):
        is_continued = text.startswith((" ", "<"))  # or markup
        if is_continued or not _STOP.search(text):
            continue
        if len(re.findall(r"[A-Za-z]{2,}", text)) >= LEAST_WORDS:
            yield number, text
