/* SPDX-License-Identifier: BSD-3-Clause */
/* All processes reduce an element in their first collective, which the library rejects at the root alone. Rank 1, which
 * only sends, goes on natively: the root waits for what it says then, says "right" on standard error and ends the
 * job. */
#include "check.h"

int main(int argc, char** argv)
{
    int rank, told = 0;
    double data = 1, result = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int code =
        MPI_Reduce(&data, rank == 0 ? &data : &result, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK((code != MPI_SUCCESS) == (rank == 0));
    if (rank == 1) MPI_Send(&told, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&told, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) fputs("right\n", stderr), MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
