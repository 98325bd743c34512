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
#include "call/communicator/going.h"
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

/* A function of ours that runs. One of the program's that it calls may leave it by longjmp, and its frame is then found
 * no more (call/communicator/entrance.hpp). */
typedef struct Mark {
    const void *frame, *returns_to;
} Mark;
#define MARK {__builtin_frame_address(0), __builtin_return_address(0)}

static int runs(const Mark* mark, const void* from)
{
    return laneway_runs(mark->frame, mark->returns_to, from);
}

/* A communicator that this thread frees just now: as elsewhere, nothing begins on it
 * (call/communicator/lifetime.hpp). Not on the stack, parts of which may be left. */
typedef struct Ending {
    Word comm;
    Mark mark; /* where the function runs that frees it */
    int is_freed;
    struct Ending* outer;
} Ending;
static _Thread_local Ending* endings; /* the innermost first */

static Ending* begin_to_end(Word comm, Mark mark)
{
    Ending* const ending = malloc(sizeof *ending);
    if (ending == NULL) abort(); /* the other ranks could not know of it */
    *ending = (Ending){comm, mark, 0, endings};
    return endings = ending;
}

static void end_innermost(void)
{
    Ending* const ending = endings;
    endings = ending->outer;
    if (!ending->is_freed) laneway_go_on_voting(ending->comm);
    free(ending);
}

static void end_is_over(Ending* const* ending)
{
    while (endings != *ending) end_innermost(); /* inner ones may have been left */
    end_innermost();
}

static int is_ending(Word comm)
{
    while (endings != NULL && !runs(&endings->mark, __builtin_frame_address(0))) end_innermost();
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

/* A collective inside another, made by an operator, say, is no part of an agreement. */
static _Thread_local Mark inside;
static void leave(const Mark* here)
{
    if (inside.frame == here->frame) inside = (Mark){NULL, NULL};
}

#define CORELESS(name, in_core, arguments, comm, ...) CORELESS_OF(name, arguments, comm)
#define CORELESS_OF(name, arguments, comm)                           \
    static int (*library_##name)(WORDS_##arguments);                 \
    static int coreless_##name(WORDS_##arguments)                    \
    {                                                                \
        /* The program's exceptions may leave the call as well. */   \
        __attribute__((cleanup(leave))) const Mark here = MARK;      \
        if (inside.frame != NULL && runs(&inside, here.frame))       \
            return library_##name(GIVEN_##arguments);                \
        const int code = take_part(comm);                            \
        inside = here;                                               \
        return code == 0 ? library_##name(GIVEN_##arguments) : code; \
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

#define CORELESS_END(name, ...)                                                                \
    static int (*library_##name)(WORDS_1);                                                     \
    static int coreless_##name(WORDS_1)                                                        \
    {                                                                                          \
        const Word comm = laneway_handle_at((void*)a);                                         \
        const Mark here = MARK;                                                                \
        int code = laneway_end_vote(comm);                                                     \
        if (code != 0) return code;                                                            \
        __attribute__((cleanup(end_is_over))) Ending* const ending = begin_to_end(comm, here); \
        code = library_##name(a);                                                              \
        ending->is_freed = code == 0;                                                          \
        return code;                                                                           \
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
