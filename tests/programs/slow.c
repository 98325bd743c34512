/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 10 allreduces take 3 ms each, 10 broadcasts 2 ms on rank 0, and no time elsewhere. 10 gathers as a vector
 * collective take 1 ms on rank 0.
 *
 * MPI's clock says so: it goes on by what it is told. Laneway looks at it when a call begins and when it
 * ends.
 */
#include <mpi.h>

static double takes;

double PMPI_Wtime(void);
double PMPI_Wtime(void)
{
    static double time;
    static int looks;
    if (looks++ % 2) time += takes;
    return time;
}

int main(int argc, char** argv)
{
    static int data[10000], all[8 * 10000], counts[8], starts[8];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    takes = 0.003;
    for (int i = 0; i < 10; ++i)
        MPI_Allreduce(MPI_IN_PLACE, data, 10000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    takes = rank == 0 ? 0.002 : 0;
    for (int i = 0; i < 10; ++i) MPI_Bcast(data, 10000, MPI_INT, 0, MPI_COMM_WORLD);
    takes = rank == 0 ? 0.001 : 0;
    for (int i = 0; i < 8; ++i) counts[i] = 10000, starts[i] = i * 10000;
    for (int i = 0; i < 10; ++i)
        MPI_Gatherv(data, 10000, MPI_INT, all, counts, starts, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
