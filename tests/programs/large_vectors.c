/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: large_vectors [reject]
 *
 * The vector collectives with large counts, and some others, found as a program does that is made for
 * libraries with and without them. Arrays that mean nothing to a process lie nowhere, and such counts
 * are past all ints. At the end rank 0 says how many calls a process has made of each vector collective.
 * With "reject", a count that no int holds is an error of the communicator, where the library has no such
 * counts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "check.h"

#define MOST 8
#define BLOCK 3
#define NOWHERE ((void*)8)
#define NOTHING ((MPI_Count)1 << 40)
#define FIND(name, ...)                                      \
    static int (*name)(__VA_ARGS__);                         \
    *(void**)&name = dlsym(RTLD_DEFAULT, "MPI_" #name "_c"); \
    CHECK(name)

typedef const MPI_Count* Counts;
typedef const MPI_Aint* Places;
typedef const MPI_Datatype* Types;

static int raised;

static void note(MPI_Comm* comm, int* code, ...)
{
    (void)comm;
    raised = *code;
}

/* Is block b of `data` what process b sent, times `factor`? */
static int is_right(const int* data, int blocks, int factor)
{
    for (int i = 0; i < BLOCK * blocks; ++i)
        if (data[i] != factor * (i / BLOCK + 1)) return 0;
    return 1;
}

static int* filled(int* data, int value)
{
    for (int i = 0; i < BLOCK * MOST; ++i) data[i] = value;
    return data;
}

int main(int argc, char** argv)
{
    FIND(Bcast, void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
    FIND(Gather, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
         MPI_Comm);
    FIND(Scatter, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
         MPI_Comm);
    FIND(Allgather, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
    FIND(Gatherv, const void*, MPI_Count, MPI_Datatype, void*, Counts, Places, MPI_Datatype, int,
         MPI_Comm);
    FIND(Scatterv, const void*, Counts, Places, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
         MPI_Comm);
    FIND(Allgatherv, const void*, MPI_Count, MPI_Datatype, void*, Counts, Places, MPI_Datatype,
         MPI_Comm);
    FIND(Alltoallv, const void*, Counts, Places, MPI_Datatype, void*, Counts, Places, MPI_Datatype,
         MPI_Comm);
    FIND(Alltoallw, const void*, Counts, Places, Types, void*, Counts, Places, Types, MPI_Comm);
    FIND(Reduce_scatter, const void*, void*, Counts, MPI_Datatype, MPI_Op, MPI_Comm);

    static int in[BLOCK * MOST], out[BLOCK * MOST];
    MPI_Count counts[MOST];
    MPI_Aint starts[MOST], bytes[MOST];
    MPI_Datatype types[MOST];
    int rank, size, own, group;
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm part, inter;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    for (int i = 0; i < MOST; ++i) {
        counts[i] = BLOCK;
        starts[i] = BLOCK * i;
        bytes[i] = (MPI_Aint)sizeof(int) * BLOCK * i;
        types[i] = MPI_INT;
    }

    if (argc > 1 && strcmp(argv[1], "reject") == 0) {
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(note, &handler);
        MPI_Comm_set_errhandler(world, handler);
        counts[0] = (MPI_Count)1 << 31;
        const int code = Allgatherv(in, 0, MPI_INT, out, counts, starts, MPI_INT, world);
        CHECK(code == MPI_ERR_COUNT && raised == code);
        MPI_Finalize();
        return 0;
    }

    const int last = size - 1, is_root = rank == last;
    Counts root_counts = is_root ? counts : NOWHERE;
    Places root_starts = is_root ? starts : NOWHERE;
    filled(in, rank + 1);
    Gatherv(in, BLOCK, MPI_INT, filled(out, 0), root_counts, root_starts, MPI_INT, last, world);
    CHECK(!is_root || is_right(out, size, 1));
    Allgatherv(in, BLOCK, MPI_INT, filled(out, 0), counts, starts, MPI_INT, world);
    CHECK(is_right(out, size, 1));
    Scatterv(out, root_counts, root_starts, MPI_INT, filled(in, 0), BLOCK, MPI_INT, last, world);
    CHECK(in[0] == rank + 1 && in[BLOCK - 1] == rank + 1);
    for (int i = 0; i < BLOCK; ++i) out[BLOCK * rank + i] = rank + 1;
    Allgatherv(MPI_IN_PLACE, NOTHING, MPI_INT, out, counts, starts, MPI_INT, world);
    CHECK(is_right(out, size, 1));
    filled(in, rank + 1);
    Gatherv(is_root ? MPI_IN_PLACE : in, is_root ? NOTHING : BLOCK, MPI_INT, out, root_counts,
            root_starts, MPI_INT, last, world);
    CHECK(!is_root || is_right(out, size, 1));
    Scatterv(out, root_counts, root_starts, MPI_INT, is_root ? MPI_IN_PLACE : in,
             is_root ? NOTHING : BLOCK, MPI_INT, last, world);
    CHECK(in[0] == rank + 1);

    const MPI_Count root_count = is_root ? BLOCK : NOTHING;
    Gather(in, BLOCK, MPI_INT, filled(out, 0), root_count, MPI_INT, last, world);
    CHECK(!is_root || is_right(out, size, 1));
    Scatter(out, root_count, MPI_INT, filled(in, 0), BLOCK, MPI_INT, last, world);
    CHECK(in[0] == rank + 1 && in[BLOCK - 1] == rank + 1);
    for (int i = 0; i < BLOCK; ++i) out[BLOCK * rank + i] = rank + 1;
    Allgather(MPI_IN_PLACE, NOTHING, MPI_INT, out, BLOCK, MPI_INT, world);
    CHECK(is_right(out, size, 1));
    Bcast(filled(in, rank), BLOCK, MPI_INT, last, world);
    CHECK(in[0] == last && in[BLOCK - 1] == last);
    filled(in, rank + 1);
    Alltoallv(in, counts, starts, MPI_INT, filled(out, 0), counts, starts, MPI_INT, world);
    CHECK(is_right(out, size, 1));
    Alltoallv(MPI_IN_PLACE, NOWHERE, NOWHERE, MPI_INT, filled(out, rank + 1), counts, starts,
              MPI_INT, world);
    CHECK(is_right(out, size, 1));
    Alltoallw(in, counts, bytes, types, filled(out, 0), counts, bytes, types, world);
    CHECK(is_right(out, size, 1));
    Reduce_scatter(out, filled(in, 0), counts, MPI_INT, MPI_SUM, world);
    CHECK(in[0] == size * (rank + 1) && in[BLOCK - 1] == in[0] && in[BLOCK] == 0);

    /* Rank 0 and the others. The rows have the length of the other group, but that of a
     * reduce-scatter has its own group's. */
    MPI_Comm_split(world, rank > 0, rank, &part);
    MPI_Intercomm_create(part, 0, world, rank > 0 ? 0 : 1, 0, &inter);
    MPI_Comm_size(part, &group);
    MPI_Comm_rank(part, &own);
    if (rank == 0) {
        Gatherv(NULL, 0, MPI_INT, filled(out, 0), counts, starts, MPI_INT, MPI_ROOT, inter);
        CHECK(is_right(out, size - 1, 1));
    } else {
        Gatherv(filled(in, own + 1), BLOCK, MPI_INT, NULL, NOWHERE, NOWHERE, MPI_INT, 0, inter);
    }
    for (int i = 0; i < group; ++i) counts[i] = rank > 0 ? 1 : size - 1;
    Reduce_scatter(filled(in, 1), filled(out, 0), counts, MPI_INT, MPI_SUM, inter);
    CHECK(out[0] == (rank > 0 ? 1 : size - 1));

    if (rank == 0)
        puts("3 gatherv, 2 scatterv, 2 allgatherv, 2 alltoallv, 1 alltoallw, 2 reduce_scatter");
    MPI_Finalize();
    return 0;
}
