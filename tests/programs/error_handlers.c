/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread makes the first collective of a communicator, for which Laneway splits it. Meanwhile another one
 * makes errors on it: each of them must reach the program's handler, once. */
#include <laneway.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

static atomic_int handled, finished;

static void handle(MPI_Comm* comm, int* code, ...)
{
    (void)comm, (void)code;
    ++handled;
}

static void* make_errors(void* argument)
{
    const MPI_Comm comm = *(MPI_Comm*)argument;
    int errors = 0, data = 0;
    while (!finished || errors < 10) {
        CHECK(MPI_Send(&data, 1, MPI_INT, -77, 0, comm) != MPI_SUCCESS);
        ++errors;
    }
    CHECK(handled == errors);
    return NULL;
}

int main(int argc, char** argv)
{
    int provided, rank;
    MPI_Errhandler handler, current;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    laneway_set_node(rank / 2);
    MPI_Comm_create_errhandler(handle, &handler);
    for (int round = 0; provided == MPI_THREAD_MULTIPLE && round < 20; ++round) {
        pthread_t other;
        MPI_Comm comm;
        int data = rank == 0 ? round : -1;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, handler);
        handled = finished = 0;
        pthread_create(&other, NULL, make_errors, &comm);
        CHECK(laneway_bcast_with("lane", &data, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
        CHECK(data == round);
        finished = 1;
        pthread_join(other, NULL);
        MPI_Comm_get_errhandler(comm, &current);
        CHECK(current == handler);
        MPI_Errhandler_free(&current);
        MPI_Comm_free(&comm);
    }
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
