/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: fuzz FIRST COUNT [STEPS [FEATURES]]
 *
 * Random programs, one a seed from FIRST on. They have blocking, nonblocking and persistent collectives and messages,
 * on the world, on duplicates and splits. Types, operators and communicators are freed while they are in use. All
 * processes draw the same program; how each completes what it has begun is its own affair. Checks every result; prints
 * each seed before its program, and "right" at the end. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Alltoall_init MPIX_Alltoall_init
#endif

enum {
    bcast,
    reduce,
    allreduce,
    gather,
    scatter,
    allgather,
    alltoall,
    scan,
    exscan,
    reduce_scatter_block,
    barrier,
    ring,
    kinds
};
enum { blocking, nonblocking, persistent };
enum { most_comms = 5, most_ops = 24, unset = -7 };

static unsigned long long state, own_state;
static unsigned seed;

static unsigned next(unsigned long long* its)
{
    *its ^= *its << 13, *its ^= *its >> 7, *its ^= *its << 17;
    return (unsigned)(*its >> 32);
}
static int draw(int below) { return (int)(next(&state) % (unsigned)below); }
static int draw_alone(int below) { return (int)(next(&own_state) % (unsigned)below); }

struct operation {
    int is_there, kind, form, active, at;
    MPI_Comm comm;
    int rank, size, n, root, serial, is_max, in_place, layout;
    MPI_Datatype type;
    MPI_Op op;
    int owns_type, owns_op;
    int *in, *out, room;
    MPI_Request requests[2];
};
static struct operation ops[most_ops];
/* Communicators: a process may be in one that is there, or not. */
static MPI_Comm comms[most_comms];
static int are_there[most_comms];
static int serials;
/* The features of programs: they free types and operators while they are in use, and communicators, and begin
 * persistent collectives. Open MPI 4.1 itself bears the first and the last apart alone, and not always what frees
 * communicators. */
enum { frees_handles = 1, frees_comms = 2, persists = 4 };
static int features;

static int features_of(unsigned its)
{
#ifdef OPEN_MPI
    return its % 2 ? frees_handles : persists;
#else
    return its % 8 ? (int)its % 8 : frees_handles | frees_comms | persists;
#endif
}

static int is_in_use(int at)
{
    for (int i = 0; i < most_ops; ++i)
        if (ops[i].is_there && ops[i].at == at) return 1;
    return 0;
}

#define HOLDS(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            printf("seed %u: line %d: %s\n", seed, __LINE__, #condition), fflush(stdout); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                 \
        }                                                                                 \
    } while (0)

/* The place of int k in a row. Layouts: 0 an int, 1 two, 2 two with a gap of one between them. */
static int place(int layout, int k) { return layout == 2 ? k / 2 * 3 + k % 2 * 2 : k; }

static void add(void* from, void* to, int* count, MPI_Datatype* type)
{
    int bytes;
    MPI_Type_size(*type, &bytes);
    for (int i = 0; i < *count * (bytes / (int)sizeof(int)); ++i) ((int*)to)[i] += ((int*)from)[i];
}

static int value(const struct operation* its, int rank, int k)
{
    return (int)(((unsigned)rank * 7919u + (unsigned)k * 31u + (unsigned)its->serial * 101u) %
                 9973u);
}
static int reduced(const struct operation* its, int ranks, int k)
{
    int result = value(its, 0, k);
    for (int r = 1; r < ranks; ++r) {
        const int other = value(its, r, k);
        result = its->is_max ? (other > result ? other : result) : result + other;
    }
    return result;
}

