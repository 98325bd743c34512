/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that cannot load the core must not go its own way: the others would wait for it in their
 * agreement on settings. So it takes part, in each communicator's first collective call, with a ballot
 * that makes all native there.
 */
#define _GNU_SOURCE
#include "api/coreless.h"

#include <stdlib.h>
#include <string.h>

#include "api/missing_core.h"
#include "api/mpi_in_words.h"
#include "api/presence.h"
#include "api/vote.h"
#include "library/interposed.h"

/* Other processes may serve the same library. */
static int agrees;

void laneway_go_coreless(const Library* library, const char* what, const char* about,
                         const char* details)
{
    laneway_take_note_of_missing_core(what, about, details);
    agrees = library->family != NULL && library->defect == NULL;
    if (agrees) laneway_find_mpi(library);
}

/* Communicators that this thread frees just now, the innermost first: as elsewhere, nothing begins on them
 * (call/communicator/lifetime.hpp). */
typedef struct Ending {
    Word comm;
    const struct Ending* outer;
    int is_freed;
} Ending;
static _Thread_local const Ending* endings;

static void end_is_over(const Ending* ending)
{
    endings = ending->outer;
    if (!ending->is_freed) laneway_go_on_voting(ending->comm);
}

static int is_ending(Word comm)
{
    /* An ending that was left by longjmp lies below on the stack, and so may those behind it. */
    if ((const char*)endings < (const char*)__builtin_frame_address(0)) endings = NULL;
    const Ending* one = endings;
    while (one != NULL && !laneway_is_same(one->comm, comm)) one = one->outer;
    return one != NULL;
}

/* To be called before a collective call. Returns an MPI error code. */
static int take_part(Word comm)
{
    if (is_ending(comm)) return 0;
    const int speaks = laneway_speaks_of_missing_core(), is_strict = laneway_core_must_be_there();
    if (speaks) laneway_say_core_is_missing();
    const int code = agrees ? laneway_vote(comm, is_strict && !speaks) : 0;
    if (!is_strict) return code;
    laneway_end_job(speaks ? 0 : 1);
}

/* ---- the calls ---- */

/* A collective inside another, made by an operator, say, is no part of an agreement (call/communicator/entrance.hpp).
 * The frame of the outer one lies above; one that was left by longjmp may be found for a while. */
static _Thread_local const char* inside;
static void leave(const char* const* here)
{
    if (inside == *here) inside = NULL;
}

#define CORELESS(name, in_core, arguments, comm, ...) CORELESS_OF(name, arguments, comm)
#define CORELESS_OF(name, arguments, comm)                                                   \
    static int (*library_##name)(WORDS_##arguments);                                         \
    static int coreless_##name(WORDS_##arguments)                                            \
    {                                                                                        \
        /* The program's exceptions may leave the call as well. */                           \
        __attribute__((cleanup(leave))) const char* const here = __builtin_frame_address(0); \
        if (inside != NULL && here < inside) return library_##name(GIVEN_##arguments);       \
        const int code = take_part(comm);                                                    \
        inside = here;                                                                       \
        return code == 0 ? library_##name(GIVEN_##arguments) : code;                         \
    }
#define LANEWAY_AGREEING(F)                 \
    LANEWAY_SERVED(LANEWAY_BLOCKING, F)     \
    LANEWAY_SERVED(LANEWAY_BLOCKING_C, F)   \
    LANEWAY_SERVED(LANEWAY_PERSISTENT, F)   \
    LANEWAY_SERVED(LANEWAY_PERSISTENT_C, F) \
    LANEWAY_BARRIER(LANEWAY_PERSISTENT, F)  \
    LANEWAY_BARRIER(LANEWAY_BLOCKING, F)    \
    LANEWAY_DUPLICATES(LANEWAY_BLOCKING, F)
LANEWAY_AGREEING(CORELESS)

#define CORELESS_END(name, ...)                                                   \
    static int (*library_##name)(WORDS_1);                                        \
    static int coreless_##name(WORDS_1)                                           \
    {                                                                             \
        const Word comm = laneway_handle_at((void*)a);                            \
        int code = laneway_end_vote(comm);                                        \
        if (code != 0) return code;                                               \
        __attribute__((cleanup(end_is_over))) Ending ending = {comm, endings, 0}; \
        endings = &ending;                                                        \
        code = library_##name(a);                                                 \
        ending.is_freed = code == 0;                                              \
        return code;                                                              \
    }
LANEWAY_ENDS(LANEWAY_BLOCKING, CORELESS_END)

static int (*library_Session_finalize)(Word);
static int coreless_Session_finalize(Word session)
{
    laneway_end_votes();
    return library_Session_finalize(session);
}

Function* laneway_coreless(const char* mpi_name, Function* library)
{
    if (!laneway_core_is_missing()) return NULL;
#define TAKE(name, ...)                                    \
    if (strcmp(mpi_name, "MPI_" #name) == 0) {             \
        memcpy(&library_##name, &library, sizeof library); \
        return (Function*)coreless_##name;                 \
    }
    LANEWAY_AGREEING(TAKE)
    if (!agrees) return NULL;
    LANEWAY_ENDS(LANEWAY_BLOCKING, TAKE)
    TAKE(Session_finalize)
    return NULL;
}
