/* SPDX-License-Identifier: BSD-3-Clause */
/* To be preloaded: an MPI library with as few tags as MPI allows, or as TAGS says. Few tags on a small node stand for
 * the tags that MPI allows on a large one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found)
{
    static int least;
    const char* const tags = getenv("TAGS");
    least = tags ? atoi(tags) : 32767;
    int (*get)(MPI_Comm, int, void*, int*);
    *(void**)&get = dlsym(RTLD_NEXT, "PMPI_Comm_get_attr");
    const int code = get(comm, key, value, found);
    if (key == MPI_TAG_UB && code == MPI_SUCCESS && *found) *(int**)value = &least;
    return code;
}
