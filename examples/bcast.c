/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A broadcast by a named algorithm, and one by whatever the environment asks for:
 *
 *     mpicc bcast.c -llaneway -o bcast
 *     LANEWAY_NODE_SIZE=2 LANEWAY_ALGORITHM=bcast=hierarchical mpirun -np 4 ./bcast
 */
#include <laneway.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double values[1000];
    for (int i = 0; i < 1000; ++i) values[i] = rank == 0 ? i : 0;
    laneway_bcast_with("lane", values, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    printf("rank %d: values[999] = %g, served by %s\n", rank, values[999],
           laneway_served_by(MPI_COMM_WORLD));

    laneway_bcast(values, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("by default: %s\n", laneway_served_by(MPI_COMM_WORLD));

    MPI_Finalize();
    return 0;
}
