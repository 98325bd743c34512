/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: restarts BYTES
 *
 * Persistent collectives of so many bytes from one process to another, started again and again. Prints a line for each,
 * "NAME LANEWAY OTHERS". These are the requests for memory from its start to its end once that is nothing new, on all
 * ranks together. Under allocations.c. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

extern void count_allocations(int yes, int* ours, int* others) __attribute__((weak));

/* 128 messages, of any length, hold all that comes once in a while (Flow). */
enum { warm = 150, rounds = 150 };

static void restart(const char* name, MPI_Request request)
{
    int before[2], after[2], all[2], rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count_allocations(0, &before[0], &before[1]);
    for (int round = 0; round < warm + rounds; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        count_allocations(round >= warm, &after[0], &after[1]);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        count_allocations(0, &after[0], &after[1]);
    }
    MPI_Request_free(&request);
    for (int i = 0; i < 2; ++i) after[i] -= before[i];
    MPI_Reduce(after, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s %d %d\n", name, all[0], all[1]);
}

int main(int argc, char** argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int bytes = argc > 1 ? atoi(argv[1]) : 8, doubles = bytes / (int)sizeof(double);
    char *const in = calloc((size_t)size, (size_t)bytes), *const out =
                                                              calloc((size_t)size, (size_t)bytes);
    MPI_Request request;
    CHECK(count_allocations && in && out);
    MPI_Barrier(MPI_COMM_WORLD); /* the first call of a communicator may be the library's */
#define RESTART(name, Name, ...)                                      \
    INIT(Name)(__VA_ARGS__, MPI_COMM_WORLD, MPI_INFO_NULL, &request); \
    restart(name, request)
    RESTART("bcast", Bcast, in, doubles, MPI_DOUBLE, 0);
    RESTART("reduce", Reduce, in, out, doubles, MPI_DOUBLE, MPI_SUM, 0);
    RESTART("allreduce", Allreduce, in, out, doubles, MPI_DOUBLE, MPI_SUM);
    RESTART("scan", Scan, in, out, doubles, MPI_DOUBLE, MPI_SUM);
    RESTART("allgather", Allgather, in, doubles, MPI_DOUBLE, out, doubles, MPI_DOUBLE);
    RESTART("alltoall", Alltoall, in, doubles, MPI_DOUBLE, out, doubles, MPI_DOUBLE);
    RESTART("gather", Gather, in, doubles, MPI_DOUBLE, out, doubles, MPI_DOUBLE, 0);
    INIT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    restart("barrier", request);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
