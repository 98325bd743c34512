/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that the loader has brought into the process, and which of them are MPI libraries. */
#ifndef LANEWAY_LOADED_FILES_H
#define LANEWAY_LOADED_FILES_H

#include <stddef.h>

/* A function that every MPI library has and nobody takes the place of. */
extern const char laneway_landmark[];

/* The file that `address` belongs to; empty where there is none. */
const char* laneway_file_of(const void* address);

/* All files, in the order of loading. */
typedef struct {
    char** paths;
    size_t count;
} Files;
Files laneway_all_files(void);
void laneway_forget_files(Files* files);

/* The handle of a file that is an MPI library, as it defines the landmark itself; null for any other file. */
void* laneway_library_in(const char* path);

/* The name that the linker writes into programs (SONAME), whatever the file is called; null where there is none. */
const char* laneway_linked_name(void* handle);

/* Whether a file brings along another one, which is known by its linked name. */
int laneway_file_needs(void* handle, const char* name);

#endif
