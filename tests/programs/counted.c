/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: counted finalize|exit|abort|kill
 *
 * Calls whose number is known, a process. On MPI_COMM_WORLD they are 20 broadcasts of 400 bytes, 1 of none, 3
 * allreduces of 8 bytes and 2 barriers. There are 4 broadcasts on MPI_COMM_SELF and 5 allreduces on halves, 1 broadcast
 * on an inter-communicator, and 1 that MPI rejects. Then it ends in that manner. */
#define _POSIX_C_SOURCE 200112L
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static void on_an_inter_communicator(MPI_Comm half, int rank)
{
    int value = 0;
    const int of_first = rank % 2 == 0, leader = rank < 2;
    MPI_Comm between;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, of_first ? 1 : 0, 0, &between);
    const int root = !of_first ? 0 : leader ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(&value, 1, MPI_INT, root, between);
    MPI_Comm_free(&between);
}

int main(int argc, char** argv)
{
    int rank, data[100] = {0};
    double sum = 1, total;
    const char* fate = argc > 1 ? argv[1] : "finalize";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; ++i) MPI_Bcast(data, 100, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(data, 0, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 4; ++i) MPI_Bcast(data, 100, MPI_INT, 0, MPI_COMM_SELF);

    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 5; ++i) MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, half);
    on_an_inter_communicator(half, rank);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    CHECK(MPI_Bcast(data, 1, MPI_INT, 100, half) != MPI_SUCCESS);
    MPI_Comm_free(&half);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);

    if (strcmp(fate, "exit") == 0) _exit(0);
    if (strcmp(fate, "kill") == 0) raise(SIGKILL);
    if (strcmp(fate, "abort") == 0) {
        if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
        pause(); /* until that ends it */
    }
    MPI_Finalize();
    return 0;
}
