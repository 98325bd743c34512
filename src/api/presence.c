/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of liblaneway_preload.so; does nothing unless `laneway exec` asked for it. */
#define _GNU_SOURCE
#include "api/presence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "machine/launched.h"
#include "report/new_file.h"

const char* laneway_rank(void)
{
    static const char* const variables[] = {LANEWAY_RANK_VARIABLES};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char* rank = secure_getenv(variables[i]);
        if (rank != NULL && *rank != '\0') return rank;
    }
    return NULL;
}

int laneway_all_must_be_served(void)
{
    const char* const strict = secure_getenv("LANEWAY_STRICT");
    return strict != NULL && strcmp(strict, "1") == 0;
}

void laneway_end_job(int seconds)
{
    const struct timespec pause = {.tv_sec = seconds, .tv_nsec = 200000000};
    nanosleep(&pause, NULL);
    _exit(EXIT_FAILURE);
}

void laneway_leave_mark(int is_known)
{
    const char* folder = secure_getenv("LANEWAY_MARKS");
    if (folder == NULL) return;
    const char* rank = laneway_rank();
    char name[64];
    const char* why = NULL;
    snprintf(name, sizeof name, "%s-%s", is_known ? "loaded" : "unknown",
             rank != NULL ? rank : "?");
    const int file =
        laneway_new_file(folder, name, &why); /* or another process of it left the mark */
    if (file >= 0) close(file);
}

/* Answers preloaded.sh. */
__attribute__((constructor)) static void say_loaded(void)
{
    /* In place: shells may hold their environment from before the constructors ran. */
    char* answer = secure_getenv("LANEWAY_LOADED");
    if (answer != NULL && strcmp(answer, "0") == 0) *answer = '1';
}
