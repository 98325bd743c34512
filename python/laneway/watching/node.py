# SPDX-License-Identifier: BSD-3-Clause
"""The process that watches a job on one node; the node's first process of the job starts it.

usage: python -m laneway.watching.node FOLDER/NODE

It answers those that ask by files in the job's folder (exchange.py), and ends when that is gone.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from laneway.watching.exchange import NodeSide
from laneway.watching.processes import NodeProcesses

_LOOKS_FOR_NEW_ONES = 1.0


def main(folder: Path) -> None:
    """Watches until the folder is gone."""
    side = NodeSide(folder)
    job = str(folder.parent)
    processes = NodeProcesses(
        lambda header: header.job == job and header.node == folder.name  # containers share /proc
    )
    looked = 0.0
    while side.goes_on():
        if time.monotonic() - looked >= min(_LOOKS_FOR_NEW_ONES, side.limit / 4):
            known, looked = processes.look(), time.monotonic()
            side.tell_wait(max((one.longest_wait() for one in known), default=0.0))
        if (asked := side.asked()) is not None:
            known = processes.look()
            side.answer(
                asked,
                [one.account(with_stack=one.flight.header().rank in asked.stacks) for one in known],
            )
        time.sleep(side.pause)


if __name__ == "__main__":
    os.closerange(3, 1024)  # the launcher waits until what it knows of is closed
    main(Path(sys.argv[1]))
