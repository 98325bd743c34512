/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH tells nobody when it makes progress. But each time that it looks for messages, in whatever call, it
 * calls a function of UCX, if it was built with that; the dynamic linker finds this one first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "mpi/ucx_progress.h"

typedef unsigned Progress(void* worker);

static int (*_Atomic work)(void);

void laneway_with_ucx_progress(int (*carried_on)(void))
{
    atomic_store_explicit(&work, carried_on, memory_order_release);
}

static Progress* real(void)
{
    static Progress* _Atomic found;
    Progress* progress = atomic_load_explicit(&found, memory_order_acquire);
    if (__builtin_expect(progress != NULL, 1)) return progress;
    *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (progress == NULL) { /* UCX came with a plug-in of an MPI library, for that one alone */
        void* const ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        if (ucx != NULL) *(void**)&progress = dlsym(ucx, "ucp_worker_progress");
    }
    atomic_store_explicit(&found, progress, memory_order_release);
    return progress;
}

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);
unsigned ucp_worker_progress(void* worker)
{
    Progress* const progress = real();
    const unsigned moved = progress != NULL ? progress(worker) : 0;
    int (*const carried_on)(void) = atomic_load_explicit(&work, memory_order_acquire);
    if (__builtin_expect(carried_on != NULL, 0)) carried_on();
    return moved;
}
