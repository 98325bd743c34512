/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded by LD_PRELOAD: rank 1 sleeps SLOW_US microseconds longer than it means to. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int is_rank_1(void)
{
    const char* rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL) rank = getenv("PMI_RANK");
    return rank != NULL && atoi(rank) == 1;
}

int nanosleep(const struct timespec* wanted, struct timespec* left)
{
    static int (*next)(const struct timespec*, struct timespec*);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "nanosleep");
    const int code = next(wanted, left);
    if (code == 0 && is_rank_1()) usleep((useconds_t)atoi(getenv("SLOW_US")));
    return code;
}
