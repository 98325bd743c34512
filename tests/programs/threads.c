/* SPDX-License-Identifier: BSD-3-Clause */
/* Four threads, each in collectives on a communicator of its own. With LANEWAY_PRELOADED the program
 * knows nothing of Laneway, and its first collectives are made by all threads at once. */
#ifdef LANEWAY_PRELOADED
#include <mpi.h>
#define laneway_bcast_with(algorithm, ...) MPI_Bcast(__VA_ARGS__)
#define laneway_allreduce_with(algorithm, ...) MPI_Allreduce(__VA_ARGS__)
#define laneway_served_by(comm) "lane"
#define laneway_set_node(node) (void)(node)
#else
#include <laneway.h>
#endif
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { threads = 4, rounds = 50, count = 100 };

static void* work(void* argument)
{
    const MPI_Comm comm = *(MPI_Comm*)argument;
    int rank, size, data[count], sums[count];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int round = 0; round < rounds; ++round) {
        const int root = round % size;
        for (int i = 0; i < count; ++i) data[i] = rank == root ? round + i : -1;
        CHECK(laneway_bcast_with("lane", data, count, MPI_INT, root, comm) == MPI_SUCCESS);
        CHECK(strcmp(laneway_served_by(comm), "lane") == 0);
        for (int i = 0; i < count; ++i) CHECK(data[i] == round + i);
        CHECK(laneway_allreduce_with("lane", data, sums, count, MPI_INT, MPI_SUM, comm) ==
              MPI_SUCCESS);
        for (int i = 0; i < count; ++i) CHECK(sums[i] == size * (round + i));
    }
    return NULL;
}

int main(int argc, char** argv)
{
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < MPI_THREAD_MULTIPLE) {
        if (rank == 0) puts("no MPI_THREAD_MULTIPLE");
        MPI_Finalize();
        return 0;
    }
    laneway_set_node(rank / 2);
    MPI_Comm comms[threads];
    pthread_t workers[threads];
    for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < threads; ++i) pthread_create(&workers[i], NULL, work, &comms[i]);
    for (int i = 0; i < threads; ++i) pthread_join(workers[i], NULL);
    for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
