/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of liblaneway_preload.so; does nothing unless `laneway exec` asked for it. */
#define _GNU_SOURCE
#include "api/presence.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/launched.h"

const char* laneway_rank(void)
{
    static const char* const variables[] = {LANEWAY_RANK_VARIABLES};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char* rank = getenv(variables[i]);
        if (rank != NULL && *rank != '\0') return rank;
    }
    return NULL;
}

void laneway_leave_mark(void)
{
    const char* folder = getenv("LANEWAY_MARKS");
    if (folder == NULL) return;
    const char* rank = laneway_rank();
    char path[PATH_MAX];
    const int length =
        snprintf(path, sizeof path, "%s/loaded-%s", folder, rank != NULL ? rank : "?");
    if (length < 0 || length >= PATH_MAX) return;
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
}

/* Answers preloaded.sh, and marks a process that is linked with MPI. One that loads MPI later is
 * marked at its first collective. */
__attribute__((constructor)) static void say_loaded(void)
{
    /* In place: shells may hold their environment from before the constructors ran. */
    char* answer = getenv("LANEWAY_LOADED");
    if (answer != NULL && strcmp(answer, "0") == 0) *answer = '1';
    if (getenv("LANEWAY_MARKS") != NULL && dlsym(RTLD_DEFAULT, "PMPI_Get_library_version") != NULL)
        laneway_leave_mark();
}
