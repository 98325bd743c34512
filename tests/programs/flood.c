/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: flood bcast|ibcast|reduce|gather BYTES CALLS FILE
 *
 * Collectives that the last process but one comes to late, again and again. It waits for a message of the last one,
 * which takes no part, while the others go on. Prints by how many calls one of them was ahead of it when it came.
 * Prints also by how many KiB the memory of a process has grown since its first calls. FILE is for the former. */
#include "check.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ranks_at_most = 64, first_calls = 8, times_late = 4, microseconds_late = 400 * 1000 };

static long memory(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss;
}

static atomic_long* calls_of_ranks(const char* path)
{
    const size_t bytes = ranks_at_most * sizeof(atomic_long);
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(file >= 0 && ftruncate(file, (off_t)bytes) == 0);
    atomic_long* const calls = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(calls != MAP_FAILED);
    return calls;
}

/* The caller makes the data: each process has as many blocks as the collective needs. */
static void call(const char* collective, char* data, char* all, int bytes, int root, MPI_Comm comm)
{
    if (strcmp(collective, "bcast") == 0) {
        MPI_Bcast(data, bytes, MPI_BYTE, 0, comm);
    } else if (strcmp(collective, "ibcast") == 0) {
        MPI_Request request;
        MPI_Ibcast(data, bytes, MPI_BYTE, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(collective, "reduce") == 0) {
        MPI_Reduce(data, all, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, root, comm);
    } else {
        CHECK(strcmp(collective, "gather") == 0);
        MPI_Gather(data, bytes, MPI_BYTE, all, bytes, MPI_BYTE, root, comm);
    }
}

int main(int argc, char** argv)
{
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    CHECK(argc == 5);
    const char* const collective = argv[1];
    const int bytes = atoi(argv[2]);
    const long calls = atol(argv[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size > 2 && size <= ranks_at_most);
    const int late = size - 2, other = size - 1;
    atomic_long* const done = calls_of_ranks(argv[4]);
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank == other, rank, &comm);

    long ahead = 0, grown = 0;
    if (rank == other) {
        for (int time = 0; time < times_late; ++time) {
            MPI_Recv(&token, 1, MPI_INT, late, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            usleep(microseconds_late);
            MPI_Send(&token, 1, MPI_INT, late, 0, MPI_COMM_WORLD);
        }
    } else {
        char* const data = calloc(1, (size_t)bytes);
        char* const all = calloc((size_t)size, (size_t)bytes);
        CHECK(data != NULL && all != NULL);
        if (rank == late) memset(all, 1, (size_t)size * (size_t)bytes);
        for (int i = 0; i < first_calls; ++i) call(collective, data, all, bytes, late, comm);
        MPI_Barrier(comm);
        const long before = memory();
        for (long i = 0; i < calls; ++i) {
            if (rank == late && i % ((calls + times_late - 1) / times_late) == 0) {
                MPI_Sendrecv(&token, 1, MPI_INT, other, 0, &token, 1, MPI_INT, other, 0,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int one = 0; one < late; ++one)
                    if (done[one] - i > ahead) ahead = done[one] - i;
            }
            call(collective, data, all, bytes, late, comm);
            done[rank] = i + 1;
        }
        grown = memory() - before;
        free(data);
        free(all);
    }
    MPI_Comm_free(&comm);
    long mine[] = {ahead, grown}, most[2];
    MPI_Allreduce(mine, most, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld %ld\n", most[0], most[1]);
    MPI_Finalize();
    return 0;
}
