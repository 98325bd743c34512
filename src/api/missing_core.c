/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "api/missing_core.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/presence.h"

static char failure[8192]; /* empty: nobody has asked for a core */
static int is_strict;
static int speaks; /* launchers number their processes */

void laneway_take_note_of_missing_core(const char* what, const char* about, const char* details)
{
    const char* const rank = laneway_rank();
    is_strict = laneway_all_must_be_served();
    speaks = rank == NULL || strcmp(rank, "0") == 0;
    snprintf(failure, sizeof failure, "%s %s%s%s", what, about, details != NULL ? ": " : "",
             details != NULL ? details : "");
}

int laneway_core_is_missing(void) { return failure[0] != '\0'; }

int laneway_core_must_be_there(void) { return is_strict; }

int laneway_speaks_of_missing_core(void) { return speaks; }

void laneway_say_core_is_missing(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&said)) return;
    const char* const rank = laneway_rank();
    char host[256] = "?";
    gethostname(host, sizeof host - 1);
    fprintf(stderr, "laneway: rank %s, %s: %s; %s\n", rank != NULL ? rank : "?", host, failure,
            is_strict ? "the job ends (LANEWAY_STRICT)" : "everything is served natively");
}
