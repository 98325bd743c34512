/* SPDX-License-Identifier: BSD-3-Clause */
/* The six vector collectives, blocking, nonblocking and persistent (started twice), with blocks of any lengths, some of
 * them empty, and holes between them. The results are checked here, and that holes stay as they are. */
#include <mpi.h>
#include <string.h>

#include "check.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

enum { most = 8, longest = 64, row = most * (longest + 1), hole = -7 };
enum form { blocking, nonblocking, persistent, forms };

static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_Request request;
static int rank, size;
static int in[row], out[row];

/* Ints of a block of rank `from`, or of that for rank `to`. */
static int length_of(int from) { return from % 3 == 1 ? 0 : 5 * from + 2; }
static int length_for(int from, int to) { return (3 * from + 5 * to) % 7 * (from + to) % longest; }

/* Int `i` of the block from one rank for another. */
static int value(int from, int to, int i) { return 1000 * from + 100 * to + i; }

static void completed(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static void started_twice(void)
{
    for (int time = 0; time < 2; ++time) {
        MPI_Start(&request);
        completed();
    }
    MPI_Request_free(&request);
}

#define CALL(name, form, ...)                                                           \
    do {                                                                                \
        if ((form) == blocking) MPI_##name(__VA_ARGS__, world);                         \
        if ((form) == nonblocking) I_##name(__VA_ARGS__, world, &request), completed(); \
        if ((form) == persistent)                                                       \
            INIT(name)(__VA_ARGS__, world, MPI_INFO_NULL, &request), started_twice();   \
    } while (0)
#define I_Scatterv MPI_Iscatterv
#define I_Gatherv MPI_Igatherv
#define I_Allgatherv MPI_Iallgatherv
#define I_Alltoallv MPI_Ialltoallv
#define I_Alltoallw MPI_Ialltoallw
#define I_Reduce_scatter MPI_Ireduce_scatter

static void clear(int* data)
{
    for (int i = 0; i < row; ++i) data[i] = hole;
}

/* Blocks of so many ints, each with a hole after it. */
static int place(const int* counts, int* starts)
{
    int next = 1;
    for (int block = 0; block < size; ++block) {
        starts[block] = next;
        next += counts[block] + 1;
    }
    return next;
}

/* Checks all of a row that is no block. */
static void check_holes(const int* data, const int* counts, const int* starts)
{
    int next = 0;
    for (int block = 0; block < size; ++block) {
        for (; next < starts[block]; ++next) CHECK(data[next] == hole);
        next += counts[block];
    }
    for (; next < row; ++next) CHECK(data[next] == hole);
}

static void rooted(enum form form, int root)
{
    int counts[most], starts[most];
    const int own = length_of(rank);
    for (int i = 0; i < size; ++i) counts[i] = length_of(i);
    place(counts, starts);
    const int is_root = rank == root;

    clear(out);
    for (int i = 0; i < own; ++i) in[i] = value(rank, 0, i);
    CALL(Gatherv, form, in, own, MPI_INT, is_root ? out : NULL, is_root ? counts : NULL,
         is_root ? starts : NULL, MPI_INT, root);
    for (int from = 0; is_root && from < size; ++from)
        for (int i = 0; i < counts[from]; ++i) CHECK(out[starts[from] + i] == value(from, 0, i));
    if (is_root) check_holes(out, counts, starts);

    clear(out);
    clear(in);
    for (int to = 0; is_root && to < size; ++to)
        for (int i = 0; i < counts[to]; ++i) in[starts[to] + i] = value(root, to, i);
    CALL(Scatterv, form, is_root ? in : NULL, is_root ? counts : NULL, is_root ? starts : NULL,
         MPI_INT, out, own, MPI_INT, root);
    for (int i = 0; i < row; ++i) CHECK(out[i] == (i < own ? value(root, rank, i) : hole));
}

static void of_all(enum form form)
{
    int counts[most], starts[most], all = 0, before = 0;
    const int own = length_of(rank);
    for (int i = 0; i < size; ++i) {
        counts[i] = length_of(i);
        if (i < rank) before += counts[i];
        all += counts[i];
    }
    place(counts, starts);

    clear(out);
    for (int i = 0; i < own; ++i) in[i] = value(rank, 0, i);
    CALL(Allgatherv, form, in, own, MPI_INT, out, counts, starts, MPI_INT);
    for (int from = 0; from < size; ++from)
        for (int i = 0; i < counts[from]; ++i) CHECK(out[starts[from] + i] == value(from, 0, i));
    check_holes(out, counts, starts);

    clear(out);
    for (int i = 0; i < all; ++i) in[i] = value(rank, 0, i);
    CALL(Reduce_scatter, form, in, out, counts, MPI_INT, MPI_SUM);
    const int ranks = size * (size - 1) / 2;
    for (int i = 0; i < row; ++i)
        CHECK(out[i] == (i < own ? 1000 * ranks + size * (before + i) : hole));
}

static void all_to_all(enum form form)
{
    int sent[most], received[most], from_places[most], places[most], bytes[2][most];
    MPI_Datatype types[most];
    for (int i = 0; i < size; ++i) {
        sent[i] = length_for(rank, i);
        received[i] = length_for(i, rank);
        types[i] = MPI_INT;
    }
    place(sent, from_places);
    place(received, places);
    for (int i = 0; i < size; ++i) {
        bytes[0][i] = (int)sizeof(int) * from_places[i];
        bytes[1][i] = (int)sizeof(int) * places[i];
    }
    clear(in);
    for (int to = 0; to < size; ++to)
        for (int i = 0; i < sent[to]; ++i) in[from_places[to] + i] = value(rank, to, i);
    for (int with_types = 0; with_types < 2; ++with_types) {
        clear(out);
        if (with_types)
            CALL(Alltoallw, form, in, sent, bytes[0], types, out, received, bytes[1], types);
        else
            CALL(Alltoallv, form, in, sent, from_places, MPI_INT, out, received, places, MPI_INT);
        for (int from = 0; from < size; ++from)
            for (int i = 0; i < received[from]; ++i)
                CHECK(out[places[from] + i] == value(from, rank, i));
        check_holes(out, received, places);
    }
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    CHECK(size <= most);
    for (int form = 0; form < forms; ++form) {
        for (int root = 0; root < size; ++root) rooted((enum form)form, root);
        of_all((enum form)form);
        all_to_all((enum form)form);
    }
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
