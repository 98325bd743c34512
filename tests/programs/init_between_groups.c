/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: init_between_groups
 * Persistent rooted collectives on an inter-communicator, whose insignificant arguments are garbage. Prints "right". */
#include "check.h"

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Gather_init MPIX_Gather_init
#define MPI_Bcast_init MPIX_Bcast_init
#endif

int main(int argc, char** argv)
{
    int rank, local, data = 7, all[8];
    MPI_Comm half, between;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int first = rank < 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Comm_rank(half, &local);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, 1, &between);
    const int root = !first ? 0 : local == 0 ? MPI_ROOT : MPI_PROC_NULL;
    /* Senders read no receive buffer, count or type; the root reads none of what it would send. */
    union {
        long bits;
        MPI_Datatype type;
    } garbage = {.bits = 0x1234567};
    if (first)
        MPI_Gather_init(NULL, -1, garbage.type, all, 1, MPI_INT, root, between, MPI_INFO_NULL,
                        &request);
    else
        MPI_Gather_init(&data, 1, MPI_INT, NULL, -1, garbage.type, root, between, MPI_INFO_NULL,
                        &request);
    MPI_Request_free(&request);
    MPI_Bcast_init(&data, 1, MPI_INT, root, between, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
