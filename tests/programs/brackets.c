/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In which brackets MPI_Reduce to rank 1 adds doubles up, as a number: sums of large and small ones
 * differ by that. For each count on the command line: on all processes, on all but the last, and by
 * an operator of the program's own.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(void* in, void* inout, int* count, MPI_Datatype* type)
{
    (void)type;
    for (int i = 0; i < *count; i++) ((double*)inout)[i] += ((double*)in)[i];
}

static void show(const char* what, int count, MPI_Op op, MPI_Comm comm)
{
    double* in = malloc(sizeof(double) * (size_t)count);
    double* out = malloc(sizeof(double) * (size_t)count);
    const double values[] = {1e16, 1, -1e16, 3, 1e8, -1e8, 0.1};
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < count; i++) in[i] = values[(rank * (i % 5 + 1) + i / 5) % 7];
    MPI_Reduce(in, out, count, MPI_DOUBLE, op, 1, comm);
    uint64_t digest = 0;
    for (int i = 0; i < count && rank == 1; i++) {
        uint64_t bits;
        memcpy(&bits, &out[i], sizeof bits);
        digest = 31 * digest + bits;
    }
    if (rank == 1) printf("%s %d %llx\n", what, count, (unsigned long long)digest);
    if (rank == 1) fflush(stdout);
    free(in);
    free(out);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm fewer;
    MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &fewer);
    MPI_Op own;
    MPI_Op_create(add, 1, &own);
    for (int i = 1; i < argc; i++) {
        const int count = atoi(argv[i]);
        show("all", count, MPI_SUM, MPI_COMM_WORLD);
        show("own", count, own, MPI_COMM_WORLD);
        if (rank != size - 1) show("fewer", count, MPI_SUM, fewer);
    }
    MPI_Op_free(&own);
    MPI_Comm_free(&fewer);
    MPI_Finalize();
    return 0;
}
