/* SPDX-License-Identifier: BSD-3-Clause */
/* One buffer for input and result, on rank 0 alone. A library that was told not to look at arguments takes
 * it, and so the others must not be left alone. */
#include "check.h"

enum { count = 100 };

int main(int argc, char** argv)
{
    int rank, input[count], result[count];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < count; ++i) input[i] = 1;
        MPI_Allreduce(input, rank == 0 ? input : result, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
