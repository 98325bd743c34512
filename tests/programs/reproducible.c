/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of numbers whose sums depend on the order of addition, in one call and in pieces, to all
 * roots, in place, nonblocking and persistent. Rank 0 prints a line for each operator and collective. It is
 * a digest of all ranks' results, or says that they differ from those of the first call.
 *
 * With an argument, other things instead: see main. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif
#include "check.h"

enum { BLOCK = 1201, LARGEST = 16 };
static int rank, size;

/* Element `at` of a rank: many magnitudes, both signs, made without rounding. */
static double number(int of, int at)
{
    uint32_t mixed = (uint32_t)of * 2654435761U + (uint32_t)at * 40503U + 1;
    mixed = (mixed ^ (mixed >> 15U)) * 0x2c1b3c6dU;
    mixed ^= mixed >> 12U;
    const double parts[] = {1e-9, 1.0 / 3, 7e4, 1e9};
    return (double)(int32_t)(mixed | 1U) * parts[mixed % 4] / 4294967296.0;
}

/* Neither commutes nor is associative to the last bit (nor at all); the second one says that it commutes. */
static void fading(void* left, void* right, int* count, MPI_Datatype* type)
{
    (void)type;
    for (int i = 0; i < *count; ++i)
        ((double*)right)[i] = ((double*)left)[i] * 0.75 + ((double*)right)[i];
}

/* ---- the kinds of elements ---- */

typedef struct {
    const char* name;
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes, digested; /* bytes of an element; those of them that a digest is of */
} Kind;

static void fill(const Kind* kind, void* data, int count)
{
    for (int at = 0; at < count; ++at) {
        const double zeros[] = {0.0, -0.0, NAN, -1};
        const double value =
            kind->op == MPI_MAX ? zeros[(rank * 7 + at * 5 + at / 11) % 4] : number(rank, at);
        if (kind->type == MPI_FLOAT) ((float*)data)[at] = (float)value;
        if (kind->type == MPI_DOUBLE) ((double*)data)[at] = value;
        if (kind->type == MPI_LONG_DOUBLE) ((long double*)data)[at] = (long double)value / 3;
    }
}

static uint64_t digest_of(const Kind* kind, const void* data, int count)
{
    uint64_t digest = 0xcbf29ce484222325U;
    for (int at = 0; at < count; ++at)
        for (size_t byte = 0; byte < kind->digested; ++byte) {
            digest ^= ((const unsigned char*)data)[(size_t)at * kind->bytes + byte];
            digest *= 0x100000001b3U;
        }
    return digest;
}

/* ---- the collectives ---- */

enum { REDUCE, ALLREDUCE, SCATTER, SCATTER_ROW, SCAN, EXSCAN, COLLECTIVES };
static const char* const names[] = {"reduce",         "allreduce", "reduce_scatter_block",
                                    "reduce_scatter", "scan",      "exscan"};
enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static int has_blocks(int collective) { return collective == SCATTER || collective == SCATTER_ROW; }

/* `count`: the elements of a block, where there is one a rank. */
static void call(const Kind* kind, int collective, int form, const void* in, void* out, int count,
                 int root)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const MPI_Datatype type = kind->type;
    const MPI_Op op = kind->op;
    const MPI_Comm comm = MPI_COMM_WORLD;
#define EITHER(name, lower, ...)                                                  \
    do {                                                                          \
        if (form == BLOCKING) MPI_##name(__VA_ARGS__);                            \
        if (form == NONBLOCKING) MPI_I##lower(__VA_ARGS__, &request);             \
        if (form == PERSISTENT) INIT(name)(__VA_ARGS__, MPI_INFO_NULL, &request); \
    } while (0)
    if (collective == REDUCE) EITHER(Reduce, reduce, in, out, count, type, op, root, comm);
    if (collective == ALLREDUCE) EITHER(Allreduce, allreduce, in, out, count, type, op, comm);
    if (collective == SCATTER)
        EITHER(Reduce_scatter_block, reduce_scatter_block, in, out, count, type, op, comm);
    int* const counts = malloc((size_t)size * sizeof *counts);
    for (int block = 0; block < size; ++block) counts[block] = count;
    if (collective == SCATTER_ROW)
        EITHER(Reduce_scatter, reduce_scatter, in, out, counts, type, op, comm);
    if (collective == SCAN) EITHER(Scan, scan, in, out, count, type, op, comm);
    if (collective == EXSCAN) EITHER(Exscan, exscan, in, out, count, type, op, comm);
    if (form == PERSISTENT) MPI_Start(&request);
    if (form != BLOCKING) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == PERSISTENT) MPI_Request_free(&request);
    free(counts);
}

/* Whether the results of all ranks are those of before; `first`: keeps them. */
typedef struct {
    const Kind* kind;
    int collective, count;
    char *expected, *found;
    int differ;
} Trial;

static int has_result(const Trial* trial, int root)
{
    if (trial->collective == REDUCE) return rank == root;
    return trial->collective != EXSCAN || rank > 0;
}

static void look(Trial* trial, const char* what, int root)
{
    const size_t bytes = trial->kind->bytes;
    int differs = 0;
    for (int at = 0; has_result(trial, root) && at < trial->count; ++at)
        if (memcmp(trial->expected + (size_t)at * bytes, trial->found + (size_t)at * bytes,
                   trial->kind->digested) != 0)
            differs = 1;
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (differs && rank == 0)
        printf("%s %s differs %s\n", names[trial->collective], trial->kind->name, what);
    trial->differ |= differs;
    memset(trial->found, 0, (size_t)trial->count * bytes);
}

