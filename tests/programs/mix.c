/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of many kinds of calls, to learn from. It makes six collectives and their nonblocking forms, of five sizes.
 * They are on the world and on its rows, whose processes have the same place on their nodes. Processes come with
 * jitter, and now and then one is late.
 *
 *     mix STEPS PPN [LARGEST]     LARGEST: bytes of the longest message, 1048576 unless it is said
 *
 * Each step makes one call of each kind, in an order that is drawn. At the end rank 0 prints a line for each kind:
 *
 *     world iallreduce 65536 FIRST LAST     medians of the first and the last third of the calls, in microseconds
 *
 * Where all processes meet, a call takes as long as for the process that comes last. Elsewhere it is the mean over
 * processes. All results are checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { bcast, reduce, allreduce, allgather, reduce_scatter_block, alltoall, collectives };
static const char* const names[] = {
    "bcast", "reduce", "allreduce", "allgather", "reduce_scatter_block", "alltoall"};
enum { sizes = 5, comms = 2, kinds = collectives * 2 * sizes * comms };

struct Kind {
    int collective, nonblocking, comm, count; /* count: ints of the whole message */
    double* times;
};
static struct Kind all[kinds];
static MPI_Comm on[comms];
static const char* const comm_names[] = {"world", "row"};
static int rank, steps;
static int *in, *out;

static unsigned long random_state = 88172645463325252UL;

/* A number below `end`, the same on all processes. */
static unsigned drawn(unsigned end)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 20) % end);
}

static void rest(double seconds)
{
    const struct timespec pause = {0, (long)(1e9 * seconds)};
    nanosleep(&pause, NULL);
}

