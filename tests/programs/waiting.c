/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nonblocking and persistent collectives, and collectives of neighbours. All functions that end requests end them, some
 * together with messages. MPI's clock goes on by 1 ms whenever it is looked at. So a call that is timed takes 1 ms, any
 * other none. At the end each process says in a file of its own how many ms each collective has taken, as
 * `iallreduce 20`.
 */
#include <mpi.h>
#include <stdio.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define ALLREDUCE_INIT MPIX_Allreduce_init
#else
#define ALLREDUCE_INIT MPI_Allreduce_init
#endif

enum { NUMBERS = 1000, MOST = 8 };
static MPI_Status statuses[4];
static int in[MOST * NUMBERS], out[MOST * NUMBERS], others[MOST * NUMBERS];

/* After so many looks an operation begins, as if another thread began it. */
static int looks_until_next;
static MPI_Request next;

double PMPI_Wtime(void);
double PMPI_Wtime(void)
{
    static double time;
    const double now = time += 0.001;
    if (looks_until_next > 0 && --looks_until_next == 0)
        MPI_Iexscan(in, others, NUMBERS, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &next);
    return now;
}

static double iallreduce(int size)
{
    MPI_Request request;
    (void)size;
    for (int i = 0; i < 10; ++i) {
        MPI_Iallreduce(in, out, NUMBERS, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return 20;
}

/* Two collectives and two messages wait together: the time is that of the collectives, in equal parts. */
static double ibcast_and_iallgather(int size)
{
    MPI_Request all[4];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; ++i) {
        MPI_Irecv(others, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, all);
        MPI_Isend(in, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, all + 1);
        MPI_Ibcast(in, NUMBERS, MPI_INT, 0, MPI_COMM_WORLD, all + 2);
        MPI_Iallgather(in, NUMBERS, MPI_INT, out, NUMBERS, MPI_INT, MPI_COMM_WORLD, all + 3);
        MPI_Waitall(4, all, statuses);
    }
    return 7.5; /* each */
}

static double ialltoall(int size)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL};
    (void)size;
    int index, waits = 0;
    for (int i = 0; i < 3; ++i) {
        MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, request + 1);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 3; ++i) {
        MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, request);
        for (int done = 0; !done; ++waits) MPI_Waitsome(1, request, &done, &index, statuses);
    }
    return 9 + waits;
}

static double ireduce(int size)
{
    MPI_Request request;
    (void)size;
    int index, done, looks = 0;
#define UNTIL_DONE(look)                                                          \
    MPI_Ireduce(in, out, NUMBERS, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD, &request); \
    for (done = 0, ++looks; !done; ++looks) look
    UNTIL_DONE(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    UNTIL_DONE(MPI_Testall(1, &request, &done, statuses));
    UNTIL_DONE(MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE));
    UNTIL_DONE(MPI_Testsome(1, &request, &done, &index, statuses));
    return looks;
}

/* The one begins when the other has ended, and the time of waiting for that is not counted yet. Its request may have
 * the same handle. */
static double iscan_and_iexscan(void)
{
    MPI_Request request;
    for (int i = 0; i < 5; ++i) {
        MPI_Iscan(in, out, NUMBERS, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        looks_until_next = 2;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&next, MPI_STATUS_IGNORE);
    }
    return 10; /* each */
}

/* Starts are what is timed, together or each by itself. */
static double allreduce_init(void)
{
    MPI_Request both[2];
    for (int i = 0; i < 2; ++i)
        ALLREDUCE_INIT(in, i ? others : out, NUMBERS, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                       MPI_INFO_NULL, both + i);
    for (int i = 0; i < 10; ++i) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, statuses);
    }
    for (int i = 0; i < 3; ++i) {
        MPI_Start(both);
        MPI_Wait(both, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; ++i) MPI_Request_free(both + i);
    return 26;
}

static void of_neighbors(int size)
{
    const int whole = 1;
    MPI_Comm ring;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &whole, 0, &ring);
    for (int i = 0; i < 4; ++i) MPI_Neighbor_allgather(in, 3, MPI_INT, out, 3, MPI_INT, ring);
    for (int i = 0; i < 4; ++i) {
        MPI_Ineighbor_alltoall(in, 3, MPI_INT, out, 3, MPI_INT, ring, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&ring);
}

int main(int argc, char** argv)
{
    int size, rank;
    char name[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s%d", argv[1], rank);
    FILE* const out_of_rank = fopen(name, "w");
    if (!out_of_rank) return 1;
    const double together = ibcast_and_iallgather(size);
    fprintf(out_of_rank, "ibcast %g\niallgather %g\n", together, together);
    fprintf(out_of_rank, "iallreduce %g\nialltoall %g\nireduce %g\n", iallreduce(size),
            ialltoall(size), ireduce(size));
    const double in_turn = iscan_and_iexscan();
    fprintf(out_of_rank, "iscan %g\niexscan %g\n", in_turn, in_turn);
    fprintf(out_of_rank, "allreduce_init %g\n", allreduce_init());
    of_neighbors(size);
    fprintf(out_of_rank, "neighbor_allgather 4\nineighbor_alltoall 8\n");
    fclose(out_of_rank);
    MPI_Finalize();
    return 0;
}
