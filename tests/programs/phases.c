/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that first spreads its input by broadcasts, then reduces often, on all processes and on those of a node.
 * The processes of a node are pairs of ranks.
 */
#include <mpi.h>
#include <unistd.h>

enum { NUMBERS = 10000 };
static double data[NUMBERS], sums[NUMBERS];

int main(int argc, char** argv)
{
    int rank;
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &node);
    for (int i = 0; i < 3; ++i) MPI_Bcast(data, NUMBERS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 20; ++i) {
        usleep(1000);
        MPI_Allreduce(data, sums, NUMBERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(data, sums, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgather(data, 100, MPI_DOUBLE, sums, 100, MPI_DOUBLE, node);
    }
    MPI_Comm_free(&node);
    MPI_Finalize();
    return 0;
}
