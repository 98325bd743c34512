# SPDX-License-Identifier: BSD-3-Clause
"""Vector collectives of mpi4py, in large counts where the MPI library has them.

Blocking and, with "nonblocking", each a second time as such.
"""

import sys

import mpi4py
import numpy as np

mpi4py.rc.threads = False  # MPICH carries nothing on where several threads may call it
from mpi4py import MPI  # noqa: E402

comm = MPI.COMM_WORLD
size, rank = comm.size, comm.rank
counts = np.arange(1, size + 1)
mine = np.full(rank + 1, rank, "i")
right = np.repeat(np.arange(size, dtype="i"), counts)
to_all = np.concatenate([np.full(i + 1, 10 * rank + i, "i") for i in range(size)])
from_all = np.repeat(10 * np.arange(size, dtype="i") + rank, rank + 1)
received = np.full(size, rank + 1)
rows = 4 * np.concatenate([[0], np.cumsum(counts)[:-1]])  # in bytes
places = 4 * (rank + 1) * np.arange(size)
types = [MPI.INT] * size


def make(prefix):
    """Calls each collective once, and a gatherv at two roots."""

    def call(name, *arguments):
        request = getattr(comm, prefix + (name.lower() if prefix else name))(*arguments)
        if prefix:
            request.Wait()

    everything = np.empty_like(right)
    for root in range(2):
        call("Gatherv", mine, [everything, counts] if rank == root else None, root)
        assert rank != root or (everything == right).all()
    everything[:] = -1
    call("Allgatherv", mine, [everything, counts])
    assert (everything == right).all()

    own = np.full(rank + 1, -1, "i")
    call("Scatterv", [right, counts] if rank == 1 else None, own, 1)
    assert (own == rank).all()
    own[:] = -1
    call("Reduce_scatter", right, own, counts)
    assert (own == size * rank).all()

    blocks = np.full_like(from_all, -1)
    call("Alltoallv", [to_all, counts], [blocks, received])
    assert (blocks == from_all).all()
    blocks[:] = -1
    call("Alltoallw", [to_all, counts, rows, types], [blocks, received, places, types])
    assert (blocks == from_all).all()


make("")
if "nonblocking" in sys.argv:
    make("I")
if rank == 0:
    print("right")
