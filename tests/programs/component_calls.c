/* SPDX-License-Identifier: BSD-3-Clause */
/* Which collectives of the MPI library the algorithms call on their parts: this program has the names that they call
 * them by. Says how many allgathers and barriers a short and a long allgather and a barrier needed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <laneway.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int allgathers, barriers;

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    ++allgathers;
    return NEXT(PMPI_Allgather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int PMPI_Barrier(MPI_Comm comm)
{
    ++barriers;
    return NEXT(PMPI_Barrier)(comm);
}

static int allgathers_of(int bytes)
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* const data = calloc((size_t)size + 1, (size_t)bytes);
    const int before = allgathers;
    laneway_allgather(data + (size_t)size * (size_t)bytes, bytes, MPI_BYTE, data, bytes, MPI_BYTE,
                      MPI_COMM_WORLD);
    free(data);
    return allgathers - before;
}

int main(int argc, char** argv)
{
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    laneway_barrier(MPI_COMM_WORLD); /* the first call prepares the communicator */
    const int of_short = allgathers_of(4096), of_long = allgathers_of(4097);
    const int before = barriers;
    laneway_barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("short %d, long %d, barrier %d\n", of_short, of_long, barriers - before);
    MPI_Finalize();
    return 0;
}
