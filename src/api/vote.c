/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "api/vote.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/missing_core.h"
#include "api/mpi_in_words.h"
#include "call/agree/ballot.h"
#include "call/communicator/going.h"

enum { KEY_INVALID = -1, STATUS_BYTES = 256 };

/* The vote of a communicator; an attribute of it. */
typedef struct Vote {
    LanewayBallot* ballots; /* mine, and what all have in common */
    Word request;
    int is_given, is_under_way;
    int is_left;                /* the program has freed the communicator, or frees it */
    struct Vote *next, **place; /* in the list of votes under way */
} Vote;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Vote* under_way; /* the first */
static int votes;       /* how many communicators have one */
static int key = KEY_INVALID;
static atomic_int is_ending; /* MPI ends: votes that are begun now are finished at once */

static void put_under_way(Vote* vote)
{
    pthread_mutex_lock(&mutex);
    vote->is_under_way = 1;
    vote->next = under_way;
    vote->place = &under_way;
    if (under_way != NULL) under_way->place = &vote->next;
    under_way = vote;
    pthread_mutex_unlock(&mutex);
}

/* The vote is the caller's to complete, from now on: it may be deleted meanwhile. Returns whether it was under way. */
static int take(Vote* vote)
{
    pthread_mutex_lock(&mutex);
    const int was_under_way = vote->is_under_way;
    if (was_under_way) {
        vote->is_under_way = 0;
        *vote->place = vote->next;
        if (vote->next != NULL) vote->next->place = vote->place;
    }
    pthread_mutex_unlock(&mutex);
    return was_under_way;
}

/* Where all processes are without a core, one speaks for all; else each of those that are. */
static void look_at(LanewayBallot* ballots)
{
    if (!(ballots[1].flags & LANEWAY_HAS_NO_CORE)) laneway_say_core_is_missing();
    free(ballots);
}

static void finish(Vote* vote)
{
    char status[STATUS_BYTES];
    Word request = vote->request;
    LanewayBallot* const ballots = vote->ballots;
    if (!take(vote)) return;
    laneway_mpi.wait(&request, status);
    look_at(ballots);
}

/* Whether the vote is finished. Waits for nobody. No lock is held while MPI is called: a library may hold one of
 * its own while it deletes a vote. */
static int test(Vote* vote)
{
    char status[STATUS_BYTES];
    int done = 0;
    Word request = vote->request;
    LanewayBallot* const ballots = vote->ballots;
    if (!take(vote)) return 1;
    if (laneway_mpi.test(&request, &done, status) == 0 && !done) {
        put_under_way(vote);
        return 0;
    }
    look_at(ballots);
    return 1;
}

/* Finishes all votes under way. Other threads may begin more meanwhile. */
static void finish_all(void)
{
    for (int done = 1;;) {
        if (!done) sched_yield();
        pthread_mutex_lock(&mutex);
        Vote* const vote = under_way;
        pthread_mutex_unlock(&mutex);
        if (vote == NULL) return;
        done = test(vote);
    }
}

static uintptr_t number_of(Word comm)
{
    return laneway_mpi.handles_are_ints ? (unsigned)comm : (uintptr_t)comm;
}

static int copy_none(Word comm, int keyval, void* extra, void* from, void* to, int* copied)
{
    (void)comm, (void)keyval, (void)extra, (void)from, (void)to;
    *copied = 0;
    return 0;
}

static int forget_vote(Word comm, int keyval, void* value, void* extra)
{
    (void)keyval, (void)extra;
    laneway_note_going(number_of(comm), __builtin_frame_address(0));
    finish(value);
    pthread_mutex_lock(&mutex);
    --votes;
    pthread_mutex_unlock(&mutex);
    free(value);
    return 0;
}

/* As call/communicator/lifetime.cpp: MPI_COMM_SELF's attributes are deleted first of all in MPI_Finalize. */
static int hear_the_end(Word comm, int keyval, void* value, void* extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    is_ending = 1;
    finish_all();
    return 0;
}

