# SPDX-License-Identifier: BSD-3-Clause
"""Parts that other distributions add: found by entry points, known here by name alone.

The distribution laneway-studies has all of them (packages/studies):

    study         the command `laneway study`
    study-report  what `laneway report` says of a study: sources, file, form, whether as tables
    published     published times of collectives, which `--reference` lays beside measured ones
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from laneway.errors import Problem

GROUP = "laneway.extras"
STUDIES = "laneway-studies"


def load(name: str, what: str) -> Any:
    """The object of that name. Raises Problem, about `what` was asked for, where there is none."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to load

    for found in entry_points(group=GROUP, name=name):
        return found.load()
    pip = Path(sys.prefix) / "bin" / "pip"
    raise Problem(
        f"{what}: the extra {STUDIES} is not installed; "
        f"`{pip} install ./packages/studies` in a clone installs it (docs/install.md)"
    )
