/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads duplicate communicators of their own at once, without waiting, with collectives beside it and on the
 * copies. Prints who serves on MPI_COMM_WORLD then. */
#include <laneway.h>
#include <pthread.h>

#include "check.h"

enum { THREADS = 2, ROUNDS = 6 };

static int rank, size;

static void sum(MPI_Comm comm)
{
    int mine = rank + 1, result = -1;
    CHECK(MPI_Allreduce(&mine, &result, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    CHECK(result == size * (size + 1) / 2);
}

static void* duplicate(void* argument)
{
    const MPI_Comm comm = *(MPI_Comm*)argument;
    for (int round = 0; round < ROUNDS; ++round) {
        MPI_Comm copy;
        MPI_Request request;
        MPI_Comm_idup(comm, &copy, &request);
        sum(comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum(copy);
        MPI_Comm_free(&copy);
    }
    return NULL;
}

int main(int argc, char** argv)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Comm comms[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, duplicate, &comms[i]);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&comms[i]);
    sum(MPI_COMM_WORLD);
    if (rank == 0) puts(laneway_served_by(MPI_COMM_WORLD));
    MPI_Finalize();
    return 0;
}
