// SPDX-License-Identifier: BSD-3-Clause
// The large-count forms of the C API: one line a collective.
#include <laneway.h>

#include "call/front.hpp"
#include "call/run.hpp"

using namespace laneway;

extern "C" {

int laneway_bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return run(nullptr, comm, BcastFront{{buffer, count, datatype}, root, comm});
}

int laneway_scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                      MPI_Comm comm)
{
    return run(
        nullptr, comm,
        ScatterFront{{{sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm}});
}

int laneway_gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return run(
        nullptr, comm,
        GatherFront{{{recvbuf, recvcount, recvtype}, {sendbuf, sendcount, sendtype}, root, comm}});
}

int laneway_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return run(
        nullptr, comm,
        AllgatherFront{{sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, comm});
}

int laneway_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return run(nullptr, comm,
               AlltoallFront{{sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, comm});
}

int laneway_reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, int root, MPI_Comm comm)
{
    return run(nullptr, comm, ReduceFront{{sendbuf, recvbuf, count, datatype, op}, root, comm});
}

int laneway_allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm)
{
    return run(nullptr, comm, AllreduceFront{{sendbuf, recvbuf, count, datatype, op}, comm});
}

int laneway_reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return run(nullptr, comm,
               ReduceScatterBlockFront{{sendbuf, recvbuf, recvcount, datatype, op}, comm});
}

int laneway_scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm)
{
    return run(nullptr, comm, ScanFront{{sendbuf, recvbuf, count, datatype, op}, comm});
}

int laneway_exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm)
{
    return run(nullptr, comm, ExscanFront{{sendbuf, recvbuf, count, datatype, op}, comm});
}

}  // extern "C"
