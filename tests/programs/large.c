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

/* From a root whose data are one element with a gap to ranks where they are many without, and back. */
static void broadcast_one_element(const char* algorithm, int count, int root)
{
    int rank;
    const int block = count / 2, gap = 1, with_gap = 0;
    MPI_Datatype element;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(2, block, block + gap, MPI_DOUBLE, &element);
    MPI_Type_commit(&element);
    double* data = malloc(sizeof(double) * (size_t)(2 * block + gap));
    CHECK(data);
    double* const second = data + block + (rank == with_gap ? gap : 0);
    data[block] = -2;
    for (int i = 0; i < block; ++i) {
        data[i] = rank == root ? i : -1;
        second[i] = rank == root ? block + i : -1;
    }
    CHECK((rank == with_gap ? laneway_bcast_with(algorithm, data, 1, element, root, MPI_COMM_WORLD)
                            : laneway_bcast_with(algorithm, data, 2 * block, MPI_DOUBLE, root,
                                                 MPI_COMM_WORLD)) == MPI_SUCCESS);
    CHECK(strcmp(laneway_served_by(MPI_COMM_WORLD), algorithm) == 0);
    for (int i = 0; i < block; ++i) CHECK(data[i] == i && second[i] == block + i);
    CHECK(rank != with_gap || data[block] == -2);
    MPI_Type_free(&element);
    free(data);
}

int main(int argc, char** argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    laneway_set_node(strcmp(argv[1], "one-node") == 0 ? 0 : rank);
    if (strcmp(argv[1], "one-element") == 0) {
        broadcast_one_element("lane", (1 << 28) + 4, 0);
        broadcast_one_element("lane", (1 << 28) + 4, 1);
    } else {
        broadcast("lane", (1 << 28) + 3);
        allgather("lane", (1 << 27) + 3);
    }
    MPI_Finalize();
    return 0;
}
