/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liblaneway_yield.so: loaded by LD_PRELOAD into the ranks of a job with more ranks than cores. It adds two
 * manners that MPICH lacks there.
 *
 * MPICH polls without end while it waits. Where ranks share cores, each of them then burns its whole time
 * slice while the one that it waits for cannot run. A broadcast takes milliseconds instead of microseconds.
 * MPICH's progress engine looks at the network at every turn, through UCX (ucp_worker_progress) or libfabric's
 * tcp provider (epoll_wait without a timeout). A look that found nothing gives the core away here, as
 * mpi_yield_when_idle does in Open MPI.
 *
 * With LANEWAY_NAPS in its environment, every fourth such look rests for a moment. So a rank that waits long
 * takes next to nothing from the others. That is for tests, which wait a lot: it adds to what is measured.
 *
 * MPICH 4.0 over UCX's TCP can hang in MPI_Finalize. A rank that has closed its connections waits in the
 * process manager's barrier, in read(), without progress. Meanwhile another one still needs its answer to
 * close a connection that was being set up. Here such a read makes progress until there is something to read.
 *
 * Each function goes before the one that it is named after, and calls it. Threads that race for the address of
 * that next function find the same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/*
 * The function that would have been called without this library. A program that opens its MPI library itself,
 * as Python does, may have kept UCX out of the search. Then the function is found in UCX's file.
 */
static void* behind(const char* name)
{
    void* next = dlsym(RTLD_NEXT, name);
    if (next != NULL) return next;
    void* ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    return ucx == NULL ? NULL : dlsym(ucx, name);
}

#define FIND_NEXT(next, name) \
    if ((next) == NULL) *(void**)&(next) = behind(name)

/* Gives the core to others that want it. */
static void give_way(void)
{
    static int naps = -1;
    static _Thread_local unsigned looks;
    if (naps < 0) naps = getenv("LANEWAY_NAPS") != NULL;
    if (naps && ++looks % 4 == 0)
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    else
        sched_yield();
}

/* Each thread has its own state: UCX reads in a helper thread, too, which must never make progress. */
static _Thread_local void*
    progressing;                  /* The worker that made progress last, and is still there. */
static _Thread_local int inside;  /* Whether a worker makes progress now. */
static _Thread_local int closing; /* Whether connections are being closed. */

EXPORTED int epoll_wait(int epoll, struct epoll_event* events, int capacity, int timeout)
{
    static int (*next)(int, struct epoll_event*, int, int);
    FIND_NEXT(next, "epoll_wait");
    const int found = next(epoll, events, capacity, timeout);
    if (found == 0 && timeout == 0) give_way();
    return found;
}

EXPORTED unsigned ucp_worker_progress(void* worker)
{
    static unsigned (*next)(void*);
    FIND_NEXT(next, "ucp_worker_progress");
    progressing = worker;
    inside = 1;
    const unsigned events = next(worker);
    inside = 0;
    if (events == 0) give_way();
    return events;
}

EXPORTED void* ucp_disconnect_nb(void* endpoint)
{
    static void* (*next)(void*);
    FIND_NEXT(next, "ucp_disconnect_nb");
    closing = 1;
    return next(endpoint);
}

EXPORTED void ucp_worker_destroy(void* worker)
{
    static void (*next)(void*);
    FIND_NEXT(next, "ucp_worker_destroy");
    closing = 0;
    if (progressing == worker) progressing = NULL;
    next(worker);
}

EXPORTED ssize_t read(int file, void* buffer, size_t count)
{
    static ssize_t (*next)(int, void*, size_t);
    FIND_NEXT(next, "read");
    struct pollfd input = {.fd = file, .events = POLLIN};
    const int waits = closing && !(fcntl(file, F_GETFL) & O_NONBLOCK);
    while (waits && closing && progressing != NULL && !inside && poll(&input, 1, 0) == 0)
        ucp_worker_progress(progressing);
    return next(file, buffer, count);
}
