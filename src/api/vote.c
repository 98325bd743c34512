/* SPDX-License-Identifier: BSD-3-Clause */
/* It knows no mpi.h: handles are words, and those that it names are found in the library or fixed by its
 * binary interface. */
#define _GNU_SOURCE
#include "api/vote.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/coreless.h"
#include "core/ballot.h"

/* ---- the library ---- */

typedef int Copy(Word comm, int key, void* extra, void* from, void* to, int* copied);
typedef int Delete(Word comm, int key, void* value, void* extra);

static struct {
    int (*initialized)(int*);
    int (*finalized)(int*);
    int (*comm_create_keyval)(Copy*, Delete*, int*, void*);
    int (*comm_free_keyval)(int*);
    int (*comm_get_attr)(Word, int, void*, int*);
    int (*comm_set_attr)(Word, int, void*);
    int (*comm_test_inter)(Word, int*);
    int (*comm_size)(Word, int*);
    int (*iallreduce)(const void*, void*, int, Word, Word, Word, Word*);
    int (*test)(Word*, int*, void*);
    int (*wait)(Word*, void*);
    Word byte, band, comm_null, comm_self;
    int handles_are_ints;
} mpi;

enum { KEY_INVALID = -1, STATUS_BYTES = 256 };

/* A program may hold its own copy of an object of the library's, and then all use that. */
static Word object(void* library, const char* name)
{
    void* address = dlsym(RTLD_DEFAULT, name);
    return (Word)(address != NULL ? address : dlsym(library, name));
}

void laneway_vote_by(void* library)
{
    *(void**)&mpi.initialized = dlsym(library, "PMPI_Initialized");
    *(void**)&mpi.finalized = dlsym(library, "PMPI_Finalized");
    *(void**)&mpi.comm_create_keyval = dlsym(library, "PMPI_Comm_create_keyval");
    *(void**)&mpi.comm_free_keyval = dlsym(library, "PMPI_Comm_free_keyval");
    *(void**)&mpi.comm_get_attr = dlsym(library, "PMPI_Comm_get_attr");
    *(void**)&mpi.comm_set_attr = dlsym(library, "PMPI_Comm_set_attr");
    *(void**)&mpi.comm_test_inter = dlsym(library, "PMPI_Comm_test_inter");
    *(void**)&mpi.comm_size = dlsym(library, "PMPI_Comm_size");
    *(void**)&mpi.iallreduce = dlsym(library, "PMPI_Iallreduce");
    *(void**)&mpi.test = dlsym(library, "PMPI_Test");
    *(void**)&mpi.wait = dlsym(library, "PMPI_Wait");
    mpi.byte = object(library, "ompi_mpi_byte");
    mpi.handles_are_ints = mpi.byte == 0;
    if (mpi.handles_are_ints) { /* MPICH's */
        mpi.byte = 0x4c00010d;
        mpi.band = 0x58000006;
        mpi.comm_null = 0x04000000;
        mpi.comm_self = 0x44000001;
        return;
    }
    mpi.band = object(library, "ompi_mpi_op_band");
    mpi.comm_null = object(library, "ompi_mpi_comm_null");
    mpi.comm_self = object(library, "ompi_mpi_comm_self");
}

static int is_null(Word comm)
{
    return mpi.handles_are_ints ? (int)comm == (int)mpi.comm_null : comm == mpi.comm_null;
}

/* ---- ballots ---- */

/* The one of a communicator; an attribute of it. */
typedef struct Vote {
    LanewayBallot* ballots; /* mine, and what all have in common */
    Word request;
    int is_under_way;
    struct Vote *next, **place; /* of those under way */
} Vote;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Vote* under_way; /* the first */
static int votes;       /* how many communicators have one */
static int key = KEY_INVALID;

static void complete(Vote* vote)
{
    pthread_mutex_lock(&mutex);
    vote->is_under_way = 0;
    *vote->place = vote->next;
    if (vote->next != NULL) vote->next->place = vote->place;
    pthread_mutex_unlock(&mutex);
}

/* Where all processes are without a core, one speaks for all; else each that is. */
static void look_at(LanewayBallot* ballots)
{
    if (!(ballots[1].flags & LANEWAY_HAS_NO_CORE)) laneway_say_coreless();
    free(ballots);
}

static void finish(Vote* vote)
{
    char status[STATUS_BYTES];
    if (!vote->is_under_way) return;
    /* With the last request, MPICH may delete a communicator that was freed, and with it the vote. */
    Word request = vote->request;
    LanewayBallot* const ballots = vote->ballots;
    complete(vote);
    mpi.wait(&request, status);
    look_at(ballots);
}

static void finish_all(void)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        Vote* const vote = under_way;
        pthread_mutex_unlock(&mutex);
        if (vote == NULL) return;
        finish(vote);
    }
}

