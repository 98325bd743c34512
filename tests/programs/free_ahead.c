/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: free_ahead
 * All processes meet on MPI_COMM_WORLD. A root then broadcasts on a duplicate, and frees it, as libraries let it before
 * anybody else is there. */
#include "check.h"

int main(int argc, char** argv)
{
    int rank, data, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int meeting = 0; meeting < 3; ++meeting) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    data = rank == 0 ? 7 : -1;
    CHECK(MPI_Bcast(&data, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
    CHECK(data == 7);
    MPI_Comm_free(&comm);
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
