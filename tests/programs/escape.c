/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: escape [reject]
 * Rank 1 leaves collectives by longjmp from an error handler. Later broadcasts, from whatever depth of
 * whatever stack, are served alike on all ranks. With "reject" it makes only calls that the library
 * rejects, and right ones after them. Prints `right`. */
#include <laneway.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>

#include "check.h"

static jmp_buf before;
static int rank, size;

static void leave(MPI_Comm* comm, int* code, ...)
{
    (void)comm, (void)code;
    longjmp(before, 1);
}

static void escape(void)
{
    int data = rank;
    if (rank != 1 || setjmp(before)) return;
    laneway_bcast(&data, 1, MPI_INT, 99, MPI_COMM_WORLD);
    CHECK(!"the handler leaves the call");
}

static int wrong_bcast(MPI_Comm comm)
{
    int data = 0;
    return laneway_bcast(&data, 1, MPI_INT, 99, comm);
}

static int wrong_gatherv(MPI_Comm comm)
{
    int data = 0;
    return MPI_Gatherv(&data, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, 99, comm);
}

/* In place where only the root may be; the counts are the root's alone. MPICH 4.0 doesn't look. */
#ifdef OPEN_MPI
static int gatherv_in_place(MPI_Comm comm)
{
    return MPI_Gatherv(MPI_IN_PLACE, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, comm);
}
#else
#define gatherv_in_place wrong_gatherv
#endif

static int wrong_allgatherv(MPI_Comm comm)
{
    int data[64] = {0}, counts[64] = {0};
    return MPI_Allgatherv(data, -1, MPI_INT, data, counts, counts, MPI_INT, comm);
}

static int wrong_alltoallv(MPI_Comm comm)
{
    int data[64] = {0}, counts[64] = {-1}, starts[64] = {0};
    return MPI_Alltoallv(data, counts, starts, MPI_INT, data + 1, starts, starts, MPI_INT, comm);
}

static int right_bcast(MPI_Comm comm)
{
    int data = 0;
    return laneway_bcast(&data, 1, MPI_INT, 0, comm);
}

static int right_gatherv(MPI_Comm comm)
{
    int counts[64], starts[64], all[64];
    for (int i = 0; i < size; ++i) counts[i] = 1, starts[i] = i;
    const int code = MPI_Gatherv(&rank, 1, MPI_INT, all, counts, starts, MPI_INT, 0, comm);
    for (int i = 0; rank == 0 && i < size; ++i) CHECK(all[i] == i);
    return code;
}

typedef int Try(MPI_Comm);

/* Nobody else need be in a call that the library rejects, be it a communicator's first or not. */
static void reject(Try* wrong, Try* right)
{
    MPI_Comm comm;
    int token = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int again = 0; again < 2; ++again) {
        if (rank == 1) {
            CHECK(wrong(comm) != MPI_SUCCESS);
            MPI_Send(&token, 1, MPI_INT, 0, 0, comm);
        } else if (rank == 0) {
            MPI_Recv(&token, 1, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
        }
        CHECK(right(comm) == MPI_SUCCESS);
    }
    MPI_Comm_free(&comm);
}

static void errors_first(void)
{
    Try* const wrong[] = {wrong_bcast, wrong_gatherv, gatherv_in_place, wrong_allgatherv,
                          wrong_alltoallv};
    for (int i = 0; i < 5; ++i) {
        reject(wrong[i], right_bcast);
        reject(wrong[i], right_gatherv);
    }
}

static void broadcast(void)
{
    int data[64];
    for (int root = 0; root < size; ++root) {
        for (int i = 0; i < 64; ++i) data[i] = rank == root ? root + i : -1;
        CHECK(laneway_bcast(data, 64, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < 64; ++i) CHECK(data[i] == root + i);
        CHECK(strcmp(laneway_served_by(MPI_COMM_WORLD), "lane") == 0);
    }
}

static void deeper(int levels)
{
    volatile char room[1000];
    room[0] = (char)levels;
    if (levels > 0)
        deeper(levels - 1);
    else
        broadcast();
    room[999] = room[0];
}

static void* in_thread(void* nothing)
{
    broadcast();
    return nothing;
}

static void on_other_stacks(void)
{
    static char room[1 << 18];
    static ucontext_t fibre, back;
    pthread_t thread;
    getcontext(&fibre);
    fibre.uc_stack.ss_sp = room;
    fibre.uc_stack.ss_size = sizeof room;
    fibre.uc_link = &back;
    makecontext(&fibre, broadcast, 0);
    swapcontext(&back, &fibre);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
}

static void everywhere(void)
{
    broadcast();
    escape();
    broadcast();
    escape();
    deeper(0);
    for (int levels = 1; levels < 20; ++levels) {
        escape();
        deeper(levels);
    }
    escape();
    on_other_stacks();
    broadcast();
}

int main(int argc, char** argv)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);

    errors_first();
    if (argc == 1 || strcmp(argv[1], "reject") != 0) everywhere();

    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
