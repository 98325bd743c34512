# SPDX-License-Identifier: BSD-3-Clause
"""Comments and docstrings of a source as pages, which `prose.py` reads as it reads documentation.

A page has the lines of its source, with everything blank that is no comment. Comments in successive
lines are a paragraph. A comment behind code is an item of a list, so it is a paragraph by itself.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

C_SUFFIXES = frozenset((".c", ".h", ".cpp", ".hpp"))
"""Names of sources in C and C++ end so."""

_C = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)"""
    r"""|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)
"""A comment, or a literal, within which nothing opens a comment."""
_LINE_MARK = re.compile(r"//[/!]?<? ?")
_BLOCK_MARK = re.compile(r"^\s*(?:/\*+[!<]*|\*(?!/))? ?|\s*\*+/$")
_FOR_TOOLS = re.compile(r"!|SPDX-License-Identifier|NOLINT|IWYU|clang-format|noqa|type: ")

Comment = tuple[int, str, bool]
"""The number of its line, its text, and whether code stands before it."""


def _c_comments(source: str) -> Iterator[Comment]:
    for found in _C.finditer(source):
        number = source.count("\n", 0, found.start()) + 1
        behind = bool(source[source.rfind("\n", 0, found.start()) + 1 : found.start()].strip())
        if found["line"]:
            yield number, _LINE_MARK.sub("", found["line"], count=1), behind
        elif found["block"]:
            for further, line in enumerate(found["block"].split("\n")):
                yield number + further, _BLOCK_MARK.sub("", line), behind and not further


def _python_comments(source: str) -> Iterator[Comment]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            behind = bool(token.line[: token.start[1]].strip())
            yield token.start[0], token.string.lstrip("#:").removeprefix(" "), behind
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                for further, line in enumerate(text.split("\n")):
                    indent = line[: node.col_offset] if further else ""
                    yield node.lineno + further, line[len(indent) :], False


def page(path: Path) -> str:
    """The comments of a source, each on the line where it stands.

    Raises SyntaxError where the source is no Python, though its name says so.
    """
    source = path.read_text(encoding="utf-8")
    comments = _c_comments(source) if path.suffix in C_SUFFIXES else _python_comments(source)
    lines = [""] * (source.count("\n") + 1)
    for number, text, behind in comments:
        if not _FOR_TOOLS.match(text):
            lines[number - 1] = f"- {text}" if behind else text
    return "\n".join(lines)
