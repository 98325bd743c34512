// SPDX-License-Identifier: BSD-3-Clause
//
// Two manners that MPICH lacks where ranks outnumber processors; preloaded into its ranks.
//
// It spins while it waits, and the rank that could send waits in vain behind those that spin. Its
// progress engine polls the network at every turn, through UCX (ucp_worker_progress) or through
// libfabric's tcp provider (epoll_wait with timeout 0): a poll that found nothing ends in
// sched_yield here.
//
// MPICH 4.0 over UCX can hang in MPI_Finalize: a rank that has closed its connections waits in the
// process manager's barrier, in read(), without progress, while another still needs its answer to
// close a connection that was being set up. Here such a read makes progress until there is
// something to read.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef int (*epoll_wait_fn)(int, struct epoll_event*, int, int);
typedef unsigned (*ucp_worker_progress_fn)(void*);
typedef void* (*ucp_disconnect_nb_fn)(void*);
typedef void (*ucp_worker_destroy_fn)(void*);
typedef ssize_t (*read_fn)(int, void*, size_t);

// The function of this name that would have been called without this library.
#define NEXT(name)                                                                                 \
    ({                                                                                             \
        static name##_fn next;                                                                     \
        if (!next)                                                                                 \
            next = (name##_fn)dlsym(RTLD_NEXT, #name);                                             \
        next;                                                                                      \
    })

// Of each thread its own: UCX reads in a helper thread, too, which must never make progress.
static _Thread_local void* progressing;  // the worker that made progress last
static _Thread_local void* closing;      // the worker whose connections are being closed
static _Thread_local int inside;         // within ucp_worker_progress

int epoll_wait(int epfd, struct epoll_event* events, int maxevents, int timeout)
{
    const int found = NEXT(epoll_wait)(epfd, events, maxevents, timeout);
    if (found == 0 && timeout == 0)
        sched_yield();
    return found;
}

unsigned ucp_worker_progress(void* worker)
{
    progressing = worker;
    inside = 1;
    const unsigned progressed = NEXT(ucp_worker_progress)(worker);
    inside = 0;
    if (!progressed)
        sched_yield();
    return progressed;
}

void* ucp_disconnect_nb(void* endpoint)
{
    closing = progressing;
    return NEXT(ucp_disconnect_nb)(endpoint);
}

void ucp_worker_destroy(void* worker)
{
    closing = NULL;
    NEXT(ucp_worker_destroy)(worker);
}

ssize_t read(int fd, void* buffer, size_t count)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    while (closing && !inside && poll(&input, 1, 0) == 0)
        ucp_worker_progress(closing);
    return NEXT(read)(fd, buffer, count);
}