static int copy_none(Word comm, int keyval, void* extra, void* from, void* to, int* copied)
{
    (void)comm, (void)keyval, (void)extra, (void)from, (void)to;
    *copied = 0;
    return 0;
}

static int forget_vote(Word comm, int keyval, void* value, void* extra)
{
    (void)comm, (void)keyval, (void)extra;
    finish(value);
    pthread_mutex_lock(&mutex);
    --votes;
    pthread_mutex_unlock(&mutex);
    free(value);
    return 0;
}

/* As core/state.cpp: MPI_COMM_SELF's attributes are deleted first of all in MPI_Finalize. */
static int hear_the_end(Word comm, int keyval, void* value, void* extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    finish_all();
    return 0;
}

static void listen_for_the_end(void)
{
    static atomic_flag listening = ATOMIC_FLAG_INIT;
    int is_initialized = 0, is_finalized = 0, end = KEY_INVALID;
    mpi.initialized(&is_initialized);
    mpi.finalized(&is_finalized);
    if (!is_initialized || is_finalized || atomic_flag_test_and_set(&listening)) return;
    if (mpi.comm_create_keyval(copy_none, hear_the_end, &end, NULL) != 0) return;
    mpi.comm_set_attr(mpi.comm_self, end, NULL);
    mpi.comm_free_keyval(&end);
}

/* The key of the attribute. */
static int keyval_of_votes(void)
{
    pthread_mutex_lock(&mutex);
    if (key == KEY_INVALID) mpi.comm_create_keyval(copy_none, forget_vote, &key, NULL);
    const int known = key;
    pthread_mutex_unlock(&mutex);
    return known;
}

/* As core/state.cpp: after the last session the library may give the same number to somebody else. */
void laneway_end_votes(void)
{
    finish_all();
    pthread_mutex_lock(&mutex);
    int unused = votes == 0 ? key : KEY_INVALID;
    if (unused != KEY_INVALID) key = KEY_INVALID;
    pthread_mutex_unlock(&mutex);
    if (unused != KEY_INVALID) mpi.comm_free_keyval(&unused);
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

/* Begins the vote of a communicator that has none. Returns a code of MPI. */
static int begin(Word comm, Vote* vote)
{
    int is_inter = 0, size = 0;
    int code = mpi.comm_test_inter(comm, &is_inter);
    if (code == 0) code = mpi.comm_size(comm, &size);
    if (code != 0 || is_inter || size == 1) return code;
    vote->ballots = allocate(2 * sizeof *vote->ballots);
    vote->ballots[0] = (LanewayBallot){0, 0, LANEWAY_HAS_NO_CORE};
    code = mpi.iallreduce(&vote->ballots[0], &vote->ballots[1], sizeof *vote->ballots, mpi.byte,
                          mpi.band, comm, &vote->request);
    if (code != 0) {
        free(vote->ballots);
        return code;
    }
    pthread_mutex_lock(&mutex);
    vote->is_under_way = 1;
    vote->next = under_way;
    vote->place = &under_way;
    if (under_way != NULL) under_way->place = &vote->next;
    under_way = vote;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static Vote* vote_of(Word comm, int* code)
{
    listen_for_the_end();
    Vote* const vote = allocate(sizeof *vote);
    *code = begin(comm, vote);
    if (*code != 0) {
        free(vote);
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    ++votes;
    pthread_mutex_unlock(&mutex);
    *code = mpi.comm_set_attr(comm, keyval_of_votes(), vote);
    return vote;
}

/* The vote of a communicator; null where it has none. */
static Vote* known_vote(Word comm, int* code)
{
    Vote* vote = NULL;
    int found = 0;
    *code = mpi.comm_get_attr(comm, keyval_of_votes(), &vote, &found);
    return *code == 0 && found ? vote : NULL;
}

int laneway_vote(Word comm, int waits)
{
    char status[STATUS_BYTES];
    int code = 0, is_done = 0;
    if (is_null(comm)) return 0;
    Vote* vote = known_vote(comm, &code);
    if (vote != NULL && vote->is_under_way && !waits) {
        Word request = vote->request;
        if (mpi.test(&request, &is_done, status) != 0 || !is_done) return 0;
        complete(vote);
        look_at(vote->ballots);
        return 0;
    }
    if (vote == NULL && code == 0) vote = vote_of(comm, &code);
    if (waits && vote != NULL && vote->is_under_way)
        finish(vote);
    else if (waits)
        laneway_say_coreless(); /* there is nobody to hear from */
    return code;
}

int laneway_end_vote(const void* comm)
{
    int code = 0;
    if (comm == NULL) return 0;
    const Word handle = mpi.handles_are_ints ? *(const int*)comm : *(const Word*)comm;
    Vote* const vote = is_null(handle) ? NULL : known_vote(handle, &code);
    if (vote != NULL) finish(vote);
    return code;
}
