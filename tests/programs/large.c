/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of more than 2^31 bytes: counts fit into an int, bytes do not. */
#include <laneway.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void broadcast(const char* algorithm, int count)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double* data = malloc(sizeof(double) * (size_t)count);
    CHECK(data);
    for (int i = 0; i < count; ++i) data[i] = rank == 1 ? i : -1;
    CHECK(laneway_bcast_with(algorithm, data, count, MPI_DOUBLE, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(strcmp(laneway_served_by(MPI_COMM_WORLD), algorithm) == 0);
    for (int i = 0; i < count; ++i) CHECK(data[i] == i);
    free(data);
}

static void allgather(const char* algorithm, int count)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double* all = malloc(sizeof(double) * (size_t)count * (size_t)size);
    CHECK(all);
    for (int block = 0; block < size; ++block)
        for (int i = 0; i < count; ++i)
            all[(size_t)block * (size_t)count + (size_t)i] = rank == block ? block + i : -1;
    CHECK(laneway_allgather_with(algorithm, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count,
                                 MPI_DOUBLE, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(strcmp(laneway_served_by(MPI_COMM_WORLD), algorithm) == 0);
    for (int block = 0; block < size; ++block)
        for (int i = 0; i < count; ++i)
            CHECK(all[(size_t)block * (size_t)count + (size_t)i] == block + i);
    free(all);
}

int main(int argc, char** argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    laneway_set_node(strcmp(argv[1], "one-node") == 0 ? 0 : rank);
    broadcast("lane", (1 << 28) + 3);
    allgather("lane", (1 << 27) + 3);
    MPI_Finalize();
    return 0;
}
