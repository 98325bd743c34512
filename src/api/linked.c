/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that are linked with Laneway, before the MPI library, hand their requests to it here, under both
 * names of each function; with the preload, there.
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

int laneway_startall(int count, MPI_Request* requests);
VISIBLE int MPI_Startall(int count, MPI_Request requests[])
{
    return laneway_startall(count, requests);
}
VISIBLE int PMPI_Startall(int count, MPI_Request requests[])
{
    return laneway_startall(count, requests);
}
