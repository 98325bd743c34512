/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: descriptors
 * Rank 1 has no free file descriptor when it makes its first collective. */
#include <fcntl.h>

#include "check.h"

int main(int argc, char** argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int other = 0; other < size; ++other) { /* the library's connections are there by then */
        int from = -1;
        MPI_Sendrecv(&rank, 1, MPI_INT, other, 0, &from, 1, MPI_INT, other, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK(from == other);
    }
    while (rank == 1 && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) continue;
    for (int root = 0; root < size; ++root) {
        int data = rank == root ? root : -1;
        CHECK(MPI_Bcast(&data, 1, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
        CHECK(data == root);
    }
    CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
