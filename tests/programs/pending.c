/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that are pending while many others begin.
 *
 *     pending many    broadcasts, which one process begins after the others have begun theirs all
 *     pending beside  a long allreduce, and blocking broadcasts beside it
 *     pending copies  a scan of elements with gaps, which one process begins late, and many operations after it
 *
 * In the last case, the operations are so many that tags come round meanwhile. Those without data take few each, and
 * some operation has the tag of a copy. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { LENGTH = 8 };

static int rank, size;

static void fill(int* data, int number)
{
    for (int at = 0; at < LENGTH; ++at) data[at] = rank == number % size ? number * 1000 + at : -1;
}

static void add_gapped(void* in, void* inout, int* length, MPI_Datatype* type)
{
    (void)type;
    for (int at = 0; at < 2 * *length; at += 2) ((int*)inout)[at] += ((const int*)in)[at];
}

static int is_right(const int* data, int number)
{
    for (int at = 0; at < LENGTH; ++at)
        if (data[at] != number * 1000 + at) return 0;
    return 1;
}

static void many(int count)
{
    int (*const data)[LENGTH] = malloc((size_t)count * sizeof *data);
    MPI_Request* const requests = malloc((size_t)count * sizeof *requests);
    int go = 0, wrong = 0;
    for (int number = 0; number < count; ++number) fill(data[number], number);
    if (rank == 2) MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int number = 0; number < count; ++number)
        MPI_Ibcast(data[number], LENGTH, MPI_INT, number % size, MPI_COMM_WORLD, requests + number);
    if (rank == 0) MPI_Send(&go, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    while (count-- > 0) {
        MPI_Wait(requests + count, MPI_STATUS_IGNORE);
        wrong += !is_right(data[count], count);
    }
    if (wrong > 0) printf("rank %d: %d broadcasts are wrong\n", rank, wrong);
    CHECK(wrong == 0);
    free(data);
    free(requests);
}

static void beside(int count)
{
    enum { LONG = 400000 };
    int* const mine = malloc(2 * LONG * sizeof *mine);
    int* const sum = mine + LONG;
    MPI_Request request;
    for (int at = 0; at < LONG; ++at) mine[at] = rank + at;
    MPI_Iallreduce(mine, sum, LONG, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int number = 0; number < count; ++number) {
        int data[LENGTH];
        fill(data, number);
        MPI_Bcast(data, LENGTH, MPI_INT, number % size, MPI_COMM_WORLD);
        CHECK(is_right(data, number));
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int at = 0; at < LONG; ++at) CHECK(sum[at] == size * at + size * (size - 1) / 2);
    free(mine);
}

static void copies(int count, int with_data)
{
    enum { GAPPED = 2 * LENGTH };
    int mine[GAPPED], sum[GAPPED], go = 0;
    int (*const data)[LENGTH] = malloc((size_t)count * sizeof *data);
    MPI_Request* const requests = malloc((size_t)count * sizeof *requests);
    MPI_Datatype gapped;
    MPI_Op add;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gapped);
    MPI_Type_commit(&gapped);
    MPI_Op_create(add_gapped, 1, &add);
    for (int number = 0; number < count; ++number) fill(data[number], 0);
    MPI_Bcast(data[0], LENGTH, MPI_INT, 0, MPI_COMM_WORLD);
    for (int at = 0; at < GAPPED; ++at) mine[at] = rank + at;
    if (rank == 1) MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iscan(mine, sum, LENGTH, gapped, add, MPI_COMM_WORLD, requests);
    for (int number = 1; number < count; ++number)
        MPI_Ibcast(data[number], number > with_data ? 0 : LENGTH, MPI_INT, 0, MPI_COMM_WORLD,
                   requests + number);
    if (rank == 0) MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    while (count-- > 0) MPI_Wait(requests + count, MPI_STATUS_IGNORE);
    for (int number = 0; number <= with_data; ++number) CHECK(is_right(data[number], 0));
    for (int at = 0; at < GAPPED; at += 2)
        CHECK(sum[at] == (rank + 1) * at + rank * (rank + 1) / 2);
    MPI_Op_free(&add);
    MPI_Type_free(&gapped);
    free(data);
    free(requests);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 2 && size > 2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "many") == 0)
        many(1200);
    else if (strcmp(argv[1], "copies") == 0)
        copies(800, 680);
    else
        beside(500);
    if (rank == 0) printf("done\n");
    MPI_Finalize();
    return 0;
}
