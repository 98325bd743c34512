/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: differ
 * Some allreduces on a duplicate of MPI_COMM_WORLD, the only communicator on which processes meet under Laneway. */
#include "check.h"

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < 4; ++call) {
        int sum = 0;
        CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
        CHECK(sum == size * (size - 1) / 2);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
