/* SPDX-License-Identifier: BSD-3-Clause */
/* 7 nonblocking broadcasts and no other collective. Rank 0 makes the last one before it sends what the
 * others wait for before theirs: a call that waited for them would hang. */
#include <mpi.h>

int main(int argc, char** argv)
{
    int rank, size, data = 0, go = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 7; ++i) {
        if (rank > 0) MPI_Recv(&go, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ibcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        for (int to = 1; rank == 0 && to < size; ++to)
            MPI_Send(&go, 1, MPI_INT, to, i, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
