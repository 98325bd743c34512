# SPDX-License-Identifier: BSD-3-Clause
"""The facts of this machine."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Set
from pathlib import Path
from typing import TypedDict


class MachineFacts(TypedDict):
    """Facts that a reader of measurements wants to know about the machine."""

    cpu: str
    cores: int
    system: str


def cores(usable: Set[int] | None = None, root: Path = Path("/")) -> int:
    """Physical cores with processors that may be used: hardware threads of a core count once.

    By default, the processors are those that this process may run on.
    """
    topology = root / "sys/devices/system/cpu"
    siblings = set()
    for cpu in os.sched_getaffinity(0) if usable is None else usable:
        path = topology / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        siblings.add(path.read_text().strip() if path.exists() else str(cpu))
    return len(siblings)


def sharing(processes: int) -> str:
    """How so many processes on this machine share its cores, as rules say it: `each`, `shared`."""
    return "each" if processes <= cores() else "shared"


def facts() -> MachineFacts:
    """Processor, cores and operating system."""
    information = Path("/proc/cpuinfo")
    text = information.read_text() if information.exists() else ""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return {
        "cpu": model.group(1) if model else platform.machine(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.release()}",
    }
