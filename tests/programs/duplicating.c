/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: duplicating same|other|first
 *
 * Collectives while MPI_Comm_idup is under way. They are on the same communicator, or on another one before some
 * process has begun to duplicate MPI_COMM_WORLD. With "first", nothing at all was called before. Later ones are served.
 * Prints who served the last one. */
#ifdef WITHOUT_LANEWAY
#define laneway_served_by(comm) "native"
#else
#include <laneway.h>
#endif
#include <string.h>

#include "check.h"

enum { ROUNDS = 6 };

static int rank, size;

static void sum(MPI_Comm comm)
{
    int mine = rank + 1, result = -1;
    CHECK(MPI_Allreduce(&mine, &result, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    CHECK(result == size * (size + 1) / 2);
}

static void sums(MPI_Comm comm)
{
    for (int call = 0; call < 4; ++call) sum(comm);
}

static void end(MPI_Comm comm, MPI_Comm copy, MPI_Request* request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    sums(comm);
    sums(copy);
    CHECK(strcmp(laneway_served_by(copy), laneway_served_by(comm)) == 0);
    MPI_Comm_free(&copy);
}

static void same(void)
{
    for (int round = 0; round < ROUNDS; ++round) {
        MPI_Comm comm, copy;
        MPI_Request request;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_idup(comm, &copy, &request);
        sums(comm);
        end(comm, copy, &request);
        MPI_Comm_free(&comm);
    }
}

static void other(void)
{
    for (int round = 0; round < ROUNDS; ++round) {
        MPI_Comm comm, copy;
        MPI_Request request;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (rank == 0) MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
        sums(comm);
        if (rank != 0) MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
        end(MPI_COMM_WORLD, copy, &request);
        sums(comm);
        MPI_Comm_free(&comm);
    }
}

static void first(void)
{
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    sums(MPI_COMM_WORLD);
    end(MPI_COMM_WORLD, copy, &request);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 2 && size > 1);
    if (strcmp(argv[1], "same") == 0)
        same();
    else if (strcmp(argv[1], "other") == 0)
        other();
    else
        first();
    sum(MPI_COMM_WORLD);
    if (rank == 0) puts(laneway_served_by(MPI_COMM_WORLD));
    MPI_Finalize();
    return 0;
}
