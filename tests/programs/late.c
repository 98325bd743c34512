/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 comes to each of 10 allreduces 20 ms after the others. Then there are 10 broadcasts in balance, and
 * 10 gathers of 40,000 bytes a process as a vector collective. A call itself takes 1 ms.
 *
 * MPI's clock says so: it goes on by what it is told. Three looks at it make a round: before a call,
 * when all have come to it, and after it.
 */
#include <mpi.h>

static int rank;

double PMPI_Wtime(void);
double PMPI_Wtime(void)
{
    static double time;
    static int looks;
    const int round = looks / 3, look = looks++ % 3;
    if (look == 1 && round < 10 && rank != 0) time += 0.020;
    if (look == 2) time += 0.001;
    return time;
}

int main(int argc, char** argv)
{
    static int data[10000], all[8 * 10000], counts[8], starts[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; ++i)
        MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 10; ++i) MPI_Bcast(data, 10000, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 8; ++i) counts[i] = 10000, starts[i] = i * 10000;
    for (int i = 0; i < 10; ++i)
        MPI_Gatherv(data, 10000, MPI_INT, all, counts, starts, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
