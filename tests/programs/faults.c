/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: faults FAULT RANK WHERE CALLS
 *
 * So many collectives are called on a communicator. WHERE says which: the `world`, a `dup` of it, `half` of its
 * processes, or one that a `thread` uses while another thread uses the world. Then the process with that RANK of the
 * communicator does what FAULT says, and the job stands still. With `none` it does not. With `slow` it goes on after
 * FAULT_SECONDS, until the file FAULT_TOLD is there. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ENOUGH = 64, TAG = 77 };

static const char* fault;
static int culprit, rounds;
static MPI_Comm on, other;

static int is(const char* name) { return strcmp(fault, name) == 0; }

static void wait_for_ever(void)
{
    for (;;) pause();
}

/* A process computes, and uses its processor. */
static volatile double computed;
static void compute_for_ever(void)
{
    for (;;) computed = computed * 0.999 + 1;
}

static void nap(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    while (nanosleep(&time, &time) != 0) {
    }
}

/* An address that nobody may read from. */
static const int* volatile nowhere = (const int*)1;

static void round_of(MPI_Comm comm, int number)
{
    int size, rank;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    double data[ENOUGH] = {rank}, result[ENOUGH];
    int counts[ENOUGH], places[ENOUGH];
    for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
    MPI_Request request;
    switch (number % 9) {
    case 0:
        MPI_Bcast(data, 4, MPI_DOUBLE, number % size, comm);
        break;
    case 1:
        MPI_Allreduce(data, result, 8, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case 2:
        MPI_Reduce(data, result, 2, MPI_INT, MPI_MAX, number % size, comm);
        break;
    case 3:
        MPI_Allgather(data, 1, MPI_DOUBLE, result, 1, MPI_DOUBLE, comm);
        break;
    case 4:
        MPI_Ibcast(data, 3, MPI_DOUBLE, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 5:
        MPI_Gatherv(data, 1, MPI_DOUBLE, result, counts, places, MPI_DOUBLE, 0, comm);
        break;
    case 6:
        MPI_Alltoallv(data, counts, places, MPI_DOUBLE, result, counts, places, MPI_DOUBLE, comm);
        break;
    case 7:  // in place, nobody may look at the counts of what is sent
        MPI_Alltoallv(MPI_IN_PLACE, nowhere, nowhere, MPI_DATATYPE_NULL, result, counts, places,
                      MPI_DOUBLE, comm);
        break;
    default: {
        int ended = 0;
        MPI_Ibarrier(comm, &request);
        while (!ended) MPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    }
    }
}

/* The collective that the fault is in, with its usual arguments. */
static void usual(MPI_Comm comm)
{
    double data[4] = {0}, result[4];
    MPI_Allreduce(data, result, 4, MPI_DOUBLE, MPI_SUM, comm);
}

static void stand_still_after(void (*call)(MPI_Comm))
{
    call(on);
    MPI_Barrier(on);
    wait_for_ever();
}

static void other_root(MPI_Comm comm)
{
    int rank, size, data[4] = {0};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Bcast(data, 4, MPI_INT, rank == culprit ? (culprit + 1) % size : culprit, comm);
}
static void other_count(MPI_Comm comm)
{
    int rank, size;
    double data[2] = {0}, result[2 * ENOUGH];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Gather(data, rank == culprit ? 1 : 2, MPI_DOUBLE, result, 2, MPI_DOUBLE,
               (culprit + 1) % size, comm);
}
static void other_type(MPI_Comm comm)
{
    int rank;
    double data[8] = {0};
    MPI_Comm_rank(comm, &rank);
    MPI_Bcast(data, 4, rank == culprit ? MPI_FLOAT : MPI_INT, 0, comm);
}
static void other_operator(MPI_Comm comm)
{
    int rank;
    double data[8] = {0}, result[8];
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(data, result, 4, MPI_DOUBLE, rank == culprit ? MPI_MAX : MPI_SUM, comm);
}
static void other_row(MPI_Comm comm)
{
    int rank, size, counts[ENOUGH], places[ENOUGH];
    char data[4 * ENOUGH] = {0}, result[4 * ENOUGH];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; ++i) counts[i] = 2, places[i] = 2 * i;
    MPI_Gatherv(data, rank == culprit ? 1 : 2, MPI_BYTE, result, counts, places, MPI_BYTE,
                (culprit + 1) % size, comm);
}

/* Calls go on until somebody was told that the job does. */
static void go_on(void)
{
    int told = 0, mine;
    while (!told) {
        nap(0.02);
        mine = access(getenv("FAULT_TOLD"), F_OK) == 0;
        MPI_Allreduce(&mine, &told, 1, MPI_INT, MPI_MAX, on);
    }
}

static void plant(void)
{
    int rank, size, data = 0;
    MPI_Request request;
    MPI_Comm_rank(on, &rank);
    MPI_Comm_size(on, &size);
    const int mine = rank == culprit, other_rank = (culprit + 1) % size;
    if (is("root")) stand_still_after(other_root);
    if (is("count")) stand_still_after(other_count);
    if (is("type")) stand_still_after(other_type);
    if (is("operator")) stand_still_after(other_operator);
    if (is("row")) stand_still_after(other_row);
    if (is("order")) {
        MPI_Barrier(mine ? other : on);
        MPI_Barrier(mine ? on : other);
    }
    if (is("not-completed")) {
        MPI_Iallreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, on, &request);
        if (mine) wait_for_ever();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(on);
    }
    if (mine && is("wait")) wait_for_ever();
    if (mine && is("compute")) compute_for_ever();
    if (mine && is("stop")) raise(SIGSTOP);
    if (mine && is("kill")) raise(SIGKILL);
    if (mine && is("leave")) MPI_Finalize(), wait_for_ever();
    if (mine && is("receive"))
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, TAG, on, MPI_STATUS_IGNORE);
    if (mine && is("collective")) MPI_Bcast(&data, 1, MPI_INT, other_rank, on);
    if (mine && is("slow")) nap(atof(getenv("FAULT_SECONDS")));
    usual(on);
    if (is("slow")) go_on();
    MPI_Barrier(on);
}

static void* job(void* unused)
{
    for (int i = 0; i < rounds; ++i) round_of(on, i);
    plant();
    return unused;
}

int main(int argc, char** argv)
{
    int level, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 5) return 2;
    fault = argv[1], culprit = atoi(argv[2]), rounds = atoi(argv[4]);
    const char* const where = argv[3];
    on = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    int is_in_it = 1;
    if (strcmp(where, "dup") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &on);
    if (strcmp(where, "half") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, size - rank, &on);
        is_in_it = rank % 2 == 0;
        if (!is_in_it) fault = "none";
        MPI_Comm_free(&other);
        MPI_Comm_dup(on, &other);
    }
    if (strcmp(where, "thread") == 0 && level == MPI_THREAD_MULTIPLE) {
        pthread_t thread;
        MPI_Comm_dup(MPI_COMM_WORLD, &on);
        pthread_create(&thread, NULL, job, NULL);
        for (int i = 0; i < rounds; ++i) round_of(MPI_COMM_WORLD, i);
        pthread_join(thread, NULL);
    } else {
        job(NULL);
    }
    MPI_Finalize();
    return 0;
}
