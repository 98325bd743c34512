/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries that take the place of the MPI library's, one line each: liblaneway_preload.so. */
#include <laneway.h>

LANEWAY_API int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return laneway_bcast(buffer, count, datatype, root, comm);
}

LANEWAY_API int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                            MPI_Comm comm)
{
    return laneway_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

LANEWAY_API int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return laneway_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

LANEWAY_API int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return laneway_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

LANEWAY_API int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return laneway_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

LANEWAY_API int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, int root, MPI_Comm comm)
{
    return laneway_reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
}

LANEWAY_API int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm)
{
    return laneway_allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

LANEWAY_API int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return laneway_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
}

LANEWAY_API int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm)
{
    return laneway_scan(sendbuf, recvbuf, count, datatype, op, comm);
}

LANEWAY_API int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm)
{
    return laneway_exscan(sendbuf, recvbuf, count, datatype, op, comm);
}

LANEWAY_API int MPI_Barrier(MPI_Comm comm) { return laneway_barrier(comm); }

#ifdef MPI_SESSION_NULL
LANEWAY_API int MPI_Session_finalize(MPI_Session* session)
{
    return laneway_session_finalize(session);
}
#endif
