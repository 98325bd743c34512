/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with a thousand derived types; MPICH 4.0 packs a part of the later ones. Shows what collectives bring by
 * the latest ones. Then an alltoall in segments for each of which, on unequal nodes, Laneway makes types.
 */
#include <stdlib.h>

#include "check.h"

enum {
    types = 1100,
    length = 65,
    at = 7,
    elements = 3,
    ints = at + elements * length,
    block = 3 * 4100
};

/* `length` ints of each element, from `at` on. */
static MPI_Datatype piece(void)
{
    const int lengths[] = {length}, places[] = {at};
    MPI_Datatype type;
    MPI_Type_indexed(1, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype row(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(length, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void fill(int* data, int count, int seed)
{
    for (int i = 0; i < count; ++i) data[i] = seed + i;
}

static void check_filled(const int* data, int first, int count, int seed)
{
    for (int i = first; i < first + count; ++i) CHECK(data[i] == seed + i);
}

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Datatype made[types];
    for (int i = 0; i < types; ++i) made[i] = i % 2 ? piece() : row();
    const MPI_Datatype latest = made[types - 1], latest_row = made[types - 2];
    int* const all = malloc(sizeof(int) * (size_t)(size * ints + at));

    for (int turn = 0; turn < 4; ++turn)
        for (int root = 0; root < size; ++root) {
            for (int i = 0; i < ints; ++i) all[i] = -1;
            if (rank == root) fill(all, ints, root);
            MPI_Bcast(all, elements, latest, root, MPI_COMM_WORLD);
            check_filled(all, at, elements * length, root);
        }

    /* Enough for the synchronous messages among them, which are packed. */
    for (int turn = 0; turn < 200; ++turn) {
        for (int i = 0; i < ints; ++i) all[i] = -1;
        if (rank == 0) fill(all, ints, turn);
        MPI_Bcast(all, elements, latest_row, 0, MPI_COMM_WORLD);
        check_filled(all, 0, elements * length, turn);
    }

    int mine[ints];
    fill(mine, ints, 1000 * rank);
    for (int turn = 0; turn < 4; ++turn) {
        for (int i = 0; i < size * ints; ++i) all[i] = -1;
        MPI_Allgather(mine, elements, latest, all, elements, latest, MPI_COMM_WORLD);
        for (int from = 0; from < size; ++from)
            check_filled(all + from * elements * length, at, elements * length, 1000 * from);
    }

    int* const out = malloc(sizeof(int) * (size_t)(size * block));
    int* const in = malloc(sizeof(int) * (size_t)(size * block));
    for (int to = 0; to < size; ++to) fill(out + to * block, block, 7 * (rank * size + to));
    for (int turn = 0; turn < 4; ++turn) {
        for (int i = 0; i < size * block; ++i) in[i] = -1;
        MPI_Alltoall(out, block, MPI_INT, in, block, MPI_INT, MPI_COMM_WORLD);
        for (int from = 0; from < size; ++from)
            check_filled(in + from * block, 0, block, 7 * (from * size + rank));
    }

    free(out);
    free(in);
    for (int i = 0; i < types; ++i) MPI_Type_free(&made[i]);
    free(all);
    MPI_Finalize();
    return 0;
}
