/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of groups that overlap, most of them left at the end: others on each process. */
#include <laneway.h>

#include "check.h"

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    laneway_set_node(rank % 2);

    enum { splits = 12 };
    MPI_Comm comms[splits];
    for (int i = 0; i < splits; ++i)
        MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 3 == 0 ? MPI_UNDEFINED : 0,
                       i % 2 ? rank : -rank, &comms[i]);
    for (int i = 0; i < splits; ++i) {
        if (comms[i] == MPI_COMM_NULL) continue;
        int sum = 0, one = 1, members;
        MPI_Comm_size(comms[i], &members);
        CHECK(laneway_allreduce_with("lane", &one, &sum, 1, MPI_INT, MPI_SUM, comms[i]) ==
              MPI_SUCCESS);
        CHECK(sum == members);
    }
    int data = rank == 0;
    CHECK(laneway_bcast_with("lane", &data, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(data == 1);
    for (int i = 0; i < splits; i += 5)
        if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