static int is_reduction(int kind)
{
    return kind == reduce || kind == allreduce || kind == scan || kind == exscan ||
           kind == reduce_scatter_block;
}
static int ints_in(const struct operation* its)
{
    const int all = its->n * its->size;
    switch (its->kind) {
    case scatter:
        return its->rank == its->root ? all : 0;
    case alltoall:
    case reduce_scatter_block:
        return all;
    case bcast:
    case barrier:
        return 0;
    default:
        return its->n;
    }
}
static int ints_out(const struct operation* its)
{
    const int all = its->n * its->size;
    switch (its->kind) {
    case gather:
        return its->rank == its->root ? all : 0;
    case allgather:
    case alltoall:
        return all;
    case reduce:
        return its->rank == its->root ? its->n : 0;
    case exscan:
        return its->rank > 0 ? its->n : 0;
    case barrier:
        return 0;
    default:
        return its->n;
    }
}
static int expected(const struct operation* its, int k)
{
    const int n = its->n ? its->n : 1;
    switch (its->kind) {
    case bcast:
        return value(its, its->root, k);
    case reduce:
    case allreduce:
        return reduced(its, its->size, k);
    case gather:
    case allgather:
        return value(its, k / n, k % n);
    case scatter:
        return value(its, its->root, its->rank * n + k);
    case alltoall:
        return value(its, k / n, its->rank * n + k % n);
    case scan:
        return reduced(its, its->rank + 1, k);
    case exscan:
        return reduced(its, its->rank, k);
    case reduce_scatter_block:
        return reduced(its, its->size, its->rank * n + k);
    default:
        return value(its, (its->rank + its->size - 1) % its->size, k);
    }
}

static void fill(struct operation* its)
{
    its->serial = ++serials;
    if (its->comm == MPI_COMM_NULL) return;
    for (int i = 0; i < its->room; ++i) its->in[i] = its->out[i] = unset;
    for (int k = 0; k < ints_in(its); ++k)
        (its->in_place ? its->out : its->in)[place(its->layout, k)] = value(its, its->rank, k);
    for (int k = 0; its->kind == bcast && its->rank == its->root && k < its->n; ++k)
        its->out[place(its->layout, k)] = value(its, its->rank, k);
}

static void judge(const struct operation* its)
{
    if (its->comm == MPI_COMM_NULL) return;
    const int ints = ints_out(its);
    for (int k = 0; k < ints; ++k) HOLDS(its->out[place(its->layout, k)] == expected(its, k));
    for (int k = 1; its->layout == 2 && k < ints; k += 2) HOLDS(its->out[place(2, k) - 1] == unset);
    HOLDS(its->out[its->room - 1] == unset);
    for (int k = 0; !its->in_place && k < ints_in(its); ++k)
        HOLDS(its->in[place(its->layout, k)] == value(its, its->rank, k));
}

static void free_handles(struct operation* its)
{
    if (its->owns_type) MPI_Type_free(&its->type);
    if (its->owns_op) MPI_Op_free(&its->op);
    its->owns_type = its->owns_op = 0;
}

static void begin(struct operation* its)
{
    const int each = its->layout ? its->n / 2 : its->n, root = its->root, form = its->form;
    const void* const in = its->in_place ? MPI_IN_PLACE : its->in;
    void* const out = its->out;
    const MPI_Datatype type = its->type;
    const MPI_Op op = its->op;
    const MPI_Comm comm = its->comm;
    MPI_Request* const request = its->requests;
    int code = MPI_SUCCESS;
    switch (its->kind) {
    case bcast:
        code = form == blocking ? MPI_Bcast(out, each, type, root, comm)
               : form == nonblocking
                   ? MPI_Ibcast(out, each, type, root, comm, request)
                   : MPI_Bcast_init(out, each, type, root, comm, MPI_INFO_NULL, request);
        break;
    case allreduce:
        code = form == blocking ? MPI_Allreduce(in, out, each, type, op, comm)
               : form == nonblocking
                   ? MPI_Iallreduce(in, out, each, type, op, comm, request)
                   : MPI_Allreduce_init(in, out, each, type, op, comm, MPI_INFO_NULL, request);
        break;
    case alltoall:
        code = form == blocking      ? MPI_Alltoall(in, each, type, out, each, type, comm)
               : form == nonblocking ? MPI_Ialltoall(in, each, type, out, each, type, comm, request)
                                     : MPI_Alltoall_init(in, each, type, out, each, type, comm,
                                                         MPI_INFO_NULL, request);
        break;
    case reduce:
        code = form == blocking ? MPI_Reduce(in, out, each, type, op, root, comm)
                                : MPI_Ireduce(in, out, each, type, op, root, comm, request);
        break;
    case gather:
        code = form == blocking ? MPI_Gather(in, each, type, out, each, type, root, comm)
                                : MPI_Igather(in, each, type, out, each, type, root, comm, request);
        break;
    case scatter:
        code = form == blocking
                   ? MPI_Scatter(in, each, type, out, each, type, root, comm)
                   : MPI_Iscatter(in, each, type, out, each, type, root, comm, request);
        break;
    case allgather:
        code = form == blocking ? MPI_Allgather(in, each, type, out, each, type, comm)
                                : MPI_Iallgather(in, each, type, out, each, type, comm, request);
        break;
    case scan:
        code = form == blocking ? MPI_Scan(in, out, each, type, op, comm)
                                : MPI_Iscan(in, out, each, type, op, comm, request);
        break;
    case exscan:
        code = form == blocking ? MPI_Exscan(in, out, each, type, op, comm)
                                : MPI_Iexscan(in, out, each, type, op, comm, request);
        break;
    case reduce_scatter_block:
        code = form == blocking ? MPI_Reduce_scatter_block(in, out, each, type, op, comm)
                                : MPI_Ireduce_scatter_block(in, out, each, type, op, comm, request);
        break;
    case barrier:
        code = form == blocking ? MPI_Barrier(comm) : MPI_Ibarrier(comm, request);
        break;
    default: {
        const int to = (its->rank + 1) % its->size, from = (its->rank + its->size - 1) % its->size;
        const int tag = its->serial % 1000;
        if (form == persistent) {
            MPI_Recv_init(out, each, type, from, tag, comm, request);
            MPI_Send_init(in, each, type, to, tag, comm, request + 1);
        } else if (form == nonblocking) {
            MPI_Irecv(out, each, type, from, tag, comm, request);
            MPI_Isend(in, each, type, to, tag, comm, request + 1);
        } else {
            code = MPI_Sendrecv(in, each, type, to, tag, out, each, type, from, tag, comm,
                                MPI_STATUS_IGNORE);
        }
    }
    }
    HOLDS(code == MPI_SUCCESS);
}

