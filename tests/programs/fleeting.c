/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: fleeting N
 *
 * N communicators, one after the other, with nothing but a small broadcast each, which keeps its root
 * waiting for nobody; freed and disconnected in turn. */
#include <stdlib.h>

#include "check.h"

int main(int argc, char** argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < atoi(argv[1]); ++i) {
        int data = rank == 0 ? i : -1;
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        CHECK(MPI_Bcast(&data, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
        CHECK(data == i);
        if (i % 2)
            MPI_Comm_free(&comm);
        else
            MPI_Comm_disconnect(&comm);
    }
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
