#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The list of all LANEWAY_* variables, from the library's own table (src/choose/all_settings.cpp).

    scripts/settings.py [--check]

Writes it into the head of include/laneway.h, as a comment, and into docs/settings.md, as a table.
With --check nothing is written: exit code 1 where one of them holds another list.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import textwrap
from pathlib import Path

from laneway.libraries import native, profile

ROOT = Path(__file__).parents[1]
HEADER, PAGE = ROOT / "include/laneway.h", ROOT / "docs/settings.md"

_WIDTH, _INDENT = 100, " *         "
_LIST = re.compile(r"(?<= \* ENVIRONMENT\n)(.*?\n \*\n)(.*?)(?= \*\n \* RETURN VALUE\n)", re.DOTALL)
_TABLE = re.compile(r"(?<=<!-- the table of settings -->\n\n).*?(?=\n\n|\Z)", re.DOTALL)


def settings() -> dict[str, str]:
    """Each variable with what it says, in the order in which the library reads them."""
    rows = profile.ask(native.find(), ["settings"], os.environ)
    return {row["variable"]: row["help"] for row in rows}


def comment(known: dict[str, str]) -> str:
    """The list as it stands in a comment of C, each variable above what it says."""
    wrapper = textwrap.TextWrapper(
        _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return "".join(
        f" *     {variable}\n{wrapper.fill(text)}\n" for variable, text in sorted(known.items())
    )


def linked(text: str) -> str:
    """Pages of the documentation become links."""
    return re.sub(r"\bdocs/([\w-]+\.md)", r"[\1](\1)", text)


def table(known: dict[str, str]) -> str:
    """The list as a table of Markdown."""
    rows = (f"| `{variable}` | {linked(text)} |" for variable, text in sorted(known.items()))
    return "\n".join(("| variable | what it says |", "|---|---|", *rows))


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a list is old")
    check = parser.parse_args().check
    known = settings()
    # A function in place of the text, in which a backslash would mean something.
    written = {
        HEADER: _LIST.sub(lambda found: found[1] + comment(known), HEADER.read_text()),
        PAGE: _TABLE.sub(lambda _: table(known), PAGE.read_text()),
    }
    old = [path for path, text in written.items() if path.read_text() != text]
    for path in old:
        if check:
            print(f"settings: {path.relative_to(ROOT)} is old; run `make docs`", file=sys.stderr)
        else:
            path.write_text(written[path])
    return int(check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
