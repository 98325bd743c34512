/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of one element by an operator that takes it for granted that there is one. It ignores the length it is
 * called with, as the operators of ScaLAPACK's BLACS do. Prints `right`. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int other_lengths; /* calls with another length than 1 */

static void sum_of_one(void* in, void* inout, int* length, MPI_Datatype* type)
{
    (void)type;
    if (*length != 1) ++other_lengths;
    if (*length == 1) *(int*)inout += *(int*)in;
}

static void expect(int holds, const char* what)
{
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

int main(void)
{
    int rank, size;
    MPI_Op op;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(sum_of_one, 1, &op);

    const int mine = rank + 1, all = size * (size + 1) / 2;
    int result = 0;
    MPI_Allreduce(&mine, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    expect(result == all, "allreduce is wrong");
    for (int root = 0; root < size; ++root) {
        MPI_Reduce(&mine, &result, 1, MPI_INT, op, root, MPI_COMM_WORLD);
        expect(rank != root || result == all, "reduce is wrong");
    }
    MPI_Scan(&mine, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    expect(result == mine * (mine + 1) / 2, "scan is wrong");
    MPI_Exscan(&mine, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    expect(rank == 0 || result == rank * (rank + 1) / 2, "exscan is wrong");
    expect(other_lengths == 0, "the operator was called on something else than one element");

    MPI_Op_free(&op);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
