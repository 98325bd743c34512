/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the algorithms send messages of their own on their parts, or leave that to collectives of the MPI library.
 * This program has the function that they send by, which libraries do not call. Says in which of a short allgather, a
 * long one and a barrier somebody sent. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <laneway.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int messages;

int PMPI_Isend(const void* data, int count, MPI_Datatype datatype, int to, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    ++messages;
    return ((__typeof__(&PMPI_Isend))dlsym(RTLD_NEXT, "PMPI_Isend"))(data, count, datatype, to, tag,
                                                                     comm, request);
}

static const char* by_whom(int before)
{
    const int own = messages - before;
    int all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all > 0 ? "ours" : "the library's";
}

static const char* allgather(int bytes)
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* const data = calloc((size_t)size + 1, (size_t)bytes);
    const int before = messages;
    laneway_allgather(data + (size_t)size * (size_t)bytes, bytes, MPI_BYTE, data, bytes, MPI_BYTE,
                      MPI_COMM_WORLD);
    free(data);
    return by_whom(before);
}

int main(int argc, char** argv)
{
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    laneway_barrier(MPI_COMM_WORLD); /* the first call prepares the communicator */
    const char* const of_short =
        allgather(512); /* its components have as much for six ranks at most */
    const char* const of_long = allgather(4097);
    const int before = messages;
    laneway_barrier(MPI_COMM_WORLD);
    const char* const of_barrier = by_whom(before);
    if (rank == 0) printf("%s, %s, %s\n", of_short, of_long, of_barrier);
    MPI_Finalize();
    return 0;
}
