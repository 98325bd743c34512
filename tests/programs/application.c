/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of Laneway, in the common subset of C and C++:
 * 3 broadcasts, 2 allreduces and 1 allgather a process. Compiled with WITH_THREADS, it starts MPI by
 * MPI_Init_thread; with LARGE_COUNTS, it calls the functions of MPI 4 that end in _c. */
#include "check.h"

#ifdef LARGE_COUNTS
#if MPI_VERSION < 4
#error no large counts
#endif
#define MPI_Bcast MPI_Bcast_c
#define MPI_Allreduce MPI_Allreduce_c
#define MPI_Allgather MPI_Allgather_c
#endif

int main(int argc, char** argv)
{
    int rank, size, data[100], sums[100], all[6400];
#ifdef WITH_THREADS
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#else
    MPI_Init(&argc, &argv);
#endif
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int root = 0; root < 3; ++root) {
        for (int i = 0; i < 100; ++i) data[i] = rank == root % size ? root + i : -1;
        MPI_Bcast(data, 100, MPI_INT, root % size, MPI_COMM_WORLD);
        for (int i = 0; i < 100; ++i) CHECK(data[i] == root + i);
    }
    for (int i = 0; i < 100; ++i) data[i] = rank + i;
    MPI_Allreduce(data, sums, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 100; ++i) CHECK(sums[i] == size * (size - 1) / 2 + size * i);
    MPI_Allreduce(MPI_IN_PLACE, sums, 100, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allgather(data, 100, MPI_INT, all, 100, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 100 * size; ++i) CHECK(all[i] == i / 100 + i % 100);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
