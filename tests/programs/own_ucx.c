/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared object with a UCX of its own, as plug-ins have that are linked with one statically. Its workers are
 * no others'. -DMAGIC=N tells several of them apart. */
#include <stdio.h>

typedef struct Worker {
    int magic, calls;
} Worker;

unsigned ucp_worker_progress(Worker* worker);
unsigned ucp_worker_progress(Worker* worker)
{
    if (worker->magic == MAGIC) ++worker->calls;
    return 1;
}

/* Returns 0 if all is well. */
int use(void)
{
    Worker worker = {MAGIC, 0};
    for (int i = 0; i < 10; ++i) ucp_worker_progress(&worker);
    if (worker.calls != 10) printf("worker %d: %d calls of 10\n", worker.magic, worker.calls);
    return worker.calls != 10;
}