static void fail(const struct Kind* kind)
{
    fprintf(stderr, "rank %d: a wrong result of %s\n", rank, names[kind->collective]);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int blocks(const struct Kind* kind, int size)
{
    const int in_blocks = kind->collective == allgather || kind->collective == alltoall ||
                          kind->collective == reduce_scatter_block;
    return in_blocks ? kind->count / size : kind->count;
}

/* The call, and what completes it. */
static void call(const struct Kind* kind, int own, int size)
{
    const MPI_Comm comm = on[kind->comm];
    const int count = blocks(kind, size);
    MPI_Request request;
    (void)own;
#define EITHER(blocking, starting, ...)              \
    if (kind->nonblocking)                           \
        MPI_##starting(__VA_ARGS__, comm, &request); \
    else                                             \
        MPI_##blocking(__VA_ARGS__, comm);           \
    break
    switch (kind->collective) {
    case bcast:
        EITHER(Bcast, Ibcast, out, count, MPI_INT, 0);
    case reduce:
        EITHER(Reduce, Ireduce, in, out, count, MPI_INT, MPI_SUM, 0);
    case allreduce:
        EITHER(Allreduce, Iallreduce, in, out, count, MPI_INT, MPI_SUM);
    case allgather:
        EITHER(Allgather, Iallgather, in, count, MPI_INT, out, count, MPI_INT);
    case alltoall:
        EITHER(Alltoall, Ialltoall, in, count, MPI_INT, out, count, MPI_INT);
    default:
        EITHER(Reduce_scatter_block, Ireduce_scatter_block, in, out, count, MPI_INT, MPI_SUM);
    }
    if (!kind->nonblocking) return;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Element i of process r's input is r + i. Looks at the ends of what has come. */
static void check(const struct Kind* kind, int own, int size)
{
    const int count = blocks(kind, size), last = count - 1, sum = size * (size - 1) / 2;
    int right = 1;
    switch (kind->collective) {
    case bcast:
        right = out[0] == 0 && out[last] == last;
        break;
    case reduce:
        right = own != 0 || (out[0] == sum && out[last] == sum + size * last);
        break;
    case allreduce:
        right = out[0] == sum && out[last] == sum + size * last;
        break;
    case allgather:
        right = out[0] == 0 && out[size * count - 1] == size - 1 + last;
        break;
    case alltoall:
        right = out[0] == own * count && out[size * count - 1] == size - 1 + own * count + last;
        break;
    default:
        right = out[0] == sum + size * own * count;
        break;
    }
    if (!right) fail(kind);
}

static void make(struct Kind* kind, int step)
{
    int own, size;
    MPI_Comm_rank(on[kind->comm], &own);
    MPI_Comm_size(on[kind->comm], &size);
    for (int i = 0; i < kind->count; ++i) in[i] = own + i;
    for (int i = 0; i < kind->count; ++i) out[i] = kind->collective == bcast && own == 0 ? i : -1;
    const int late = drawn(8) == 0 ? (int)drawn(1024) : -1; /* alike on all processes */
    rest((double)((unsigned)rand() % 200) * 1e-6);
    if (late >= 0 && late % size == own) rest(2e-3);
    const double began = MPI_Wtime();
    call(kind, own, size);
    kind->times[step] = MPI_Wtime() - began;
    check(kind, own, size);
}

static int ascending(const void* one, const void* other)
{
    const double difference = *(const double*)one - *(const double*)other;
    return (difference > 0) - (difference < 0);
}

static double median(double* times, int count)
{
    qsort(times, (size_t)count, sizeof *times, ascending);
    return times[count / 2];
}

static void tell(struct Kind* kind)
{
    int world;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    const int meets = kind->collective >= allreduce && !kind->nonblocking;
    double* const of_all = malloc((size_t)steps * sizeof *of_all);
    PMPI_Reduce(kind->times, of_all, steps, MPI_DOUBLE, meets ? MPI_MIN : MPI_SUM, 0,
                MPI_COMM_WORLD);
    if (rank == 0) {
        const int third = steps / 3;
        const double first = median(of_all, third), last = median(of_all + steps - third, third),
                     parts = meets ? 1 : world;
        printf("%s %s%s %d %.3f %.3f\n", comm_names[kind->comm], kind->nonblocking ? "i" : "",
               names[kind->collective], kind->count * 4, 1e6 * first / parts, 1e6 * last / parts);
    }
    free(of_all);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    steps = argc > 1 ? atoi(argv[1]) : 30;
    const int ppn = argc > 2 ? atoi(argv[2]) : 4;
    const int largest = argc > 3 ? atoi(argv[3]) : 1 << 20;
    if (steps < 3 || ppn < 1 || largest < 1 << 12) MPI_Abort(MPI_COMM_WORLD, 2);
    srand((unsigned)rank + 1);
    on[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, rank % ppn, rank, &on[1]);
    in = malloc((size_t)largest);
    out = malloc((size_t)largest);
    for (int i = 0; i < kinds; ++i) {
        struct Kind* const kind = &all[i];
        kind->collective = i % collectives;
        kind->nonblocking = i / collectives % 2;
        kind->comm = i / (2 * collectives) % comms;
        kind->count = (largest / 4) >> (2 * (i / (2 * collectives * comms)));
        kind->times = malloc((size_t)steps * sizeof *kind->times);
    }
    const double began = MPI_Wtime();
    int order[kinds];
    for (int i = 0; i < kinds; ++i) order[i] = i;
    for (int step = 0; step < steps; ++step) {
        for (int left = kinds; left > 1; --left) {
            const unsigned other = drawn((unsigned)left);
            const int taken = order[other];
            order[other] = order[left - 1];
            order[left - 1] = taken;
        }
        for (int i = 0; i < kinds; ++i) make(&all[order[i]], step);
    }
    const double took = MPI_Wtime() - began;
    for (int i = 0; i < kinds; ++i) tell(&all[i]);
    if (rank == 0) printf("all %.3f\n", took);
    for (int i = 0; i < kinds; ++i) free(all[i].times);
    free(in);
    free(out);
    MPI_Comm_free(&on[1]);
    MPI_Finalize();
    return 0;
}
