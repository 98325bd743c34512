# SPDX-License-Identifier: BSD-3-Clause
"""Laneway's gain where all processes are on one node: told alike wherever that is a question.

The times are those of docs/node-messages.md, to which the tests hold the figures here.
"""

from __future__ import annotations

GAIN = (1.45, 2.10)
"""How many times as fast as the MPI library the best algorithm is: the least and the greatest
geometric mean. Each is over broadcast, reduce, allreduce and allgather, of 4, 8 and 16 processes
and two libraries."""

SENTENCE = (
    "Within one node there are no lanes to use, but messages through shared memory gain. Where it "
    f"was measured, calls are {GAIN[0]:.2f} to {GAIN[1]:.2f} times as fast as the MPI library's on "
    "geometric mean (docs/node-messages.md). Built-in choices use that for short calls of two "
    "processes with a core each, and otherwise a measured profile does: `laneway tune --nodes 1 "
    "--launcher mpirun`, or `laneway compare`."
)
"""Without a profile, all other calls within one node are native."""
