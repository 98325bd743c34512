/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded by LD_PRELOAD: rank 1 gets what is broadcast SLOW_US microseconds late. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank = 0;
    const int code = PMPI_Bcast(data, count, type, root, comm);
    PMPI_Comm_rank(comm, &rank);
    if (rank == 1) usleep((useconds_t)atoi(getenv("SLOW_US")));
    return code;
}
