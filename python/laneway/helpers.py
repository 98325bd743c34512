# SPDX-License-Identifier: BSD-3-Clause
"""Laneway's own Python as a process of its own, and the answers of such helpers."""

from __future__ import annotations

import json
import sys
from typing import Any

from laneway.errors import Problem

PYTHON = (sys.executable, "-P")
"""The interpreter of this process.

With -P none of its modules is a file of the folder that it is called in, such as a user's queue.py.
The option -I would leave out PYTHONPATH as well, in which Spack's modules name Laneway itself. The
variable PYTHONSAFEPATH would reach a user's own programs.
"""


def module(name: str, *arguments: str) -> list[str]:
    """The command line of a module of Laneway, with arguments."""
    return [*PYTHON, "-m", name, *arguments]


def answer(helper: str, line: str) -> dict[str, Any]:
    """The answer of a helper on a line. Raises Problem where that is no object of JSON."""
    try:
        return dict(json.loads(line))
    except (ValueError, TypeError):
        raise Problem(f"{helper} answered {line.strip()!r}, which is no object of JSON") from None
