/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a process without core in the other processes' agreement on settings
 * (call/agree/agreement.hpp). */
#ifndef LANEWAY_VOTE_H
#define LANEWAY_VOTE_H

#include "api/words.h"

/* Gives this process's ballot in a communicator's first collective call. To be called, once the library is found
 * (api/mpi_in_words.h), before each collective call that the core would serve or count. Returns an MPI error code; an
 * error has been raised. Waits for nobody, unless it `waits` for the ballots of all. Has laneway_say_core_is_missing()
 * say why there is no core where others have one. */
int laneway_vote(Word comm, int waits);

/* To be called before the communicator at an address, or none, is freed: its vote must be over, and none begins any
 * more. Returns a code of MPI. */
int laneway_end_vote(Word comm);

/* To be called where it has not been freed after all. */
void laneway_go_on_voting(Word comm);

/* A session ends: its communicators' votes must be over. */
void laneway_end_votes(void);

#endif
