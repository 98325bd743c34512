/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the preload for the part that answers lookups. */
#ifndef LANEWAY_LOOKUPS_H
#define LANEWAY_LOOKUPS_H

#include "api/words.h"

/* The preload's PMPI_X for MPI_X, PMPI_X and the extensions MPIX_X, PMPIX_X; null: it has none of that name. */
Function* laneway_entry(const char* name);

/* Do the preload's functions call the MPI library that has `address`? Settles what they call, where that is open. */
int laneway_serves_library_of(const void* address);

#endif
