/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: persistent_alone [RANK NAME VALUE]
 *
 * Persistent collectives and no others, on the world and on halves of it, each started five times; RANK sets a variable
 * beforehand. Checks every result; prints "right". */
#define _POSIX_C_SOURCE 200112L
#include <stdlib.h>

#include "check.h"

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Barrier_init MPIX_Barrier_init
#endif

enum { count = 3000, starts = 5 };

static void run(MPI_Comm comm)
{
    static int data[count], sum[count];
    int rank, size;
    MPI_Request requests[3];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Bcast_init(data, count, MPI_INT, size - 1, comm, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(data, sum, count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[1]);
    MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[2]);
    for (int start = 0; start < starts; ++start) {
        for (int i = 0; i < count; ++i) data[i] = rank == size - 1 ? start + i : -1;
        for (int each = 0; each < 3; ++each) {
            MPI_Start(&requests[each]);
            MPI_Wait(&requests[each], MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < count; ++i) CHECK(data[i] == start + i && sum[i] == size * (start + i));
    }
    for (int each = 0; each < 3; ++each) MPI_Request_free(&requests[each]);
}

int main(int argc, char** argv)
{
    int rank;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 4 && atoi(argv[1]) == rank) setenv(argv[2], argv[3], 1);
    run(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    run(half);
    MPI_Comm_free(&half);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
