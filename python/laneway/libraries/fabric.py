# SPDX-License-Identifier: BSD-3-Clause
"""The network devices that are lanes: the library counts them, and nobody else."""

from __future__ import annotations

import os
from collections.abc import Set
from pathlib import Path

from laneway.errors import Problem
from laneway.libraries import native, profile


def lanes(folder: Path) -> Set[str] | None:
    """The lanes in a folder such as /sys/class, as mlx5_0:1, cxi0, eth2.

    None where no native part is there to be asked, or one that is too old to know.
    """
    try:
        facts = profile.ask(native.find(), ["lanes", str(folder)], os.environ)
    except Problem:
        return None
    return {fact["lane"] for fact in facts}
