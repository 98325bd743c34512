/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 comes 20 ms late to each of 10 allreduces; then 10 broadcasts in balance, and 10 gathers of
 * 40,000 bytes a process as a vector collective. */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <time.h>

int main(int argc, char** argv)
{
    static int data[10000], all[8 * 10000], counts[8], starts[8];
    const struct timespec pause = {0, 20 * 1000 * 1000};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; ++i) {
        if (rank == 0) nanosleep(&pause, NULL);
        MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 10; ++i) MPI_Bcast(data, 10000, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 8; ++i) counts[i] = 10000, starts[i] = i * 10000;
    for (int i = 0; i < 10; ++i)
        MPI_Gatherv(data, 10000, MPI_INT, all, counts, starts, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
