/* SPDX-License-Identifier: BSD-3-Clause */
/* The work left to a process that cannot load Laneway: its collectives are native, and the other
 * processes, which may have loaded it, must know. */
#ifndef LANEWAY_CORELESS_H
#define LANEWAY_CORELESS_H

#include "api/library.h"
#include "api/words.h"

/* From now on laneway_coreless() has something to give. Says why at the first collective: `what`,
 * `about` and, where not null, `details`. */
void laneway_go_coreless(const Library* library, const char* what, const char* about,
                         const char* details);

/* The function that takes part in the other processes' agreement before it calls `library`, the MPI library's own
 * function of the name `mpi`. Null: there is none. */
Function* laneway_coreless(const char* mpi, Function* library);

#endif
