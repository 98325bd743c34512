/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: init_beside_idup ROUNDS
 * A persistent collective is made while a duplication of its communicator is under way. Checks its result; prints "right". */
#include <stdlib.h>

#include "check.h"

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0, rounds = argc > 1 ? atoi(argv[1]) : 1; round < rounds; ++round) {
        MPI_Comm on, copy;
        MPI_Request duplicated, reduced;
        int data = rank, sum = -1;
        MPI_Comm_dup(MPI_COMM_WORLD, &on);
        MPI_Comm_idup(on, &copy, &duplicated);
        MPI_Allreduce_init(&data, &sum, 1, MPI_INT, MPI_SUM, on, MPI_INFO_NULL, &reduced);
        MPI_Wait(&duplicated, MPI_STATUS_IGNORE);
        MPI_Start(&reduced);
        MPI_Wait(&reduced, MPI_STATUS_IGNORE);
        CHECK(sum == size * (size - 1) / 2);
        MPI_Request_free(&reduced);
        MPI_Comm_free(&copy);
        MPI_Comm_free(&on);
    }
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
