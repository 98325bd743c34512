# SPDX-License-Identifier: BSD-3-Clause
"""application.c, with mpi4py, which loads the MPI library when Python is long under way."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
ranks = np.arange(comm.size)
steps = np.arange(100, dtype="i")
for root in range(3):
    data = root + steps if comm.rank == root % comm.size else np.full(100, -1, "i")
    comm.Bcast(data, root % comm.size)
    assert (data == root + steps).all()
data = comm.rank + steps
sums = np.empty(100, "i")
comm.Allreduce(data, sums)
assert (sums == ranks.sum() + comm.size * steps).all()
comm.Allreduce(MPI.IN_PLACE, sums, MPI.MAX)
gathered = np.empty((comm.size, 100), "i")
comm.Allgather(data, gathered)
assert (gathered == ranks[:, None] + steps).all()
if comm.rank == 0:
    print("right")
