/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: settings [RANK NAME VALUE]
 * One broadcast as the settings choose, on two communicators; RANK sets a variable beforehand. */
#define _POSIX_C_SOURCE 200112L
#include <laneway.h>
#include <stdlib.h>

#include "check.h"

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 4 && atoi(argv[1]) == rank) setenv(argv[2], argv[3], 1);

    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const MPI_Comm comms[] = {MPI_COMM_WORLD, copy};
    for (int i = 0; i < 2; ++i)
        for (int root = 0; root < size; ++root) {
            int data = rank == root ? root : -1;
            CHECK(laneway_bcast(&data, 1, MPI_INT, root, comms[i]) == MPI_SUCCESS);
            CHECK(data == root);
        }
    if (rank == 0) printf("served by %s\n", laneway_served_by(copy));
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