static struct operation* unused(void)
{
    for (int i = 0; i < most_ops; ++i)
        if (!ops[i].is_there) return ops + i;
    return NULL;
}

static void drop(struct operation* its)
{
    free_handles(its);
    for (int i = 0; i < 2; ++i)
        if (its->requests[i] != MPI_REQUEST_NULL) MPI_Request_free(its->requests + i);
    free(its->in), free(its->out);
    its->is_there = 0;
}

/* Completes an operation, on each process in its own way. */
static void complete(struct operation* its)
{
    int over = 0;
    MPI_Status statuses[2];
    /* MPICH 4.0 takes a persistent collective in MPI_Testall for an error. */
    const int alone = its->form == persistent && its->kind != ring;
    switch (draw_alone(3)) {
    case 0:
        MPI_Waitall(2, its->requests, statuses);
        break;
    case 1:
        while (alone && !over)
            MPI_Test(its->requests, &over, MPI_STATUS_IGNORE), over || sched_yield();
        while (!over) MPI_Testall(2, its->requests, &over, statuses), over || sched_yield();
        break;
    default:
        for (int i = 0; i < 2; ++i) MPI_Wait(its->requests + i, MPI_STATUS_IGNORE);
    }
    its->active = 0;
    judge(its);
    if (its->form != persistent) drop(its);
}

static void start(struct operation* its)
{
    fill(its);
    if (its->comm == MPI_COMM_NULL)
        ;
    else if (its->kind == ring)
        MPI_Startall(2, its->requests);
    else
        MPI_Start(its->requests);
    its->active = 1;
}

