/* SPDX-License-Identifier: BSD-3-Clause */
/* A communicator's first call has an argument on rank 0 alone that only the library can tell to be wrong. No other
 * process is in a call: rank 0 is told so, and nothing is left that waits for the others. */
#include "check.h"

enum { size = 64 };

static int bcast(MPI_Comm comm, MPI_Datatype uncommitted)
{
    double data = 0;
    return MPI_Bcast(&data, 1, uncommitted, 0, comm);
}

static int allreduce(MPI_Comm comm, MPI_Datatype uncommitted)
{
    double data = 0, result;
    (void)uncommitted;
    return MPI_Allreduce(&data, &result, 1, MPI_DOUBLE, MPI_BAND, comm);
}

static int allgatherv(MPI_Comm comm, MPI_Datatype uncommitted)
{
    double data = 0, all[size];
    int counts[size], displacements[size];
    for (int i = 0; i < size; ++i) counts[i] = 1, displacements[i] = i;
    return MPI_Allgatherv(&data, 1, uncommitted, all, counts, displacements, MPI_DOUBLE, comm);
}

static int reduce_scatter(MPI_Comm comm, MPI_Datatype uncommitted)
{
    double data[size] = {0}, result;
    int counts[size];
    (void)uncommitted;
    for (int i = 0; i < size; ++i) counts[i] = 1;
    return MPI_Reduce_scatter(data, &result, counts, MPI_DOUBLE, MPI_BAND, comm);
}

int main(int argc, char** argv)
{
    static int (*const calls[])(MPI_Comm, MPI_Datatype) = {bcast, allreduce, allgatherv,
                                                           reduce_scatter};
    int rank;
    MPI_Datatype uncommitted;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(1, MPI_DOUBLE, &uncommitted);
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (rank == 0) CHECK(calls[i](comm, uncommitted) != MPI_SUCCESS);
        MPI_Comm_free(&comm);
    }
    MPI_Type_free(&uncommitted);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
