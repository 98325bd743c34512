/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls to learn from that few programs of tests make: nonblocking ones, and vector collectives. Under the preload.
 * MPI's clock goes on by what algorithms are said to take, and by nothing else.
 *
 *     learning_forms CALLS COSTS SCENE     COSTS: lane=1,native=3 in milliseconds; other algorithms take 5
 *
 * Prints, on rank 0, "served" and how many calls each algorithm served, and "last" with the latest one. Rank 0 makes
 * sure that all processes were served alike, call by call. All make sure that results are right.
 *
 *     isum         nonblocking allreduces of 16 KiB, with a barrier after each third one
 *     ireduce      nonblocking reductions in which nobody meets, with such barriers
 *     burst        four allreduces that are under way together, and a barrier
 *     late         allreduces; odd processes wait for them after the barrier alone
 *     never        allreduces; one in the middle is waited for at the end
 *     freed        on a duplicate for each 30 calls, which is freed while the latest call is under way, if it is ours
 *     threads      on two duplicates, by a thread each
 *     gatherv      blocks of 1 to 4 KiB for the first process, with barriers
 *     alltoallv    blocks whose lengths differ from call to call, with barriers
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 4096, most_calls = 4096, most_ranks = 16, at_once = 4 };

static const char* costs;
static int rank, size, calls;
static const char* (*served_by)(MPI_Comm);

static double cost_of(const char* algorithm)
{
    for (const char* at = costs; (at = strstr(at, algorithm)) != NULL; ++at)
        if ((at == costs || at[-1] == ',') && at[strlen(algorithm)] == '=')
            return atof(at + strlen(algorithm) + 1);
    return 5;
}

static __thread double now,
    owed; /* owed: milliseconds of the call that runs; below 0: what serves it says so */
static __thread int looks;

/* Laneway looks when a call begins and ends: it takes what it owes in between. */
double PMPI_Wtime(void);
double PMPI_Wtime(void)
{
    now += 1e-6;
    if (looks++ == 1) now += 1e-3 * (owed < 0 ? cost_of(served_by(MPI_COMM_WORLD)) : owed);
    return now;
}

static void fail(const char* what, int call)
{
    printf("rank %d, call %d: %s\n", rank, call, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static char names[most_calls][16];
static int noted;

static const char* note(MPI_Comm comm)
{
    if (noted == most_calls) fail("too many calls", noted);
    snprintf(names[noted], sizeof names[noted], "%s", served_by(comm));
    return names[noted++];
}

/* All processes must have been served alike. Messages between two tell that: collectives would be learnt. */
static void compare(void)
{
    static char others[most_calls][16];
    if (rank != 0) {
        MPI_Send(names, sizeof names, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int other = 1; other < size; ++other) {
        MPI_Recv(others, sizeof others, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int call = 0; call < noted; ++call)
            if (strcmp(names[call], others[call]) != 0)
                fail("processes are served differently", call);
    }
    for (int call = 0; call < noted; ++call) {
        int served = 0, is_first = 1;
        for (int other = 0; other < noted; ++other)
            if (strcmp(names[call], names[other]) == 0) {
                ++served;
                is_first = is_first && other >= call;
            }
        if (is_first) printf("served %s %d\n", names[call], served);
    }
    printf("last %s\n", noted > 0 ? names[noted - 1] : "none");
}

/* The barrier has a small cost whatever serves it. */
static void meet(MPI_Comm comm)
{
    looks = 0;
    owed = 0.01;
    MPI_Barrier(comm);
    looks = 2;
}

/* An operation under way, and its data. */
struct Sum {
    MPI_Request request;
    int data[count];
    int call, to_all;
    double cost;
};

static void begin(struct Sum* sum, MPI_Comm comm, int call, int to_all)
{
    sum->call = call;
    sum->to_all = to_all;
    for (int i = 0; i < count; ++i) sum->data[i] = i + call;
    looks = 2;
    if (to_all)
        MPI_Iallreduce(MPI_IN_PLACE, sum->data, count, MPI_INT, MPI_SUM, comm, &sum->request);
    else
        MPI_Ireduce(rank == 0 ? MPI_IN_PLACE : sum->data, rank == 0 ? sum->data : NULL, count,
                    MPI_INT, MPI_SUM, 0, comm, &sum->request);
}

static void check(const struct Sum* sum, int ranks)
{
    for (int i = 0; i < count && (sum->to_all || rank == 0); ++i)
        if (sum->data[i] != ranks * (i + sum->call)) fail("a wrong sum", sum->call);
}

static void end(struct Sum* sum, int ranks)
{
    looks = 0;
    owed = sum->cost;
    MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    looks = 2;
    check(sum, ranks);
}

static void sums(MPI_Comm comm, int to_all)
{
    static struct Sum sum;
    for (int call = 0; call < calls; ++call) {
        begin(&sum, comm, call, to_all);
        sum.cost = cost_of(note(comm));
        end(&sum, size);
        if (call % 3 == 2) meet(comm);
    }
}

static void bursts(void)
{
    static struct Sum all[at_once];
    MPI_Request requests[at_once];
    MPI_Status statuses[at_once];
    for (int call = 0; call < calls; call += at_once) {
        double cost = 0;
        for (int i = 0; i < at_once; ++i) {
            begin(&all[i], MPI_COMM_WORLD, call + i, 1);
            cost += cost_of(note(MPI_COMM_WORLD));
            requests[i] = all[i].request;
        }
        looks = 0;
        owed = cost;
        MPI_Waitall(at_once, requests, statuses);
        looks = 2;
        for (int i = 0; i < at_once; ++i) check(&all[i], size);
        meet(MPI_COMM_WORLD);
    }
}

static void late_ones(void)
{
    static struct Sum sum;
    for (int call = 0; call < calls; ++call) {
        begin(&sum, MPI_COMM_WORLD, call, 1);
        sum.cost = cost_of(note(MPI_COMM_WORLD));
        if (rank % 2 == 0) end(&sum, size);
        if (call % 3 == 0) meet(MPI_COMM_WORLD);
        if (rank % 2 == 1) end(&sum, size);
    }
}

static void one_that_lasts(void)
{
    static struct Sum sum, lasting;
    for (int call = 0; call < calls; ++call) {
        struct Sum* const its = call == calls / 8 ? &lasting : &sum;
        begin(its, MPI_COMM_WORLD, call, 1);
        its->cost = cost_of(note(MPI_COMM_WORLD));
        if (its == &sum) end(its, size);
        meet(MPI_COMM_WORLD);
    }
    end(&lasting, size);
}

/* Open MPI 4.1 may crash where an operation of its own outlives its communicator. */
static void on_communicators_that_end(void)
{
    static struct Sum sum;
    for (int call = 0; call < calls; call += 30) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < 3; ++i) meet(comm);
        for (int i = call; i < call + 30; ++i) {
            begin(&sum, comm, i, 1);
            const char* const server = note(comm);
            const int is_ours = strcmp(server, "native") != 0, is_last = i == call + 29;
            sum.cost = cost_of(server);
            if (i % 3 == 2) meet(comm);
            if (is_last && is_ours) MPI_Comm_free(&comm);
            end(&sum, size);
            if (is_last && !is_ours) MPI_Comm_free(&comm);
        }
    }
}

static void* in_thread(void* its)
{
    const MPI_Comm comm = *(MPI_Comm*)its;
    struct Sum* const sum = malloc(sizeof *sum);
    for (int call = 0; call < calls; ++call) {
        begin(sum, comm, call, 1);
        sum->cost = cost_of(served_by(comm));
        end(sum, size);
        if (call % 3 == 2) meet(comm);
    }
    free(sum);
    return NULL;
}

static void in_threads(void)
{
    MPI_Comm comms[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 2; ++i) meet(comms[i]), meet(comms[i]);
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, in_thread, &comms[i]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);
}