static void listen_for_the_end(void)
{
    static atomic_flag listening = ATOMIC_FLAG_INIT;
    int end = KEY_INVALID;
    if (!laneway_world_is_there() || atomic_flag_test_and_set(&listening)) return;
    if (laneway_mpi.comm_create_keyval(copy_none, hear_the_end, &end, NULL) != 0) return;
    laneway_mpi.comm_set_attr(laneway_mpi.comm_self, end, NULL);
    laneway_mpi.comm_free_keyval(&end);
}

/* The key of the attribute. */
static int keyval_of_votes(void)
{
    pthread_mutex_lock(&mutex);
    if (key == KEY_INVALID) laneway_mpi.comm_create_keyval(copy_none, forget_vote, &key, NULL);
    const int known = key;
    pthread_mutex_unlock(&mutex);
    return known;
}

/* As call/communicator/lifetime.cpp: after the last session the library may give the same number to somebody else. */
void laneway_end_votes(void)
{
    if (!laneway_world_is_there()) finish_all();
    pthread_mutex_lock(&mutex);
    int unused = votes == 0 ? key : KEY_INVALID;
    if (unused != KEY_INVALID) key = KEY_INVALID;
    pthread_mutex_unlock(&mutex);
    if (unused != KEY_INVALID) laneway_mpi.comm_free_keyval(&unused);
}

static void* allocate(size_t bytes)
{
    void* const memory = calloc(1, bytes);
    if (memory == NULL) {
        fputs("laneway: no memory for an agreement\n", stderr);
        abort(); /* the other ranks would wait for this one for ever */
    }
    return memory;
}

/* The vote of a communicator, which gets one where it has none. On an error null, or a vote that is not given. */
static Vote* vote_of(Word comm, int* code)
{
    Vote* vote = NULL;
    int found = 0;
    *code = laneway_mpi.comm_get_attr(comm, keyval_of_votes(), &vote, &found);
    if (*code != 0) return NULL;
    if (found) return vote;
    listen_for_the_end();
    vote = allocate(sizeof *vote);
    *code = laneway_mpi.comm_set_attr(comm, keyval_of_votes(), vote);
    if (*code != 0) {
        free(vote);
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    ++votes;
    pthread_mutex_unlock(&mutex);
    return vote;
}

/* Returns a code of MPI. */
static int give(Vote* vote, Word comm)
{
    int is_inter = 0, size = 0;
    int code = laneway_mpi.comm_test_inter(comm, &is_inter);
    if (code == 0) code = laneway_mpi.comm_size(comm, &size);
    vote->is_given = code == 0;
    if (code != 0 || is_inter || size == 1) return code;
    vote->ballots = allocate(2 * sizeof *vote->ballots);
    vote->ballots[0] = (LanewayBallot){.flags = LANEWAY_HAS_NO_CORE};
    code = laneway_mpi.iallreduce(&vote->ballots[0], &vote->ballots[1], sizeof *vote->ballots,
                                  laneway_mpi.byte, laneway_mpi.band, comm, &vote->request);
    vote->is_given = code == 0;
    if (code == 0)
        put_under_way(vote);
    else
        free(vote->ballots);
    return code;
}

int laneway_vote(Word comm, int waits)
{
    int code = 0;
    if (laneway_is_null(comm) || laneway_is_going(number_of(comm))) return 0;
    Vote* const vote = vote_of(comm, &code);
    if (vote == NULL || vote->is_left) return code;
    if (vote->is_under_way && !waits) {
        test(vote);
        return 0;
    }
    if (!vote->is_given) code = give(vote, comm);
    if ((waits || is_ending) && vote->is_under_way)
        finish(vote);
    else if (waits)
        laneway_say_core_is_missing(); /* there is nobody to hear from */
    return code;
}

/* The library may delete the vote later on: where it has none, the communicator gets one, so that this is heard. */
int laneway_end_vote(Word comm)
{
    int code = 0;
    Vote* const vote = laneway_is_null(comm) ? NULL : vote_of(comm, &code);
    if (vote == NULL) return code;
    finish(vote);
    vote->is_left = 1;
    return code;
}

void laneway_go_on_voting(Word comm)
{
    int code = 0;
    Vote* const vote = laneway_is_null(comm) ? NULL : vote_of(comm, &code);
    if (vote != NULL) vote->is_left = 0;
}
