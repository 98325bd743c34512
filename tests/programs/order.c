/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: order
 *
 * Reduces to and broadcasts from every root, on a communicator in which rank r of MPI_COMM_WORLD is rank 3 r modulo
 * their number. The reduction puts rows of ranks together. Prints, a line a root, the row that comes out: it shows in
 * which order the algorithm has taken the ranks. */
#include <laneway.h>
#include <string.h>

#include "check.h"

enum { most = 63 };

struct row {
    int length;
    int ranks[most];
};

static void join(void* left, void* inout, int* count, MPI_Datatype* type)
{
    (void)type;
    for (int i = 0; i < *count; ++i) {
        struct row joined = ((struct row*)left)[i];
        struct row* const right = (struct row*)inout + i;
        CHECK(joined.length + right->length <= most);
        memcpy(joined.ranks + joined.length, right->ranks, (size_t)right->length * sizeof(int));
        joined.length += right->length;
        *right = joined;
    }
}

int main(int argc, char** argv)
{
    int world_rank, rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= most && size % 3 != 0);
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 3 * world_rank % size, &comm);
    MPI_Comm_rank(comm, &rank);
    CHECK(rank == 3 * world_rank % size);

    MPI_Datatype type;
    MPI_Op op;
    MPI_Type_contiguous(1 + most, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(join, 1, &op); /* said to commute, so that any order will do */
    for (int root = 0; root < size; ++root) {
        const struct row mine = {1, {rank}};
        struct row all = {0, {0}};
        CHECK(laneway_reduce(&mine, &all, 1, type, op, root, comm) == MPI_SUCCESS);
        CHECK(rank != root || all.length == size);
        CHECK(laneway_bcast(&all, 1, type, root, comm) == MPI_SUCCESS);
        CHECK(all.length == size);
        int sum = 0;
        for (int i = 0; i < size; ++i) sum += all.ranks[i];
        CHECK(sum == size * (size - 1) / 2);
        for (int i = 0; i < size && world_rank == 0; ++i)
            printf("%d%c", all.ranks[i], i + 1 < size ? ' ' : '\n');
    }
    if (world_rank == 0) printf("served by %s\n", laneway_served_by(comm));
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
