/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that are linked with Laneway before the MPI library hand their requests and communicators to Laneway
 * here, under both names of each function. Under the preload they hand them to preload.c.
 */
#include <mpi.h>

#define VISIBLE __attribute__((visibility("default")))

#define BOTH(name, in_core, type)                                                 \
    int laneway_##in_core(type argument);                                         \
    VISIBLE int MPI_##name(type argument) { return laneway_##in_core(argument); } \
    VISIBLE int PMPI_##name(type argument) { return laneway_##in_core(argument); }

BOTH(Start, start, MPI_Request*)
BOTH(Request_free, request_free, MPI_Request*)
BOTH(Cancel, cancel, MPI_Request*)
BOTH(Op_free, op_free, MPI_Op*)
BOTH(Type_free, type_free, MPI_Datatype*)
BOTH(Comm_free, comm_free, MPI_Comm*)
BOTH(Comm_disconnect, comm_disconnect, MPI_Comm*)

int laneway_startall(int count, MPI_Request* requests);
VISIBLE int MPI_Startall(int count, MPI_Request requests[])
{
    return laneway_startall(count, requests);
}
VISIBLE int PMPI_Startall(int count, MPI_Request requests[])
{
    return laneway_startall(count, requests);
}

int laneway_comm_idup(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request);
VISIBLE int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request)
{
    return laneway_comm_idup(comm, copy, request);
}
VISIBLE int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request)
{
    return laneway_comm_idup(comm, copy, request);
}

/* Declared here: some libraries have it before they have all of MPI 4. */
int laneway_comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* copy, MPI_Request* request);
VISIBLE int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* copy,
                                    MPI_Request* request)
{
    return laneway_comm_idup_with_info(comm, info, copy, request);
}
VISIBLE int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* copy,
                                     MPI_Request* request)
{
    return laneway_comm_idup_with_info(comm, info, copy, request);
}