static void call(void)
{
    static const int lengths[] = {0, 2, 2, 8, 64, 500, 2048, 9000, 20000};
    struct operation drawn = {.is_there = 1, .kind = draw(kinds), .form = draw(3)};
    const int comm = draw(most_comms), root = draw(1 << 20), own_op = draw(3), commutes = draw(2);
    const int frees = draw(2), in_place = draw(4) == 0, is_max = draw(2);
    drawn.n = lengths[draw(sizeof lengths / sizeof *lengths)];
    drawn.layout = draw(3);
    struct operation* const its = unused();
    if (!are_there[comm] || !its) return;
    if (drawn.form == persistent && drawn.kind != ring && !(features & persists))
        drawn.form = nonblocking;
    if (drawn.form == persistent && drawn.kind != bcast && drawn.kind != allreduce &&
        drawn.kind != alltoall && drawn.kind != ring)
        drawn.form = nonblocking;
    *its = drawn;
    its->comm = comms[comm];
    its->at = comm;
    its->requests[0] = its->requests[1] = MPI_REQUEST_NULL;
    if (its->comm == MPI_COMM_NULL) {
        fill(its);
        its->active = its->form == nonblocking;
        its->is_there = its->form != blocking;
        return;
    }
    MPI_Comm_rank(its->comm, &its->rank);
    MPI_Comm_size(its->comm, &its->size);
    its->root = root % its->size;
    its->type = MPI_INT;
    its->op = is_max ? MPI_MAX : MPI_SUM;
    its->is_max = is_max;
    its->in_place = in_place && its->kind == allreduce;
    if (is_reduction(its->kind) && own_op) {
        its->is_max = 0;
        its->owns_op = 1;
        MPI_Op_create(add, commutes, &its->op);
        if (its->layout == 2) its->layout = 1;
    } else if (is_reduction(its->kind)) {
        its->layout = 0;
    }
    if (its->layout) {
        if (its->layout == 1) MPI_Type_contiguous(2, MPI_INT, &its->type);
        if (its->layout == 2) MPI_Type_vector(2, 1, 2, MPI_INT, &its->type);
        MPI_Type_commit(&its->type);
        its->owns_type = 1;
    }
    its->room = place(its->layout, its->n * its->size) + 4;
    its->in = malloc((size_t)its->room * sizeof(int));
    its->out = malloc((size_t)its->room * sizeof(int));
    fill(its);
    begin(its);
    if (frees && features & frees_handles) free_handles(its);
    if (its->form == blocking) {
        judge(its);
        drop(its);
    } else if (its->form == nonblocking) {
        its->active = 1;
    }
}

static void change_comms(void)
{
    const int at = draw(most_comms - 1) + 1, way = draw(3), from = draw(most_comms), bit = draw(2),
              out = draw(6);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (are_there[at]) {
        if (!(features & frees_comms) && is_in_use(at)) return;
        if (comms[at] != MPI_COMM_NULL) MPI_Comm_free(comms + at);
        are_there[at] = 0;
        return;
    }
    if (!are_there[from]) return;
    are_there[at] = 1;
    if (comms[from] == MPI_COMM_NULL) return;
    if (way == 0)
        MPI_Comm_dup(comms[from], comms + at);
    else
        MPI_Comm_split(comms[from], out == rank ? MPI_UNDEFINED : rank >> bit & 1,
                       way == 1 ? rank : -rank, comms + at);
}

static void run(int steps)
{
    for (int at = 1; at < most_comms; ++at) comms[at] = MPI_COMM_NULL, are_there[at] = 0;
    comms[0] = MPI_COMM_WORLD, are_there[0] = 1;
    for (int step = 0; step < steps; ++step) {
        const int action = draw(20), which = draw(most_ops);
        struct operation* const its = ops + which;
        if (action < 9) {
            call();
        } else if (action < 11) {
            change_comms();
        } else if (action < 16) {
            for (int i = 0; i < most_ops; ++i) {
                struct operation* const other = ops + (which + i) % most_ops;
                if (!other->is_there) continue;
                if (other->active)
                    complete(other);
                else if (other->form == persistent)
                    start(other);
                break;
            }
        } else if (action < 18) {
            if (its->is_there && its->active) complete(its);
        } else if (its->is_there && !its->active && its->form == persistent) {
            drop(its);
        }
    }
    for (int i = 0; i < most_ops; ++i)
        if (ops[i].is_there && ops[i].active) complete(ops + i);
    for (int i = 0; i < most_ops; ++i)
        if (ops[i].is_there) drop(ops + i);
    for (int at = 1; at < most_comms; ++at)
        if (comms[at] != MPI_COMM_NULL) MPI_Comm_free(comms + at);
}

int main(int argc, char** argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 1,
                   count = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    for (seed = first; seed < first + count; ++seed) {
        if (rank == 0) printf("seed %u\n", seed), fflush(stdout);
        state = seed * 0x9e3779b97f4a7c15ull + 1;
        own_state = state ^ (unsigned)rank * 0x2545f4914f6cdd1dull;
        for (int i = 0; i < 8; ++i) next(&state), next(&own_state);
        features = argc > 4 ? atoi(argv[4]) : features_of(seed);
        run(argc > 3 ? atoi(argv[3]) : 60);
    }
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
