/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: lengths COLLECTIVE INTS ODD [again|nonblocking|persistent]
 *
 * Rank 1 calls with ODD ints (a block), all others with INTS: the error that MPI reports ends the job. Where none is
 * reported, prints "unnoticed". With "again", errors return, and two calls of one length that follow are right. With
 * "nonblocking" or "persistent" the call is one of that form. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most = 1 << 18 };

static int rank, size;
static int *in, *out;

static int call(const char* collective, int ints, MPI_Comm comm)
{
    if (!strcmp(collective, "bcast"))
        return MPI_Bcast(rank == 0 ? in : out, ints, MPI_INT, 0, comm);
    if (!strcmp(collective, "reduce")) return MPI_Reduce(in, out, ints, MPI_INT, MPI_MAX, 0, comm);
    if (!strcmp(collective, "allreduce"))
        return MPI_Allreduce(in, out, ints, MPI_INT, MPI_MAX, comm);
    if (!strcmp(collective, "gather"))
        return MPI_Gather(in, ints, MPI_INT, out, ints, MPI_INT, 0, comm);
    if (!strcmp(collective, "scatter"))
        return MPI_Scatter(in, ints, MPI_INT, out, ints, MPI_INT, 0, comm);
    if (!strcmp(collective, "allgather"))
        return MPI_Allgather(in, ints, MPI_INT, out, ints, MPI_INT, comm);
    CHECK(!strcmp(collective, "alltoall"));
    return MPI_Alltoall(in, ints, MPI_INT, out, ints, MPI_INT, comm);
}

/* A call of the collectives in which a message is longer than another process has called for. */
static void call_later(const char* collective, int ints, int is_persistent)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int data = 0;
    /* Nonblocking calls are served once all have met. */
    for (int i = 0; i < 3; ++i)
        MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#define GIVEN_bcast rank == 0 ? in : out, ints, MPI_INT, 0, MPI_COMM_WORLD
#define GIVEN_gather in, ints, MPI_INT, out, ints, MPI_INT, 0, MPI_COMM_WORLD
#define GIVEN_scatter GIVEN_gather
#define GIVEN_alltoall in, ints, MPI_INT, out, ints, MPI_INT, MPI_COMM_WORLD
#define CALL(Name, name)                                                            \
    if (!strcmp(collective, #name)) {                                               \
        if (is_persistent)                                                          \
            INIT(Name)(GIVEN_##name, MPI_INFO_NULL, &request), MPI_Start(&request); \
        else                                                                        \
            MPI_I##name(GIVEN_##name, &request);                                    \
    }
    CALL(Bcast, bcast)
    CALL(Gather, gather)
    CALL(Scatter, scatter)
    CALL(Alltoall, alltoall)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is_persistent) MPI_Request_free(&request);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc > 3);
    const int ints = atoi(argv[2]), odd = atoi(argv[3]);
    CHECK(ints * size <= most && odd * size <= most);
    in = malloc(most * sizeof *in);
    out = malloc(most * sizeof *out);
    for (int i = 0; i < most; ++i) in[i] = i, out[i] = -1;
    if (argc > 4 && !strcmp(argv[4], "again")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        const int code = call(argv[1], rank == 1 ? odd : ints, MPI_COMM_WORLD);
        int its_class = MPI_SUCCESS;
        if (code != MPI_SUCCESS) MPI_Error_class(code, &its_class);
        CHECK(its_class == MPI_SUCCESS || its_class == MPI_ERR_TRUNCATE);
        for (int round = 1; round <= 2; ++round) {
            for (int i = 0; i < most; ++i) in[i] = i + 1000000 * round, out[i] = -1;
            CHECK(call(argv[1], odd, MPI_COMM_WORLD) == MPI_SUCCESS);
            for (int i = 0; i < odd && !(rank == 0 && !strcmp(argv[1], "bcast")); ++i)
                CHECK(out[i] == i + 1000000 * round);
        }
        MPI_Finalize();
        if (rank == 0) puts("right");
        return 0;
    }
    if (argc > 4)
        call_later(argv[1], rank == 1 ? odd : ints, !strcmp(argv[4], "persistent"));
    else
        call(argv[1], rank == 1 ? odd : ints, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) puts("unnoticed");
    MPI_Finalize();
    return 0;
}