/* Reduces a piece of the elements; in a scatter, its own stretch of every block, brought together. */
static void piece(Trial* trial, const char* in, int first, int count, int root)
{
    const size_t bytes = trial->kind->bytes;
    char* const to = trial->found + (size_t)first * bytes;
    if (!has_blocks(trial->collective)) {
        call(trial->kind, trial->collective, BLOCKING, in + (size_t)first * bytes, to, count, root);
        return;
    }
    char* const blocks = malloc((size_t)(count * size) * bytes);
    for (int block = 0; block < size; ++block)
        memcpy(blocks + (size_t)(block * count) * bytes,
               in + (size_t)(block * trial->count + first) * bytes, (size_t)count * bytes);
    call(trial->kind, trial->collective, BLOCKING, blocks, to, count, root);
    free(blocks);
}

static void in_place(Trial* trial, const char* in, int root)
{
    const int elements = trial->count * (has_blocks(trial->collective) ? size : 1);
    const size_t all = (size_t)elements * trial->kind->bytes;
    char* const both = malloc(all);
    memcpy(both, in, all);
    const int is_leaf = trial->collective == REDUCE && rank != root;
    call(trial->kind, trial->collective, BLOCKING, is_leaf ? in : MPI_IN_PLACE, both, trial->count,
         root);
    memcpy(trial->found, both, (size_t)trial->count * trial->kind->bytes);
    free(both);
}

/* Everyone's result of the first call; of a reduction to a root, everyone's as a root. */
static uint64_t tried(const Kind* kind, int collective, const char* in, char* expected, char* found)
{
    Trial trial = {kind,     collective, has_blocks(collective) ? BLOCK : BLOCK * size,
                   expected, found,      0};
    const int roots = collective == REDUCE ? size : 1;
    memset(expected, 0, (size_t)trial.count * kind->bytes);
    for (int root = 0; root < roots; ++root)
        call(kind, collective, BLOCKING, in, expected, trial.count, root);
    if (collective == REDUCE) { /* all roots have the same */
        uint64_t mine = digest_of(kind, expected, trial.count), first = mine;
        MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        CHECK(first == mine || printf("reduce %s differs by root\n", kind->name));
    }
    for (int root = 0; root < roots; ++root) {
        call(kind, collective, BLOCKING, in, found, trial.count, root);
        look(&trial, "when repeated", root);
        call(kind, collective, NONBLOCKING, in, found, trial.count, root);
        look(&trial, "nonblocking", root);
        call(kind, collective, PERSISTENT, in, found, trial.count, root);
        look(&trial, "persistent", root);
        in_place(&trial, in, root);
        look(&trial, "in place", root);
        int length = 1;
        for (int first = 0; first < trial.count; first += length, length = length * 5 / 2 + 1) {
            if (length > trial.count - first) length = trial.count - first;
            piece(&trial, in, first, length, root);
        }
        look(&trial, "in pieces", root);
    }
    return digest_of(kind, expected, trial.count);
}

static void tried_with(const Kind* kind)
{
    const size_t all = (size_t)(BLOCK * size) * LARGEST;
    char *in = malloc(all), *expected = malloc(all), *found = malloc(all);
    uint64_t* const digests = malloc((size_t)size * sizeof *digests);
    for (int collective = 0; collective < COLLECTIVES; ++collective) {
        memset(in, 0, all);
        fill(kind, in, BLOCK * size);
        const uint64_t mine = tried(kind, collective, in, expected, found);
        MPI_Gather(&mine, 1, MPI_UINT64_T, digests, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        if (rank > 0) continue;
        printf("%s %s", names[collective], kind->name);
        for (int other = 0; other < size; ++other)
            printf(" %016llx", (unsigned long long)digests[other]);
        printf("\n");
    }
    free(digests);
    free(in);
    free(expected);
    free(found);
}

static void all_kinds(void)
{
    MPI_Op ordered, any_order;
    MPI_Op_create(fading, 0, &ordered);
    MPI_Op_create(fading, 1, &any_order);
    const Kind kinds[] = {
        {"double sum", MPI_DOUBLE, MPI_SUM, sizeof(double), sizeof(double)},
        {"float product", MPI_FLOAT, MPI_PROD, sizeof(float), sizeof(float)},
        {"long double sum", MPI_LONG_DOUBLE, MPI_SUM, sizeof(long double), 10},
        {"double fading", MPI_DOUBLE, ordered, sizeof(double), sizeof(double)},
        {"double fading, said to commute", MPI_DOUBLE, any_order, sizeof(double), sizeof(double)},
    };
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) tried_with(&kinds[kind]);
    MPI_Op_free(&ordered);
    MPI_Op_free(&any_order);
}

/* Zeros of both signs, and what is no number. */
static void zeros(void)
{
    const Kind kind = {"double max", MPI_DOUBLE, MPI_MAX, sizeof(double), sizeof(double)};
    tried_with(&kind);
}

/* ---- what is not covered ---- */

static void between_groups(void)
{
    MPI_Comm half, between;
    double mine = 1, sum = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &between);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static void nonblocking_first(void)
{
    MPI_Request request;
    double mine = 1, sum = 0;
    MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void alone(void)
{
    double mine = 1, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    MPI_Allreduce(&mine, &sum, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv)
{
    const char* const what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "between-groups") == 0)
        between_groups();
    else if (strcmp(what, "nonblocking-first") == 0)
        nonblocking_first();
    else if (strcmp(what, "alone") == 0)
        alone();
    else if (strcmp(what, "zeros") == 0)
        zeros();
    else
        all_kinds();
    MPI_Finalize();
    return 0;
}
