/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: spawning
 *
 * Starts as many processes again as it has. Each of both jobs makes 3 broadcasts, then one with the
 * other job's processes in a communicator of all. */
#include <mpi.h>

int main(int argc, char** argv)
{
    int size, data = 0;
    MPI_Comm others, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 3; ++i) MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_get_parent(&others);
    const int is_child = others != MPI_COMM_NULL;
    if (!is_child)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                       MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(others, is_child, &all);
    MPI_Bcast(&data, 1, MPI_INT, 0, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&others);
    MPI_Finalize();
    return 0;
}
