/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "api/second_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "api/loaded_files.h"
#include "api/presence.h"

/* The file of another MPI library in the process, which is no part of the first; empty where there is none. */
static const char* second_library(const Library* first)
{
    static char path[PATH_MAX];
    Files files = laneway_all_files();
    for (size_t i = 0; i < files.count && *path == '\0'; ++i) {
        void* const handle = laneway_library_in(files.paths[i]);
        if (handle == NULL) continue;
        const int is_apart = handle != first->handle && !laneway_file_needs(handle, first->name) &&
                             !laneway_file_needs(first->handle, laneway_linked_name(handle));
        if (is_apart) snprintf(path, sizeof path, "%s", files.paths[i]);
        dlclose(handle);
    }
    laneway_forget_files(&files);
    return path;
}

void laneway_say_of_second_library(const Library* first)
{
    const char* const second = second_library(first);
    if (*second == '\0') return;
    const char* const rank = laneway_rank();
    const int is_strict = laneway_all_must_be_served();
    if (is_strict || rank == NULL || strcmp(rank, "0") == 0)
        fprintf(stderr,
                "laneway: rank %s: the process has two MPI libraries, %s and %s: only calls of the "
                "first are served%s\n",
                rank != NULL ? rank : "?", first->path, second,
                is_strict ? "; the job ends (LANEWAY_STRICT)" : "");
    if (is_strict) laneway_end_job(0);
}
