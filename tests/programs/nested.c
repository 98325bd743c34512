/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions whose operator makes a collective, as libraries do inside theirs. Prints `right`. */
#include <laneway.h>

#include "check.h"

static void sum(void* in, void* inout, int* length, MPI_Datatype* type)
{
    (void)type;
    int data = 0;
    CHECK(laneway_bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF) == MPI_SUCCESS);
    for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(void)
{
    int rank, size, one[64], all[64];
    MPI_Op op;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(sum, 1, &op);
    for (int i = 0; i < 64; ++i) one[i] = 1;
    CHECK(laneway_allreduce(one, all, 64, MPI_INT, op, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(laneway_allreduce_with("lane", one, all, 64, MPI_INT, op, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < 64; ++i) CHECK(all[i] == size);
    MPI_Op_free(&op);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
