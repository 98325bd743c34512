# SPDX-License-Identifier: BSD-3-Clause
"""usage: by_handle.py LIBRARY MODE [OTHER]: the collectives of application.c, as MPI.jl calls them.

The functions are looked up in LIBRARY; MODE is that of dlopen. OTHER is an MPI library that is
asked for its version before, and for the place of a collective, and no more.
"""

import ctypes
import sys
from pathlib import Path

name, mode, *others = sys.argv[1:]
opened = [ctypes.CDLL(other) for other in others]
for other in opened:
    other.MPI_Get_library_version(ctypes.create_string_buffer(8192), ctypes.byref(ctypes.c_int()))
mpi = ctypes.CDLL(name, mode=getattr(ctypes, mode))
if hasattr(mpi, "ompi_mpi_comm_world"):
    of_library = [getattr(mpi, symbol) for symbol in
                  ("ompi_mpi_comm_world", "ompi_mpi_int", "ompi_mpi_op_sum")]  # fmt: skip
    world, integer, total = (ctypes.cast(place, ctypes.c_void_p) for place in of_library)
elif "_abi" in Path(name).name:
    world, integer, total = (ctypes.c_void_p(handle) for handle in (0x101, 0x209, 0x21))
else:
    world, integer, total = 0x44000000, 0x4C000405, 0x58000003

mpi.MPI_Init(None, None)
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.PMPI_Comm_rank(world, ctypes.byref(rank))
mpi.PMPI_Comm_size(world, ctypes.byref(size))
mine, sums = (ctypes.c_int * 4)(*[rank.value + 1] * 4), (ctypes.c_int * 4)()
everybodys = (ctypes.c_int * size.value)()
right = True
for root in (0, 1, 0):
    told = ctypes.c_int(rank.value + 7)
    broadcast = mpi.MPI_Bcast if root else mpi.PMPI_Bcast
    broadcast(ctypes.byref(told), 1, integer, root, world)
    right = right and told.value == root + 7
for _ in range(2):
    mpi.MPI_Allreduce(mine, sums, 4, integer, total, world)
    right = right and list(sums) == [size.value * (size.value + 1) // 2] * 4
mpi.MPI_Allgather(mine, 1, integer, everybodys, 1, integer, world)
right = right and list(everybodys) == list(range(1, size.value + 1))
for other in opened:
    place = ctypes.cast(other.MPI_Bcast, ctypes.c_void_p).value
    right = right and place != ctypes.cast(mpi.MPI_Bcast, ctypes.c_void_p).value
if rank.value == 0:
    print("right" if right else "wrong")
mpi.MPI_Finalize()
