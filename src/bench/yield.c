/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liblaneway_yield.so: loaded by LD_PRELOAD into the ranks of a job with more ranks than cores.
 *
 * MPICH polls without end while it waits. Where ranks share cores, each of them then burns its whole
 * time slice while the one that it waits for cannot run, and a broadcast takes milliseconds instead
 * of microseconds. Its progress engine looks at the network at every turn, through UCX
 * (ucp_worker_progress) or libfabric's tcp provider (epoll_wait without a timeout): a look that found
 * nothing gives the core away here, as mpi_yield_when_idle does in Open MPI.
 *
 * Both functions go before the ones they are named after, and call them; threads that race for the
 * address of the next find the same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <sys/epoll.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED unsigned ucp_worker_progress(void* worker)
{
    static unsigned (*next)(void*);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned events = next(worker);
    if (events == 0) sched_yield();
    return events;
}

EXPORTED int epoll_wait(int epoll, struct epoll_event* events, int capacity, int timeout)
{
    static int (*next)(int, struct epoll_event*, int, int);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "epoll_wait");
    const int found = next(epoll, events, capacity, timeout);
    if (found == 0 && timeout == 0) sched_yield();
    return found;
}
