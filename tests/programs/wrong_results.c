/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded by LD_PRELOAD: an MPI library that makes a mistake in the last element of a call. */
#include <mpi.h>

static void spoil(void* data, int element) { ((int*)data)[element] ^= 1; }

int MPI_Sendrecv(const void* in, int sent, MPI_Datatype type, int to, int tag, void* out,
                 int received, MPI_Datatype other, int from, int mark, MPI_Comm comm,
                 MPI_Status* status)
{
    const int code =
        PMPI_Sendrecv(in, sent, type, to, tag, out, received, other, from, mark, comm, status);
    if (received > 0 && other == MPI_INT) spoil(out, received - 1);
    return code;
}
