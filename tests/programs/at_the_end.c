/* SPDX-License-Identifier: BSD-3-Clause */
/* Others that hear of MPI's end communicate there, on a communicator that no collective was called on before. On some
 * ranks they hear of it before Laneway does, on the others after. */
#include "check.h"

static MPI_Comm fresh;

static int hear(MPI_Comm comm, int key, void* value, void* extra)
{
    int rank, size, sum = 0, data = -1;
    (void)comm, (void)key, (void)value, (void)extra;
    MPI_Comm_rank(fresh, &rank);
    MPI_Comm_size(fresh, &size);
    if (rank == 0) data = 7;
    CHECK(MPI_Bcast(&data, 1, MPI_INT, 0, fresh) == MPI_SUCCESS && data == 7);
    CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, fresh) == MPI_SUCCESS);
    CHECK(sum == size * (size - 1) / 2);
    CHECK(MPI_Bcast(&data, 1, MPI_INT, 0, fresh) == MPI_SUCCESS && data == 7);
    return MPI_SUCCESS;
}

int main(int argc, char** argv)
{
    int rank, key, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, hear, &key, NULL);
    if (rank % 2 == 0) MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank % 2 == 1) MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
