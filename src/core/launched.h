/* SPDX-License-Identifier: BSD-3-Clause */
/* What launchers tell a process before MPI does, for the preload (C) and the core (C++). */
#ifndef LANEWAY_LAUNCHED_H
#define LANEWAY_LAUNCHED_H

#include <stddef.h>
#include <stdlib.h>

/* The number that the launcher gave this process, as text; null where it gave none. preloaded.sh asks
 * for the same. */
static inline const char* rank_by_launcher(void)
{
    static const char* const variables[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK",
                                            "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char* rank = getenv(variables[i]);
        if (rank != NULL && *rank != '\0') return rank;
    }
    return NULL;
}

#endif
