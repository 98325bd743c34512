# SPDX-License-Identifier: BSD-3-Clause
"""usage: faults.py RANK: a process with that rank does not come to the second broadcast."""

import sys
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
part = world.Split(0, world.rank)
part.bcast("first", root=0)
while world.rank == int(sys.argv[1]):
    time.sleep(1)
part.Barrier()
