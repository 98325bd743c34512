# SPDX-License-Identifier: BSD-3-Clause
"""Takes a cluster down when its user has gone: `python -m laneway.cluster.guard NAME`.

Waits for the end of its input. That comes when the process at the other end closes it or ends, in
whatever way. So a command that was killed with SIGKILL leaves no cluster behind either.
"""

from __future__ import annotations

import sys

from laneway.cluster.cluster import take_down

if __name__ == "__main__":
    sys.stdin.read()
    take_down(sys.argv[1])
