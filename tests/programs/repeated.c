/* SPDX-License-Identifier: BSD-3-Clause */
/* Short calls that are made again and again, of all blocking collectives. They have other buffers each time. Processes
   are late, and operations are under way beside them. Some come after many calls that a late process has not come to,
   some on communicators whose handles are used again. Some have arguments that the library rejects. At the end, process
   0 says "right QUESTIONS": how many calls went without a question to the library about a type. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kinds = 11, shapes = 260, times = 5, most = 9000, processes = 5, known_rounds = 20 };

static int questions;

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent)
{
    static int (*next)(MPI_Datatype, MPI_Aint*, MPI_Aint*);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Type_get_extent");
    ++questions;
    return next(type, lower_bound, extent);
}

static unsigned state = 1;

static int drawn(int below)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)below);
}

static int rank, size;

static int value(int of, int element, int call)
{
    return (of * 31 + element * 7 + call * 3) % 97 - 40;
}

static int combined(MPI_Op op, int one, int other)
{
    if (op == MPI_SUM) return one + other;
    return (op == MPI_MAX) == (one > other) ? one : other;
}

/* The reduction of ranks 0 to `end` - 1. */
static int reduced(MPI_Op op, int end, int element, int call)
{
    int all = value(0, element, call);
    for (int of = 1; of < end; ++of) all = combined(op, all, value(of, element, call));
    return all;
}

struct shape {
    int in_place; /* 0: no; 1: yes; 2: some processes, where they may differ */
    int kind, count, root, late, under_way;
    MPI_Datatype type;
    MPI_Op op;
};

static struct shape drawn_shape(void)
{
    static const int counts[] = {1, 2, 3, 9, 64, 250, 2500, most};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN};
    struct shape shape;
    shape.kind = drawn(kinds);
    shape.count = counts[drawn(8)];
    shape.root = drawn(size);
    shape.in_place = drawn(3);
    shape.late = drawn(12) == 0 ? drawn(size) : -1;
    shape.under_way = drawn(8) == 0;
    shape.type = types[drawn(3)];
    shape.op = ops[drawn(3)];
    return shape;
}

static void put(void* memory, MPI_Datatype type, int index, int number)
{
    if (type == MPI_INT) ((int*)memory)[index] = number;
    if (type == MPI_DOUBLE) ((double*)memory)[index] = number;
    if (type == MPI_SHORT) ((short*)memory)[index] = (short)number;
}

static int got(const void* memory, MPI_Datatype type, int index)
{
    if (type == MPI_INT) return ((const int*)memory)[index];
    if (type == MPI_DOUBLE) return (int)((const double*)memory)[index];
    return ((const short*)memory)[index];
}

/* Another name of the same type: what one process has called so before, another calls so for the first time. */
static MPI_Datatype named_otherwise(MPI_Datatype type)
{
    if (type == MPI_INT) return MPI_INT32_T;
    return type == MPI_SHORT ? MPI_INT16_T : type;
}

static double memories[4][processes * most];

