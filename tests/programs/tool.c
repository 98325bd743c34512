/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiling tool as others write them: counts the calls that it sees, and says so at the end. */
#include <mpi.h>
#include <stdio.h>

static int bcasts, allreduces, allgathers, others;

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    ++bcasts;
    return PMPI_Bcast(buffer, count, datatype, root, comm);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    ++allreduces;
    return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    ++allgathers;
    return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm)
{
    ++others;
    return PMPI_Comm_split(comm, color, key, newcomm);
}

int MPI_Finalize(void)
{
    printf("tool: %d bcasts, %d allreduces, %d allgathers, %d others\n", bcasts, allreduces,
           allgathers, others);
    fflush(stdout);
    return PMPI_Finalize();
}
