# SPDX-License-Identifier: BSD-3-Clause
"""Vector collectives of mpi4py, in large counts where the MPI library has them."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
counts = np.arange(1, comm.size + 1)
mine = np.full(comm.rank + 1, comm.rank, "i")
right = np.repeat(np.arange(comm.size, dtype="i"), counts)
everything = np.empty_like(right)
for root in range(2):
    comm.Gatherv(mine, [everything, counts] if comm.rank == root else None, root)
    assert comm.rank != root or (everything == right).all()
everything[:] = -1
comm.Allgatherv(mine, [everything, counts])
assert (everything == right).all()
if comm.rank == 0:
    print("right")
