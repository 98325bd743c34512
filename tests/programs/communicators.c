/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: communicators N keep|free
 * N communicators with a broadcast each, freed at once or never. */
#include <laneway.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    laneway_set_node(rank / 2);

    const int communicators = atoi(argv[1]);
    const int keep = strcmp(argv[2], "keep") == 0;
    int by_lane = 0;
    for (int i = 0; i < communicators; ++i) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        int data[5] = {0};
        const int root = i % size;
        for (int j = 0; j < 5; ++j) data[j] = rank == root ? i + j : -1;
        CHECK(laneway_bcast_with("lane", data, 5, MPI_INT, root, comm) == MPI_SUCCESS);
        for (int j = 0; j < 5; ++j) CHECK(data[j] == i + j);
        by_lane += strcmp(laneway_served_by(comm), "lane") == 0;
        if (!keep) MPI_Comm_free(&comm);
    }
    CHECK(keep ? by_lane > 0 : by_lane == communicators);
    MPI_Finalize();
    if (rank == 0) printf("%d by lane\n", by_lane);
    return 0;
}
