/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A type of the user's that was accepted once says nothing of a later one that has its handle. Broadcasts of
 * one that is committed, and, where that is freed, of one that is not. Prints what they return.
 */
#include <mpi.h>
#include <stdio.h>

static int class_of(int code)
{
    int class = 0;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char** argv)
{
    int rank, data[6] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

    MPI_Datatype committed, uncommitted;
    MPI_Type_contiguous(3, MPI_INT, &committed);
    MPI_Type_commit(&committed);
    for (int i = 0; i < 3; ++i)
        if (MPI_Bcast(data, 2, committed, 0, MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
    const MPI_Datatype earlier = committed;
    MPI_Type_free(&committed);
    /* Until the handle comes again: memory of Open MPI's types is the allocator's. */
    for (int i = 0; i < 1000; ++i) {
        MPI_Type_contiguous(3, MPI_INT, &uncommitted);
        if (uncommitted == earlier) break;
    }

    const int same = uncommitted == earlier;
    const int ours = class_of(MPI_Bcast(data, 2, uncommitted, 0, MPI_COMM_WORLD));
    const int natives = class_of(PMPI_Bcast(data, 2, uncommitted, 0, MPI_COMM_WORLD));
    if (rank == 0)
        printf("%s handle: %s\n", same ? "the same" : "another",
               ours == natives && ours != MPI_SUCCESS ? "rejected as natively" : "taken");
    MPI_Type_free(&uncommitted);
    MPI_Finalize();
    return 0;
}