static void vectors(int to_one)
{
    static int in[most_ranks * 1024], out[most_ranks * 1024];
    int sent[most_ranks], received[most_ranks], places[most_ranks];
    for (int call = 0; call < calls; ++call) {
        for (int other = 0; other < size; ++other) {
            sent[other] = 256 + (rank + other + call) % 768;
            received[other] = to_one ? 256 * (other + 1) : sent[other];
            places[other] = other * 1024;
        }
        for (int i = 0; i < size * 1024; ++i) in[i] = 10000 * rank + i, out[i] = -1;
        looks = 0;
        owed = -1;
        if (to_one)
            MPI_Gatherv(in, received[rank], MPI_INT, out, received, places, MPI_INT, 0,
                        MPI_COMM_WORLD);
        else
            MPI_Alltoallv(in, sent, places, MPI_INT, out, received, places, MPI_INT,
                          MPI_COMM_WORLD);
        note(MPI_COMM_WORLD);
        for (int other = 0; other < size && (!to_one || rank == 0); ++other)
            for (int i = 0; i < received[other]; ++i) {
                const int sent_from = to_one ? i : 1024 * rank + i;
                if (out[places[other] + i] != 10000 * other + sent_from) fail("wrong data", call);
            }
        if (call % 3 == 2) meet(MPI_COMM_WORLD);
    }
}

int main(int argc, char** argv)
{
    int provided;
    const char* const scene = argc > 3 ? argv[3] : "";
    calls = argc > 1 ? atoi(argv[1]) : 0;
    costs = argc > 2 ? argv[2] : "";
    MPI_Init_thread(&argc, &argv,
                    strcmp(scene, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *(void**)&served_by = dlsym(RTLD_DEFAULT, "laneway_served_by");
    if (served_by == NULL) fail("no preload", 0);
    for (int i = 0; i < 3; ++i) meet(MPI_COMM_WORLD); /* nonblocking calls are prepared there */
    if (strcmp(scene, "isum") == 0)
        sums(MPI_COMM_WORLD, 1);
    else if (strcmp(scene, "ireduce") == 0)
        sums(MPI_COMM_WORLD, 0);
    else if (strcmp(scene, "burst") == 0)
        bursts();
    else if (strcmp(scene, "late") == 0)
        late_ones();
    else if (strcmp(scene, "never") == 0)
        one_that_lasts();
    else if (strcmp(scene, "freed") == 0)
        on_communicators_that_end();
    else if (strcmp(scene, "threads") == 0)
        in_threads();
    else if (strcmp(scene, "gatherv") == 0)
        vectors(1);
    else if (strcmp(scene, "alltoallv") == 0)
        vectors(0);
    else
        fail("no such scene", 0);
    compare();
    MPI_Finalize();
    return 0;
}
