/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI library of the process, and the build of Laneway for it. */
#ifndef LANEWAY_LIBRARY_H
#define LANEWAY_LIBRARY_H

#include <limits.h>

typedef struct {
    void* handle; /* null: there is no library */
    char path[PATH_MAX];
    const char* family; /* of builds that fit it; null: none does */
    int major, minor;   /* -1: it does not say */
} Library;

/* Is the process linked with one, so that it is there before the program starts? */
int laneway_is_linked_with_mpi(void);

/* The one that is there now. Uses static memory: to be called once. */
const Library* laneway_find_library(void);

/* The file of the core for the library; null where no build fits it, or where it cannot be looked for
 * (errno). As above. */
const char* laneway_find_core(const Library* library);

/* The file that `address` belongs to; empty where there is none. */
const char* laneway_file_of(const void* address);

#endif
