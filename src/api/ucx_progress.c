/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH tells nobody when it makes progress. But each time that it looks for messages, in whatever call, it
 * calls a function of UCX, if it was built with UCX. The dynamic linker finds this one first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "library/ucx_progress.h"

typedef unsigned Progress(void* worker);

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);

static void (*_Atomic work)(void* worker, unsigned moved);

void laneway_with_ucx_progress(void (*carried_on)(void* worker, unsigned moved))
{
    atomic_store_explicit(&work, carried_on, memory_order_release);
}

/* The function that `caller`, an address in its code, would call without us. Several copies of UCX may be in one
 * process. A copy that a plug-in or a library keeps for itself is among the libraries that this one is linked with. */
static Progress* find(void* caller)
{
    Progress* progress = NULL;
    Dl_info place;
    *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (progress == NULL && dladdr(caller, &place) != 0) {
        /* Never closed: as long as it is there, no other code has its addresses. */
        void* const file = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (file != NULL) *(void**)&progress = dlsym(file, "ucp_worker_progress");
    }
    return progress == ucp_worker_progress ? NULL : progress;
}

/* The places in code that it is called from, which are few. An entry that is taken keeps its caller. */
enum { places = 64 };
static struct {
    void* _Atomic caller;
    Progress* progress;
} known[places];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static Progress* learn(void* caller)
{
    Progress* progress = find(caller);
    pthread_mutex_lock(&mutex);
    /* It is called by way of a pointer, from code that is not linked with UCX: there is mostly one copy. */
    if (progress == NULL) progress = known[0].progress;
    if (progress == NULL) {
        fputs("laneway: cannot find UCX's ucp_worker_progress; run without Laneway\n", stderr);
        abort();
    }
    for (size_t i = 0; i < places; ++i) {
        void* const there = atomic_load_explicit(&known[i].caller, memory_order_relaxed);
        if (there == caller) break;
        if (there != NULL) continue;
        known[i].progress = progress;
        atomic_store_explicit(&known[i].caller, caller, memory_order_release);
        break;
    }
    pthread_mutex_unlock(&mutex);
    return progress;
}

static Progress* real(void* caller)
{
    for (size_t i = 0; i < places; ++i) {
        void* const there = atomic_load_explicit(&known[i].caller, memory_order_acquire);
        if (there == caller) return known[i].progress;
        if (there == NULL) break;
    }
    return learn(caller);
}

unsigned ucp_worker_progress(void* worker)
{
    const unsigned moved = real(__builtin_return_address(0))(worker);
    void (*const carried_on)(void*, unsigned) = atomic_load_explicit(&work, memory_order_acquire);
    if (__builtin_expect(carried_on != NULL, 0)) carried_on(worker, moved);
    return moved;
}
