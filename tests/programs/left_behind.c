/* SPDX-License-Identifier: BSD-3-Clause */
/* The root of many short broadcasts to rank 1, which is late, frees their communicator and goes on with rank 2. Only
 * then does it send what rank 1 waits for before it comes to its broadcasts. Legal, as broadcasts and frees wait for
 * nobody here. */
#include <mpi.h>
#include <stdio.h>

#include "check.h"

enum {
    calls = 200
}; /* so many of 8 bytes that some are sent from copies, and so few that none waits */

static MPI_Comm with(int other, int rank)
{
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank == other ? 0 : MPI_UNDEFINED, rank, &pair);
    return pair;
}

static void broadcast(MPI_Comm pair, int times)
{
    for (int i = 0; i < times; ++i) {
        double data = i;
        MPI_Bcast(&data, 1, MPI_DOUBLE, 0, pair);
        CHECK(data == i);
    }
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm first = with(1, rank), second = with(2, rank);
    if (first != MPI_COMM_NULL) broadcast(first, 1); /* all wait in it, and in none later */
    if (second != MPI_COMM_NULL) broadcast(second, 1);
    if (rank == 1) MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (first != MPI_COMM_NULL) {
        broadcast(first, calls);
        MPI_Comm_free(&first);
    }
    if (second != MPI_COMM_NULL) {
        broadcast(second, 1);
        MPI_Comm_free(&second);
    }
    if (rank == 0) {
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        puts("right");
    }
    MPI_Finalize();
    return 0;
}
