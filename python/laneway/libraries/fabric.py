# SPDX-License-Identifier: BSD-3-Clause
"""The ports of fabrics that are lanes: the library counts them, and nobody else."""

from __future__ import annotations

import os
from collections.abc import Set
from pathlib import Path

from laneway.errors import Problem
from laneway.libraries import native, profile


def lanes(folder: Path) -> Set[str] | None:
    """Those of a folder such as /sys/class/infiniband, as DEVICE:PORT.

    None where no native part is there to be asked, or one that is too old to know.
    """
    try:
        facts = profile.ask(native.find(), ["lanes", str(folder)], os.environ)
    except Problem:
        return None
    return {f"{fact['device']}:{fact['port']}" for fact in facts if fact["lane"]}
