/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: call_cost BATCHES CALLS
 *
 * Prints the mean time of a call in the shortest batch of so many, in nanoseconds. There is one process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static MPI_Comm comms[2];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void bcast(int i)
{
    double data = i;
    MPI_Bcast(&data, 1, MPI_DOUBLE, 0, comms[0]);
}
static void allreduce(int i)
{
    double data = i, sum;
    MPI_Allreduce(&data, &sum, 1, MPI_DOUBLE, MPI_SUM, comms[0]);
}
static void in_turns(int i)
{
    int data = i, sum;
    MPI_Allreduce(&data, &sum, 1, i % 2 ? MPI_INT : MPI_FLOAT, MPI_SUM, comms[i % 2]);
}
static void wait(int i)
{
    MPI_Request request = MPI_REQUEST_NULL;
    (void)i;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void nonblocking(int i)
{
    double data = i;
    MPI_Request request;
    MPI_Ibcast(&data, 1, MPI_DOUBLE, 0, comms[0], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void measure(const char* name, void (*call)(int), int batches, int calls)
{
    double least = 1e30;
    for (int batch = 0; batch < batches; ++batch) {
        const double began = now();
        for (int i = 0; i < calls; ++i) call(i);
        const double took = (now() - began) / calls;
        if (took < least) least = took;
    }
    printf("%s %.1f\n", name, least);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const int batches = argc > 1 ? atoi(argv[1]) : 1000, calls = argc > 2 ? atoi(argv[2]) : 1000;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_SELF, &comms[1]);
    measure("bcast", bcast, batches, calls);
    measure("allreduce", allreduce, batches, calls);
    measure("in-turns", in_turns, batches, calls);
    measure("wait", wait, batches, calls);
    measure("ibcast-and-wait", nonblocking, batches, calls);
    MPI_Finalize();
    return 0;
}