static void once(const struct shape* shape, int call, MPI_Comm comm)
{
    const int n = shape->count, root = shape->root, is_root = rank == root;
    const MPI_Datatype type = shape->type;
    const MPI_Datatype moved = (call + rank) % 3 == 0 ? named_otherwise(type) : type;
    const int in_place = shape->in_place == 1;
    const int in_place_here = in_place || (shape->in_place == 2 && (call + rank) % 2 == 0);
    void* in = memories[call % 2];
    void* out = memories[2 + call % 2];
    memset(out, 0x55, sizeof(double) * (size_t)(size * n));
    void* whole = in;
    switch (shape->kind) {
    case 0:
        for (int i = 0; i < n; ++i) put(in, type, i, is_root ? value(root, i, call) : -1);
        CHECK(MPI_Bcast(in, n, moved, root, comm) == MPI_SUCCESS);
        for (int i = 0; i < n; ++i) CHECK(got(in, type, i) == value(root, i, call));
        break;
    case 1:
        for (int i = 0; i < size * n; ++i) put(in, type, i, value(root, i, call));
        whole = is_root && in_place ? MPI_IN_PLACE : out;
        CHECK(MPI_Scatter(in, n, moved, whole, n, moved, root, comm) == MPI_SUCCESS);
        for (int i = 0; i < n && whole == out; ++i)
            CHECK(got(out, type, i) == value(root, rank * n + i, call));
        break;
    case 2:
        whole = is_root && in_place ? MPI_IN_PLACE : in;
        for (int i = 0; i < n; ++i) {
            put(in, type, i, value(rank, i, call));
            if (whole == MPI_IN_PLACE) put(out, type, rank * n + i, value(rank, i, call));
        }
        CHECK(MPI_Gather(whole, n, moved, out, n, moved, root, comm) == MPI_SUCCESS);
        for (int i = 0; i < size * n && is_root; ++i)
            CHECK(got(out, type, i) == value(i / n, i % n, call));
        break;
    case 3:
        whole = in_place ? MPI_IN_PLACE : in;
        for (int i = 0; i < n; ++i) {
            put(in, type, i, value(rank, i, call));
            if (in_place) put(out, type, rank * n + i, value(rank, i, call));
        }
        CHECK(MPI_Allgather(whole, n, moved, out, n, moved, comm) == MPI_SUCCESS);
        for (int i = 0; i < size * n; ++i) CHECK(got(out, type, i) == value(i / n, i % n, call));
        break;
    case 4:
        whole = in_place ? MPI_IN_PLACE : in;
        for (int i = 0; i < size * n; ++i) put(in_place ? out : in, type, i, value(rank, i, call));
        CHECK(MPI_Alltoall(whole, n, moved, out, n, moved, comm) == MPI_SUCCESS);
        for (int i = 0; i < size * n; ++i)
            CHECK(got(out, type, i) == value(i / n, rank * n + i % n, call));
        break;
    case 5:
        whole = is_root && in_place ? MPI_IN_PLACE : in;
        for (int i = 0; i < n; ++i) put(whole == in ? in : out, type, i, value(rank, i, call));
        CHECK(MPI_Reduce(whole, out, n, type, shape->op, root, comm) == MPI_SUCCESS);
        for (int i = 0; i < n && is_root; ++i)
            CHECK(got(out, type, i) == reduced(shape->op, size, i, call));
        break;
    case 6:
        whole = in_place ? MPI_IN_PLACE : in;
        for (int i = 0; i < n; ++i) put(in_place ? out : in, type, i, value(rank, i, call));
        CHECK(MPI_Allreduce(whole, out, n, type, shape->op, comm) == MPI_SUCCESS);
        for (int i = 0; i < n; ++i) CHECK(got(out, type, i) == reduced(shape->op, size, i, call));
        break;
    case 7:
        whole = in_place ? MPI_IN_PLACE : in;
        for (int i = 0; i < size * n; ++i) put(in_place ? out : in, type, i, value(rank, i, call));
        CHECK(MPI_Reduce_scatter_block(whole, out, n, type, shape->op, comm) == MPI_SUCCESS);
        for (int i = 0; i < n; ++i)
            CHECK(got(out, type, i) == reduced(shape->op, size, rank * n + i, call));
        break;
    case 8:
        whole = in_place_here ? MPI_IN_PLACE : in;
        for (int i = 0; i < n; ++i) put(in_place_here ? out : in, type, i, value(rank, i, call));
        CHECK(MPI_Scan(whole, out, n, type, shape->op, comm) == MPI_SUCCESS);
        for (int i = 0; i < n; ++i)
            CHECK(got(out, type, i) == reduced(shape->op, rank + 1, i, call));
        break;
    case 9:
        whole = in_place_here ? MPI_IN_PLACE : in;
        for (int i = 0; i < n; ++i) put(in_place_here ? out : in, type, i, value(rank, i, call));
        CHECK(MPI_Exscan(whole, out, n, type, shape->op, comm) == MPI_SUCCESS);
        for (int i = 0; i < n && rank > 0; ++i)
            CHECK(got(out, type, i) == reduced(shape->op, rank, i, call));
        break;
    default:
        CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
    }
}

