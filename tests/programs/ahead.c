/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: ahead [together]
 *
 * A root runs ahead of its small broadcasts, as libraries let it. Rank 1 enters the first one only when rank 0 has left
 * the last; with "together", it need not. The communicators are kept, freed and disconnected; then all meet. */
#include "check.h"

enum { broadcasts = 3, count = 10 };

static void broadcast(MPI_Comm comm, int rank)
{
    int data[count];
    for (int round = 0; round < broadcasts; ++round) {
        for (int i = 0; i < count; ++i) data[i] = rank == 0 ? round + i : -1;
        CHECK(MPI_Bcast(data, count, MPI_INT, 0, comm) == MPI_SUCCESS);
        for (int i = 0; i < count; ++i) CHECK(data[i] == round + i);
    }
}

static int together;

static void broadcast_ahead(MPI_Comm comm, int rank)
{
    int token = 0;
    if (rank == 1 && !together)
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    broadcast(comm, rank);
    if (rank == 0 && !together) MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

/* The library's own requests are matched as well, after ours. */
static void overlap(MPI_Comm comm, int rank, int size)
{
    int data = rank == 0 ? 7 : -1, sum = 0;
    MPI_Request requests[2];
    MPI_Ibcast(&data, 1, MPI_INT, 0, comm, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK(data == 7);
    CHECK(sum == size * (size - 1) / 2);
}

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    together = argc > 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    broadcast_ahead(MPI_COMM_WORLD, rank);

    enum { kept, freed, disconnected, met, comms };
    MPI_Comm comm[comms];
    for (int i = 0; i < comms; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        broadcast_ahead(comm[i], rank);
        overlap(comm[i], rank, size);
    }
    MPI_Comm_free(&comm[freed]);
    MPI_Comm_disconnect(&comm[disconnected]);
    for (int round = 0; round < broadcasts; ++round) {
        int sum = 0;
        CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm[met]) == MPI_SUCCESS);
        CHECK(sum == size * (size - 1) / 2);
        broadcast(comm[met], rank);
    }
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
