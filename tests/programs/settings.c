/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: settings [RANK NAME VALUE]
 * Broadcasts as the settings choose on two communicators, before all processes have met there and
 * afterwards; RANK sets a variable beforehand. Says what served the last ones, and where that was
 * something else before they met, what. */
#define _POSIX_C_SOURCE 200112L
#include <laneway.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void broadcast(MPI_Comm comm, char served[64])
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; ++root) {
        int data = rank == root ? root : -1;
        CHECK(laneway_bcast(&data, 1, MPI_INT, root, comm) == MPI_SUCCESS);
        CHECK(data == root);
    }
    strncpy(served, laneway_served_by(comm), 63);
}

int main(int argc, char** argv)
{
    int rank;
    char before[64] = {0}, after[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 4 && atoi(argv[1]) == rank) setenv(argv[2], argv[3], 1);

    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const MPI_Comm comms[] = {MPI_COMM_WORLD, copy};
    for (int i = 0; i < 2; ++i) {
        int one = 1, sum = 0, size;
        MPI_Comm_size(comms[i], &size);
        broadcast(comms[i], before);
        CHECK(laneway_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[i]) == MPI_SUCCESS);
        CHECK(sum == size);
        broadcast(comms[i], after);
    }
    if (rank == 0) printf("served by %s\n", after);
    if (rank == 0 && strcmp(before, after) != 0) printf("by %s before they met\n", before);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
