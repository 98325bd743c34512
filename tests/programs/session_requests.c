/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: session_requests N [world]
 *
 * N sessions in a row, without MPI_Init or, with "world", beside what that has begun. Each has nonblocking and
 * persistent collectives on communicators of its own. Some of the persistent ones outlive their communicator, and one
 * is never freed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
/* GCC takes MPICH's MPI_STATUSES_IGNORE for a place that is too small. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

#ifdef MPI_SESSION_NULL
enum { length = 1000, rounds = 5 };

static int rank, size;

static void fill(int* data, int value)
{
    for (int i = 0; i < length; ++i) data[i] = value + i;
}

static void check_sums(const int* sums, int times)
{
    for (int i = 0; i < length; ++i) CHECK(sums[i] == size * (size - 1) / 2 + size * (i + times));
}

static void restart(MPI_Request* requests, int count, int* data, const int* sums)
{
    for (int round = 0; round < rounds; ++round) {
        fill(data, rank + round);
        MPI_Startall(count, requests);
        CHECK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        check_sums(sums, round);
    }
}

static void on(MPI_Comm comm)
{
    static int data[length], sums[length], kept_sums[length];
    MPI_Request requests[2], kept[2];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Barrier(comm);
    fill(data, rank);
    MPI_Iallreduce(data, sums, length, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibarrier(comm, &requests[1]);
    CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    check_sums(sums, 0);
    for (int i = 0; i < 2; ++i)
        MPI_Allreduce_init(data, i == 0 ? kept_sums : sums, length, MPI_INT, MPI_SUM, comm,
                           MPI_INFO_NULL, &kept[i]);
    restart(kept, 2, data, sums);
    MPI_Comm_free(&comm);
    restart(kept, 2, data, kept_sums);
    CHECK(MPI_Request_free(&kept[1]) == MPI_SUCCESS);
}

int main(int argc, char** argv)
{
    const int is_beside_world = argc > 2;
    if (is_beside_world) MPI_Init(&argc, &argv);
    for (int left = argc > 1 ? atoi(argv[1]) : 1; left > 0; --left) {
        MPI_Session session;
        MPI_Group group;
        MPI_Comm comm;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "laneway.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                   &comm);
        MPI_Group_free(&group);
        on(comm);
        CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
    }
    if (is_beside_world) MPI_Finalize();
    if (rank == 0) puts("done");
    return 0;
}
#else
int main(void)
{
    puts("no sessions");
    return 0;
}
#endif
