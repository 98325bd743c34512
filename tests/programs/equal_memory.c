/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded by LD_PRELOAD: a node of 512 GiB, of which rank 1's system has reserved a little less. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

long sysconf(int name)
{
    long (*next)(int);
    *(void**)&next = dlsym(RTLD_NEXT, "sysconf");
    if (name != _SC_PHYS_PAGES) return next(name);
    const char* rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL) rank = getenv("PMI_RANK");
    return (rank != NULL && atoi(rank) == 1 ? 504L : 503L) * ((1L << 30) / next(_SC_PAGE_SIZE));
}
