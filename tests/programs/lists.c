/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: lists COMMUTES [COLLECTIVE=ALGORITHM ...]
 *
 * Reductions by an operator that looks at the whole message, as hypre's does: it takes the vector for one list, and
 * merges lists. MPI wants operators element by element, but libraries happen to call this one with all elements.
 *
 * Rank 0 prints a line for each collective, form and length. It says `right`, or `differs` and a digest of the results
 * where a list of some rank is wrong. It says `in parts` where the operator was called with another number of elements.
 * With arguments (compiled with -DNAMED, linked with Laneway), calls name these algorithms. */
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
#ifdef NAMED
#include <laneway.h>
#endif
#include "check.h"

enum { KEYS = 97 };
static int rank, size, commutes;
static int whole, parts; /* elements of the message; calls of the operator with another number */

/* ---- lists: their length, then numbers in ascending order of their keys ---- */

/* Among equal keys the left list's come first, unless the operator commutes. */
static int goes_before(int left, int right)
{
    return commutes ? left < right : left % KEYS <= right % KEYS;
}

static void merged(const int* left, const int* right, int* all, int room)
{
    int from = 1, other = 1, to = 1;
    while (to < room && (from <= left[0] || other <= right[0])) {
        const int takes_left =
            other > right[0] || (from <= left[0] && goes_before(left[from], right[other]));
        all[to++] = takes_left ? left[from++] : right[other++];
    }
    all[0] = to - 1;
}

/* Data that are no list, as a part of a longer one is none, stay as they are. */
static int is_list(const int* data, int elements) { return data[0] >= 0 && data[0] < elements; }

static void merge(void* left, void* right, int* elements, MPI_Datatype* type)
{
    (void)type;
    if (*elements != whole) ++parts;
    if (*elements < 1 || !is_list(left, *elements) || !is_list(right, *elements)) return;
    int* const all = calloc((size_t)*elements, sizeof *all);
    merged(left, right, all, *elements);
    memcpy(right, all, (size_t)*elements * sizeof *all);
    free(all);
}

/* Fills in the list of a rank, in a vector of `elements`; all of them together fit in. */
static void fill(int* vector, int of, int elements)
{
    memset(vector, 0, (size_t)elements * sizeof *vector);
    const int length = (elements - 1) / size;
    vector[0] = length;
    for (int at = 1; at <= length; ++at) {
        const int key = (int)((int64_t)at * KEYS / (length + 1));
        vector[at] = key + KEYS * (of * length + at);
    }
}

/* ---- calls ---- */

enum { REDUCE, ALLREDUCE, SCATTER, SCAN, EXSCAN, COLLECTIVES };
static const char* const names[] = {"reduce", "allreduce", "reduce_scatter_block", "scan",
                                    "exscan"};
enum { BLOCKING, IN_PLACE, LARGE_COUNT, NONBLOCKING, PERSISTENT, FORMS };
static const char* const forms[] = {"blocking", "in place", "large count", "nonblocking",
                                    "persistent"};

#if MPI_VERSION >= 4
#define LARGE(name, ...) MPI_##name##_c(__VA_ARGS__)
#else
#define LARGE(name, ...) MPI_##name(__VA_ARGS__)
#endif

#define BY_SETTINGS(Name, name, ...)                                              \
    do {                                                                          \
        if (form == BLOCKING || form == IN_PLACE) MPI_##Name(__VA_ARGS__);        \
        if (form == LARGE_COUNT) LARGE(Name, __VA_ARGS__);                        \
        if (form == NONBLOCKING) MPI_I##name(__VA_ARGS__, &request);              \
        if (form == PERSISTENT) INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, &request); \
    } while (0)
#ifdef NAMED
#define BY_NAME(name, ...)                                                                \
    do {                                                                                  \
        if (form == BLOCKING || form == IN_PLACE) laneway_##name##_with(by, __VA_ARGS__); \
        if (form == LARGE_COUNT) laneway_##name##_with_c(by, __VA_ARGS__);                \
        if (form == NONBLOCKING) laneway_i##name##_with(by, __VA_ARGS__, &request);       \
        if (form == PERSISTENT)                                                           \
            laneway_##name##_init_with(by, __VA_ARGS__, MPI_INFO_NULL, &request);         \
    } while (0)
#else
#define BY_NAME(name, ...) CHECK(!by)
#endif
#define CALL(Name, name, ...)                     \
    do {                                          \
        if (by)                                   \
            BY_NAME(name, __VA_ARGS__);           \
        else                                      \
            BY_SETTINGS(Name, name, __VA_ARGS__); \
    } while (0)

