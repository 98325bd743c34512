/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH tells nobody when it makes progress. But each time that it looks for messages, in whatever call, it
 * calls a function of UCX, if it was built with that; the dynamic linker finds this one first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/ucx_progress.h"

typedef unsigned Progress(void* worker);

static void (*_Atomic work)(void* worker);

void laneway_with_ucx_progress(void (*carried_on)(void* worker))
{
    atomic_store_explicit(&work, carried_on, memory_order_release);
}

/* UCX's own. It may have come with a plug-in, or a library, that keeps it for itself: then it is among what
 * the caller, who has `address`, is linked with. */
static Progress* real(void* address)
{
    static Progress* _Atomic found;
    Progress* progress = atomic_load_explicit(&found, memory_order_acquire);
    if (__builtin_expect(progress != NULL, 1)) return progress;
    *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    Dl_info caller;
    if (progress == NULL && dladdr(address, &caller) != 0) {
        void* const file = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (file != NULL) *(void**)&progress = dlsym(file, "ucp_worker_progress");
    }
    if (progress == NULL) {
        fputs("laneway: cannot find UCX's ucp_worker_progress; run without Laneway\n", stderr);
        abort();
    }
    atomic_store_explicit(&found, progress, memory_order_release);
    return progress;
}

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);
unsigned ucp_worker_progress(void* worker)
{
    const unsigned moved = real(__builtin_return_address(0))(worker);
    void (*const carried_on)(void*) = atomic_load_explicit(&work, memory_order_acquire);
    if (__builtin_expect(carried_on != NULL, 0)) carried_on(worker);
    return moved;
}
