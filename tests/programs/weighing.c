/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: weighing whole|part
 *
 * Six broadcasts of 16 MiB, after each of which lanes are measured (LANEWAY_LANE_WEIGHTS=auto): on MPI_COMM_WORLD, or on
 * the processes of the first two nodes. Then one on a communicator of all processes in reverse order.
 *
 * Two processes a node, a lane each. MPI's clock says that lane 1 of node 1 takes ten times as long as any other, in
 * both directions. It goes on by that time whenever it is looked at: before a piece comes, and when it has come. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, nodes;

double PMPI_Wtime(void);
double PMPI_Wtime(void)
{
    static double time;
    const int node = rank / 2, before = (node + nodes - 1) % nodes, lane = rank % 2;
    return time += lane == 1 && (node == 1 || before == 1) ? 0.010 : 0.001;
}

int main(int argc, char** argv)
{
    enum { bytes = 16 << 20 };
    MPI_Comm some, reverse;
    char* const data = calloc(bytes, 1);
    int size, call;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    nodes = size / 2;
    if (strcmp(argv[1], "part") == 0) {
        nodes = 2;
        MPI_Comm_split(MPI_COMM_WORLD, rank < 4 ? 0 : MPI_UNDEFINED, rank, &some);
    } else {
        some = MPI_COMM_WORLD;
    }
    for (call = 0; call < 6 && some != MPI_COMM_NULL; ++call)
        MPI_Bcast(data, bytes, MPI_CHAR, 0, some);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
    MPI_Bcast(data, 1 << 16, MPI_CHAR, 0, reverse);
    MPI_Comm_free(&reverse);
    if (some != MPI_COMM_NULL && some != MPI_COMM_WORLD) MPI_Comm_free(&some);
    MPI_Finalize();
    return 0;
}
