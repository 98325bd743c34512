/* SPDX-License-Identifier: BSD-3-Clause */
/* An error handler leaves MPI_Comm_free by longjmp, which runs no destructor. Later communicators, whose handles
 * may lie anywhere, are served alike on all ranks. Prints which algorithm served the last broadcast; without Laneway,
 * `right`. With an argument no collective comes before. */
#ifdef WITHOUT_LANEWAY
#define laneway_served_by(comm) "right"
#else
#include <laneway.h>
#endif
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static jmp_buf before;

static void leave(MPI_Comm* comm, int* code, ...)
{
    (void)comm, (void)code;
    longjmp(before, 1);
}

/* The world cannot be freed: the library calls its error handler. */
static __attribute__((noinline)) void leave_free(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    if (setjmp(before)) return;
    MPI_Comm_free(&world);
    CHECK(!"the handler leaves the call");
}

/* Whatever lay on the stack of the call is overwritten. */
static __attribute__((noinline)) void overwrite(void)
{
    volatile char stack[8192];
    memset((void*)stack, 0x41, sizeof stack);
}

int main(int argc, char** argv)
{
    MPI_Errhandler handler;
    MPI_Comm part;
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 1) MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    leave_free();
    overwrite();
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
    for (int round = 0; round < 3; ++round) {
        data = rank == 0 ? 7 + round : 0;
        MPI_Bcast(&data, 1, MPI_INT, 0, part);
        CHECK(data == 7 + round);
        data = rank == 0 ? 70 + round : 0;
        MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
        CHECK(data == 70 + round);
    }
    if (rank == 0) puts(laneway_served_by(MPI_COMM_WORLD));
    MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