static void all_shapes(MPI_Comm comm)
{
    int call = 0;
    for (int number = 0; number < shapes; ++number) {
        const struct shape shape = drawn_shape();
        for (int time = 0; time < times; ++time, ++call) {
            MPI_Request request = MPI_REQUEST_NULL;
            int mine = rank + 1, sum = 0;
            if (shape.under_way) MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
            if (shape.late == rank) usleep(300);
            once(&shape, call, comm);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(!shape.under_way || sum == size * (size + 1) / 2);
        }
    }
}

/* More calls than a late process keeps. The second one waits for the first in an operation under way, which the last
   has not begun yet. So it reads what the first has sent. */
static void ahead_of_a_late_one(MPI_Comm comm)
{
    for (int root = 0; root < 2; ++root) {
        const int mine = rank + 1;
        int sum = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == size - 1) usleep(30000);
        MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
        if (rank != root) MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int call = 0; call < 5000; ++call) {
            int numbers[4] = {call, rank, root, 7};
            MPI_Bcast(numbers, 4, MPI_INT, root, comm);
            CHECK(numbers[0] == call && numbers[1] == root);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(sum == size * (size + 1) / 2);
    }
}

static void on_handles_used_again(void)
{
    for (int life = 0; life < 30; ++life) {
        MPI_Comm comm;
        if (life % 2 == 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm); /* in the opposite order */
        int own, numbers[2];
        MPI_Comm_rank(comm, &own);
        for (int call = 0; call < 6; ++call) {
            numbers[0] = own == 0 ? life : -1;
            numbers[1] = rank;
            MPI_Bcast(numbers, 2, MPI_INT, 0, comm);
            CHECK(numbers[0] == life && numbers[1] == (life % 2 == 0 ? 0 : size - 1));
        }
        MPI_Comm_free(&comm);
    }
}

static void with_mistakes(MPI_Comm comm)
{
    int numbers[4] = {1, 2, 3, 4};
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int time = 0; time < 4; ++time) {
        CHECK(MPI_Bcast(numbers, 4, MPI_INT, 0, comm) == MPI_SUCCESS);
        CHECK(MPI_Bcast(numbers, -1, MPI_INT, 0, comm) != MPI_SUCCESS);
        CHECK(MPI_Bcast(numbers, 4, MPI_INT, size, comm) != MPI_SUCCESS);
        CHECK(MPI_Bcast(numbers, 4, MPI_DATATYPE_NULL, 0, comm) != MPI_SUCCESS);
    }
}

/* Calls of several kinds in turn, in which nobody is late: how often some process asks the library in the last ones. */
static int questions_of_known_calls(MPI_Comm comm)
{
    int most_of_all = 0, sums[3];
    const int numbers[3] = {rank, 1, 2};
    static int all[3 * processes];
    for (int round = 0; round < 2 * known_rounds; ++round) {
        if (round == known_rounds) questions = 0;
        MPI_Allreduce(numbers, sums, 3, MPI_INT, MPI_SUM, comm);
        CHECK(sums[1] == size);
        MPI_Gather(numbers, 3, MPI_INT, all, 3, MPI_INT, 0, comm);
        MPI_Bcast(all, 3 * size, MPI_INT, 0, comm);
        MPI_Barrier(comm);
        MPI_Allgather(numbers, 2, MPI_INT, all, 2, MPI_INT, comm);
        MPI_Reduce(numbers, sums, 2, MPI_INT, MPI_MAX, size - 1, comm);
        CHECK(all[2 * size - 1] == 1 && all[2 * size - 2] == size - 1);
    }
    const int mine = questions;
    MPI_Allreduce(&mine, &most_of_all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most_of_all;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= processes);
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    const int asked = questions_of_known_calls(own);
    all_shapes(own);
    ahead_of_a_late_one(own);
    on_handles_used_again();
    with_mistakes(own);
    MPI_Comm_free(&own);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("right %d\n", asked);
    MPI_Finalize();
    return 0;
}
