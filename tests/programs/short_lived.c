/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: short_lived ROUNDS [met]; SHORT_LIVED_LIBRARY names the MPI library
 *
 * The cost of a communicator that lives shortly: made (by MPI_Comm_dup, or by MPI_Comm_split into halves), 1, 2 or 5
 * collectives, freed. Calls under the preload take turns with the same by the library's own functions. Prints a line
 * each: what it was, the median of both in us, their ratio. With "met", all processes have met under the preload
 * before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most_rounds = 10000, most_doubles = 1 << 13 };

/* The calls of one side. */
typedef struct {
    int (*allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm);
    int (*free)(MPI_Comm*);
    int (*barrier)(MPI_Comm);
    int (*reduce)(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
} Side;
static Side library;

static double input[most_doubles], result[most_doubles];

static double seconds_of(const Side* side, int halves, int collectives, int count, int rank)
{
    MPI_Comm comm;
    library.barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    if (halves)
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < collectives; ++i) {
        if (count == 1)
            CHECK(side->allreduce(input, result, count, MPI_DOUBLE, MPI_SUM, comm) == 0);
        else
            CHECK(side->bcast(input, count, MPI_DOUBLE, 0, comm) == 0);
    }
    CHECK(side->free(&comm) == MPI_SUCCESS);
    return MPI_Wtime() - began;
}

static int ascending(const void* a, const void* b)
{
    return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

static double median(double* values, int number)
{
    qsort(values, (size_t)number, sizeof *values, ascending);
    return values[number / 2];
}

static void* of_library(const char* name)
{
    void* const library = dlopen(getenv("SHORT_LIVED_LIBRARY"), RTLD_LAZY | RTLD_NOLOAD);
    CHECK(library != NULL);
    return dlsym(library, name);
}

int main(int argc, char** argv)
{
    static double times[2][most_rounds];
    int rank;
    CHECK(argc > 1);
    const int rounds = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *(void**)&library.allreduce = of_library("PMPI_Allreduce");
    *(void**)&library.bcast = of_library("PMPI_Bcast");
    *(void**)&library.free = of_library("PMPI_Comm_free");
    *(void**)&library.barrier = of_library("PMPI_Barrier");
    *(void**)&library.reduce = of_library("PMPI_Reduce");
    const Side sides[] = {library, {MPI_Allreduce, MPI_Bcast, MPI_Comm_free, NULL, NULL}};
    for (int meeting = 0; argc > 2 && meeting < 3; ++meeting) MPI_Barrier(MPI_COMM_WORLD);
    for (int count = 1; count <= most_doubles; count *= most_doubles)
        for (int halves = 0; halves < 2; ++halves)
            for (int collectives = 1; collectives <= 5; collectives += collectives == 1 ? 1 : 3) {
                for (int round = 0; round < rounds; ++round)
                    for (int turn = 0; turn < 2; ++turn) {
                        const int side = (turn + round) % 2;
                        double slowest = 0;
                        const double mine =
                            seconds_of(&sides[side], halves, collectives, count, rank);
                        library.reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
                        times[side][round] = slowest * 1e6;
                    }
                if (rank != 0) continue;
                const double native = median(times[0], rounds),
                             preloaded = median(times[1], rounds);
                printf("%s, %d of %s of %d B | %.0f | %.0f | %.2f\n", halves ? "half" : "duplicate",
                       collectives, count == 1 ? "allreduce" : "bcast", count * 8, native,
                       preloaded, preloaded / native);
            }
    MPI_Finalize();
    return 0;
}
