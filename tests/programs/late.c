/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 comes to each of 10 allreduces 20 ms after the others. Then there are 10 broadcasts in balance, and
 * 10 gathers of 40,000 bytes a process as a vector collective. A call itself takes 1 ms, and a barrier 30 ms.
 *
 * MPI's clock says so: it goes on by what it is told. It is looked at in pairs: before and after the barrier in which
 * all meet, then before and after the call. The first 8 calls and the 16th have one more barrier between the two.
 */
#include <mpi.h>

static int rank;

double PMPI_Wtime(void);
double PMPI_Wtime(void)
{
    enum { meeting, barrier, call };
    static double time;
    static int round = 1, part = meeting, ends;
    if (!ends) {
        ends = 1;
        return time;
    }
    ends = 0;
    if (part != call) time += 0.030;
    if (part == meeting && round <= 10 && rank != 0) time += 0.020;
    if (part == call) time += 0.001;
    if (part == meeting) {
        part = round <= 8 || round == 16 ? barrier : call;
    } else if (part == barrier) {
        part = call;
    } else {
        part = meeting;
        ++round;
    }
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
