/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI library of the process, and the build of Laneway for it. */
#ifndef LANEWAY_LIBRARY_H
#define LANEWAY_LIBRARY_H

#include <limits.h>

typedef struct {
    void* handle; /* null: there is no library */
    char path[PATH_MAX];
    const char* name;   /* the name that programs are linked with; its file's where it says none */
    const char* family; /* the family of builds that fit it; null: none does */
    const char* defect; /* why no build may serve it; null: nothing is known */
    int major, minor; /* the release of the library, or of the standard ABI; -1: it does not say */
} Library;

/* Is the process linked with an MPI library, so that this is there before the program starts? */
int laneway_is_linked_with_mpi(void);

/* Does `address` belong to an MPI library? */
int laneway_is_of_mpi(const void* address);

/* The MPI library that is there now. Where a search by name finds none, it is the one that `address` belongs to, or the
 * first one if `address` is null. Uses static memory: to be called once. */
const Library* laneway_find_library(const void* address);

/* The file of the core for the library; null where no build fits it, or where it cannot be looked for
 * (errno). Uses static memory: to be called once. */
const char* laneway_find_core(const Library* library);

#endif
