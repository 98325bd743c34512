/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts that launchers tell a process before MPI does, for C and C++. */
#ifndef LANEWAY_LAUNCHED_H
#define LANEWAY_LAUNCHED_H

/* Variables in which a process may find its number, in the order to ask; an empty one says nothing. preloaded.sh asks
 * for the same. */
#define LANEWAY_RANK_VARIABLES "PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"

/* Variables, likewise, in which a process may find its number among those of its node. */
#define LANEWAY_LOCAL_RANK_VARIABLES \
    "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"

#endif
