/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiling tool that counts calls of a broadcast, and of two collectives that Laneway only counts here. It
 * says so. */
#include <mpi.h>
#include <stdio.h>

static int bcasts, gathervs, ibcasts;

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    ++bcasts;
    return PMPI_Bcast(buffer, count, datatype, root, comm);
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                MPI_Comm comm)
{
    ++gathervs;
    return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                        comm);
}

#if MPI_VERSION >= 4
int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 MPI_Request* request)
{
    ++ibcasts;
    return PMPI_Ibcast_c(buffer, count, datatype, root, comm, request);
}

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    ++bcasts;
    return PMPI_Bcast_c(buffer, count, datatype, root, comm);
}

int MPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                  int root, MPI_Comm comm)
{
    ++gathervs;
    return PMPI_Gatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                          comm);
}
#endif

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request* request)
{
    ++ibcasts;
    return PMPI_Ibcast(buffer, count, datatype, root, comm, request);
}

int MPI_Finalize(void)
{
    printf("tool: %d bcasts, %d gathervs, %d ibcasts\n", bcasts, gathervs, ibcasts);
    fflush(stdout);
    return PMPI_Finalize();
}
