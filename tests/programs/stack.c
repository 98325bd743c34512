/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: stack
 * A thread makes the process's first collectives. Says how much of its stack they took at most, on any
 * rank: what lies below is painted beforehand and looked at afterwards. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { size_of_stack = 1 << 20, count = 10, paint = 0xa5 };

static char* stack;

static __attribute__((noinline)) void make_collectives(void)
{
    int rank, data[count] = {0}, sums[count];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < count; ++i) data[i] = rank == 1 ? i : -1;
    CHECK(MPI_Bcast(data, count, MPI_INT, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(data, sums, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < count; ++i) CHECK(sums[i] == i);
    CHECK(MPI_Reduce(data, sums, count, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
}

static void* measure(void* used)
{
    char here;
    enum { spare = 512 }; /* bytes for this function and for memset */
    memset(stack, paint, (size_t)(&here - stack - spare));
    make_collectives();
    const char* deepest = stack;
    while (deepest < &here && *deepest == (char)paint) ++deepest;
    *(int*)used = (int)(&here - deepest);
    return NULL;
}

int main(int argc, char** argv)
{
    int rank, used = 0, most = 0, provided;
    pthread_t thread;
    pthread_attr_t attributes;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    if (posix_memalign((void**)&stack, 4096, size_of_stack) != 0) return 1;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, size_of_stack);
    CHECK(pthread_create(&thread, &attributes, measure, &used) == 0);
    pthread_join(thread, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(&used, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d bytes of stack\n", most);
    MPI_Finalize();
    return 0;
}
