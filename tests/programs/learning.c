/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls to learn from. MPI's clock goes on by what algorithms are said to take, and by nothing else.
 *
 *     learning CALLS COSTS [SCENE]     COSTS: lane=1,native=3 in milliseconds; other algorithms take 5
 *
 * Prints, on rank 0, "served" and how many calls each algorithm served, and "last" with the latest one. All processes
 * make sure that they agree on that, call by call, and that results are right.
 *
 *     world        allreduces of 16 KiB
 *     late         the same; all processes but one come 7 ms early, each time another one
 *     drift        the same; from the middle on the algorithm of the first entry takes ten times as long
 *     bcast        broadcasts, with a barrier after each third one
 *     beside       broadcasts, with a sum in which all meet after each third one
 *     two          on two duplicates: on the first one times drift again and again; on the other one once, at the end
 *     short        on a duplicate of the world for each 30 calls
 *     differ       the first half on halves of the world, the one of which learns the opposite; then on all of it
 *     threads      on two duplicates, by a thread each
 */
#include <laneway.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { names = 64, count = 4096 };

static const char* costs;
static int rank, size, late, drifted, opposite;

static double cost_of(const char* algorithm)
{
    const char* const found = strstr(costs, algorithm);
    double cost = 5;
    if (found != NULL && found[strlen(algorithm)] == '=')
        cost = atof(found + strlen(algorithm) + 1);
    if (drifted && found == costs) cost *= 10;
    return opposite ? 6 - cost : cost;
}

static __thread double now;
static __thread int looks;
static __thread MPI_Comm served_on;

/* In a call Laneway looks when it begins and ends; then, when a reduction does. */
double PMPI_Wtime(void);
double PMPI_Wtime(void)
{
    if (looks == 1) now += 1e-3 * (cost_of(laneway_served_by(served_on)) + (late ? 7 : 0));
    if (looks == 3) now += 1e-5;
    ++looks;
    return now;
}

struct Served {
    char name[32];
    int calls;
};
static struct Served served[names];
static const char* last = "none";

static void fail(const char* what, int call)
{
    printf("rank %d, call %d: %s\n", rank, call, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Notes what served a call; all processes of the communicator must have been served alike. */
static void note(MPI_Comm comm, int call)
{
    char name[32] = "", other[32] = "";
    snprintf(name, sizeof name, "%s", laneway_served_by(comm));
    memcpy(other, name, sizeof other);
    PMPI_Bcast(other, sizeof other, MPI_CHAR, 0, comm);
    if (strcmp(name, other) != 0) fail("processes are served differently", call);
    int place = 0;
    while (served[place].calls > 0 && strcmp(served[place].name, name) != 0) ++place;
    memcpy(served[place].name, name, sizeof name);
    ++served[place].calls;
    last = served[place].name;
}

static void sum(MPI_Comm comm, int call)
{
    static __thread int data[count];
    int ranks;
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < count; ++i) data[i] = i + call;
    served_on = comm;
    looks = 0;
    laneway_allreduce(MPI_IN_PLACE, data, count, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count; ++i)
        if (data[i] != ranks * (i + call)) fail("a wrong sum", call);
}

static void sums(MPI_Comm comm, int calls)
{
    for (int call = 0; call < calls; ++call) {
        int own;
        MPI_Comm_rank(comm, &own);
        late = late < 0 || (late > 0 && call % size != own) ? 1 : late;
        sum(comm, call);
        note(comm, call);
    }
}

static void* in_thread(void* comm)
{
    for (int call = 0; call < 300; ++call) sum(*(MPI_Comm*)comm, call);
    return NULL;
}

int main(int argc, char** argv)
{
    int provided;
    MPI_Comm comm;
    const char* const scene = argc > 3 ? argv[3] : "world";
    const int calls = argc > 1 ? atoi(argv[1]) : 0;
    costs = argc > 2 ? argv[2] : "";
    served_on = MPI_COMM_NULL;
    MPI_Init_thread(&argc, &argv,
                    strcmp(scene, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(scene, "late") == 0) {
        for (int call = 0; call < calls; ++call) {
            late = call % size != rank;
            sum(MPI_COMM_WORLD, call);
            note(MPI_COMM_WORLD, call);
        }
    } else if (strcmp(scene, "drift") == 0) {
        sums(MPI_COMM_WORLD, calls / 2);
        drifted = 1;
        sums(MPI_COMM_WORLD, calls - calls / 2);
    } else if (strcmp(scene, "two") == 0) {
        MPI_Comm comms[2];
        for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        for (int i = 0; i < 2; ++i) sums(comms[i], 24); /* the first 20 are left to the library */
        for (int i = 0; i < 3; ++i) {
            drifted = i % 2;
            sums(comms[0], calls);
        }
        sums(comms[1], calls);
        drifted = 1;
        sums(comms[1], 40);
        for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);
    } else if (strcmp(scene, "bcast") == 0 || strcmp(scene, "beside") == 0) {
        for (int call = 0; call < calls; ++call) {
            int data[count];
            for (int i = 0; i < count; ++i) data[i] = rank == call % size ? i : -1;
            served_on = MPI_COMM_WORLD;
            looks = 0;
            laneway_bcast(data, count, MPI_INT, call % size, MPI_COMM_WORLD);
            for (int i = 0; i < count; ++i)
                if (data[i] != i) fail("wrong data", call);
            note(MPI_COMM_WORLD, call);
            if (call % 3 != 2) continue;
            if (strcmp(scene, "bcast") == 0)
                laneway_barrier(MPI_COMM_WORLD);
            else
                laneway_allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
    } else if (strcmp(scene, "short") == 0) {
        for (int call = 0; call < calls; call += 30) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            sums(comm, 30);
            MPI_Comm_free(&comm);
        }
    } else if (strcmp(scene, "differ") == 0) {
        /* Halves of one shape. The latter two halves have ranks of both former ones. */
        opposite = rank % 2;
        MPI_Comm_split(MPI_COMM_WORLD, opposite, rank, &comm);
        sums(comm, calls / 2);
        MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, (rank + rank / (size / 2)) % 2, rank, &comm);
        sums(comm, calls / 2);
        MPI_Comm_free(&comm);
    } else if (strcmp(scene, "threads") == 0) {
        MPI_Comm comms[2];
        pthread_t threads[2];
        for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, in_thread, &comms[i]);
        for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
        for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);
    } else {
        sums(MPI_COMM_WORLD, calls);
    }
    for (int place = 0; rank == 0 && served[place].calls > 0; ++place)
        printf("served %s %d\n", served[place].name, served[place].calls);
    if (rank == 0) printf("last %s\n", last);
    MPI_Finalize();
    return 0;
}
