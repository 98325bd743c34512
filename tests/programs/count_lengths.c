/* SPDX-License-Identifier: BSD-3-Clause */
/* To be preloaded: counts the messages of numbers by which Laneway's processes tell each other lengths of blocks. Data
 * of the program travel as bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

static int lengths, messages;

/* Messages of numbers so far, and all messages. */
void count_messages(int* of_numbers, int* all)
{
    *of_numbers = lengths;
    *all = messages;
}

#define COUNTED(name)                                                                         \
    int name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
             MPI_Request* request)                                                            \
    {                                                                                         \
        static int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*); \
        if (!send) *(void**)&send = dlsym(RTLD_NEXT, #name);                                  \
        lengths += type == MPI_INT64_T;                                                       \
        ++messages;                                                                           \
        return send(data, count, type, to, tag, comm, request);                               \
    }
COUNTED(PMPI_Isend)
COUNTED(PMPI_Issend)
