/* SPDX-License-Identifier: BSD-3-Clause */
/* How often MPICH looks at the network in tests of an operation whose other side has not begun yet: "TESTS LOOKS". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

enum { tests = 800 };

static int looks;

unsigned ucp_worker_progress(void* worker)
{
    static unsigned (*next)(void*);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    ++looks;
    return next(worker);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank, sum = 0, done = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int one = 1;
    MPI_Request request;
    for (int early = 0; early < 4; ++early) { /* the decomposition is made in one of these */
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 0) {
        looks = 0;
        for (int test = 0; test < tests; ++test) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        printf("%d %d\n", done ? 0 : tests, looks);
        MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
