/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that has no MPI_COMM_WORLD after MPI_Finalize, as the standard allows, while a session is
 * there: whoever asks for it ends the job. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void look_at(MPI_Comm comm, const char* function)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized || (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF)) return;
    fprintf(stderr, "%s after MPI_Finalize\n", function);
    _Exit(1);
}

#define STRICT(function, Argument)                       \
    int function(MPI_Comm comm, Argument argument)       \
    {                                                    \
        int (*library)(MPI_Comm, Argument);              \
        *(void**)&library = dlsym(RTLD_NEXT, #function); \
        look_at(comm, #function);                        \
        return library(comm, argument);                  \
    }

STRICT(PMPI_Comm_rank, int*)
STRICT(PMPI_Comm_size, int*)
STRICT(PMPI_Comm_group, MPI_Group*)
