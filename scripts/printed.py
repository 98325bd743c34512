#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes anew what pages show of the output of commands that always answer the same.

    scripts/printed.py [--check] PAGE...

A block of code below `<!-- printed by: laneway ...; lines with: PATTERN -->` holds the lines of
that command's output in which the regular expression is found. With --check nothing is written:
exit code 1, and the name of each page that is not as it would be.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

MARK = re.compile(
    r"(?P<head><!-- printed by: (?P<command>laneway [^;\n]+); lines with: (?P<text>[^\n]+?) -->\n"
    r"```\n)(?P<lines>.*?)(?P<foot>```\n)",
    re.DOTALL,
)


def _printed(found: re.Match[str]) -> str:
    """A block as its command prints it now."""
    words = [sys.executable, "-m", *shlex.split(found["command"])]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    lines = [line for line in said.splitlines() if re.search(found["text"], line)]
    if not lines:
        raise SystemExit(f"{found['command']} prints no line with '{found['text']}'")
    return found["head"] + "".join(f"{line.rstrip()}\n" for line in lines) + found["foot"]


def main() -> int:
    """Writes pages anew, or checks them."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--check", action="store_true", help="write nothing")
    asked.add_argument("pages", nargs="+", type=Path, metavar="PAGE")
    options = asked.parse_args()
    stale = []
    for page in options.pages:
        text = page.read_text(encoding="utf-8")
        anew = MARK.sub(_printed, text)
        if anew != text:
            stale.append(page)
            if not options.check:
                page.write_text(anew, encoding="utf-8")
    if options.check:
        for page in stale:
            print(f"{page}: not as its commands print it: {sys.argv[0]} {page}", file=sys.stderr)
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