/* `by`: the algorithm; null: as the settings say. */
static void call(int collective, int form, const char* by, const void* in, int* out, int elements,
                 MPI_Op op, int root)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    const MPI_Datatype type = MPI_INT;
    const int block = elements / size;
    MPI_Request request = MPI_REQUEST_NULL;
    if (collective == REDUCE) CALL(Reduce, reduce, in, out, elements, type, op, root, comm);
    if (collective == ALLREDUCE) CALL(Allreduce, allreduce, in, out, elements, type, op, comm);
    if (collective == SCATTER)
        CALL(Reduce_scatter_block, reduce_scatter_block, in, out, block, type, op, comm);
    if (collective == SCAN) CALL(Scan, scan, in, out, elements, type, op, comm);
    if (collective == EXSCAN) CALL(Exscan, exscan, in, out, elements, type, op, comm);
    if (form == PERSISTENT) MPI_Start(&request);
    if (form == NONBLOCKING || form == PERSISTENT) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == PERSISTENT) MPI_Request_free(&request);
}

/* The merged lists of ranks 0 to `last`. */
static void expect(int* vector, int last, int elements)
{
    int* const more = malloc((size_t)elements * sizeof *more);
    int* const all = malloc((size_t)elements * sizeof *all);
    fill(vector, 0, elements);
    for (int other = 1; other <= last; ++other) {
        fill(more, other, elements);
        memset(all, 0, (size_t)elements * sizeof *all);
        merged(vector, more, all, elements);
        memcpy(vector, all, (size_t)elements * sizeof *all);
    }
    free(all);
    free(more);
}

/* Where the calling rank's result differs from what it must be, its digest; else 0. */
static uint64_t wrong(int collective, const int* result, int elements, int root)
{
    const int block = elements / size, is_block = collective == SCATTER;
    if ((collective == REDUCE && rank != root) || (collective == EXSCAN && rank == 0)) return 0;
    const int last = collective == SCAN ? rank : collective == EXSCAN ? rank - 1 : size - 1;
    int* const right = malloc((size_t)elements * sizeof *right);
    expect(right, last, elements);
    const int *from = right + (is_block ? rank * block : 0), length = is_block ? block : elements;
    uint64_t digest = 0;
    if (memcmp(from, result, (size_t)length * sizeof *from) != 0) {
        digest = 0xcbf29ce484222325U + (uint64_t)rank;
        for (int at = 0; at < length; ++at) {
            digest ^= (uint64_t)(uint32_t)result[at];
            digest *= 0x100000001b3U;
        }
    }
    free(right);
    return digest;
}

static void attempt(int collective, int form, const char* by, int elements, MPI_Op op)
{
    int* const in = malloc((size_t)elements * sizeof *in);
    int* const out = malloc((size_t)elements * sizeof *out);
    const int root = form == IN_PLACE ? 0 : size / 2; /* MPICH 4.0 mistakes other roots in place */
    const int in_place = form == IN_PLACE && (collective != REDUCE || rank == root);
    fill(in, rank, elements);
    memset(out, 0, (size_t)elements * sizeof *out);
    if (in_place) memcpy(out, in, (size_t)elements * sizeof *out);
    whole = elements;
    parts = 0;
    call(collective, form, by, in_place ? MPI_IN_PLACE : (const void*)in, out, elements, op, root);
    uint64_t digest = wrong(collective, out, elements, root), all = 0;
    int in_parts = 0;
    MPI_Reduce(&digest, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&parts, &in_parts, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    free(out);
    free(in);
    if (rank > 0) return;
    printf("%s %s %s %d: ", names[collective], by ? by : "chosen", forms[form], elements);
    all ? printf("differs %016llx", (unsigned long long)all) : printf("right");
    printf("%s\n", in_parts ? ", in parts" : "");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc > 1);
    commutes = atoi(argv[1]);
    const int lengths[] = {2 * size, 600 * size, 10000 * size};
    MPI_Op op;
    MPI_Op_create(merge, commutes, &op);
    MPI_Barrier(MPI_COMM_WORLD); /* nonblocking calls may be served from now on */
    for (int collective = 0; collective < COLLECTIVES; ++collective)
        for (int form = 0; form < FORMS; ++form)
            for (int length = 0; length < 3; ++length) {
                if (argc == 2) attempt(collective, form, NULL, lengths[length], op);
                for (int named = 2; named < argc && length < 2; ++named) {
                    const size_t prefix = strlen(names[collective]);
                    if (strncmp(argv[named], names[collective], prefix) == 0 &&
                        argv[named][prefix] == '=')
                        attempt(collective, form, argv[named] + prefix + 1, lengths[length], op);
                }
            }
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
