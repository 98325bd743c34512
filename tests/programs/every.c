/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: every
 * Every collective of MPI 3.1 once, on MPI_COMM_WORLD or a graph of it; where MPI has large counts,
 * the blocking ones once more in that form. Each vector collective has blocks of 3 ints of
 * every process. At the end rank 0 says how many calls a process has made. */
#include <mpi.h>
#include <stdio.h>

#define MOST 8

static int calls;

static void waiting(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

#define BLOCKING(name, ...) ++calls, MPI_##name(__VA_ARGS__, world)
#define NONBLOCKING(name, ...) ++calls, MPI_I##name(__VA_ARGS__, world, &request), waiting(request)
#define BOTH(low, name, ...) BLOCKING(name, __VA_ARGS__), NONBLOCKING(low, __VA_ARGS__)
#define NEIGHBORS(name, ...)                                   \
    ++calls, MPI_Neighbor_##name(__VA_ARGS__, graph), ++calls, \
        MPI_Ineighbor_##name(__VA_ARGS__, graph, &request), waiting(request)

int main(int argc, char** argv)
{
    static int in[3 * MOST], out[3 * MOST];
    int rank, size, counts[MOST], starts[MOST], bytes[MOST];
    MPI_Aint places[MOST];
    MPI_Datatype types[MOST];
    MPI_Request request;
    MPI_Comm graph;
    const MPI_Comm world = MPI_COMM_WORLD;
    const MPI_Datatype type = MPI_INT;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    for (int i = 0; i < MOST; ++i) {
        counts[i] = 3;
        starts[i] = 3 * i;
        bytes[i] = 12 * i;
        places[i] = 12 * i;
        types[i] = type;
    }
    MPI_Dist_graph_create_adjacent(world, 1, &rank, counts, 1, &rank, counts, MPI_INFO_NULL, 0,
                                   &graph);

    ++calls, MPI_Barrier(world);
    ++calls, MPI_Ibarrier(world, &request), waiting(request);
    BOTH(bcast, Bcast, in, 3, type, 0);
    BOTH(scatter, Scatter, in, 3, type, out, 3, type, 0);
    BOTH(scatterv, Scatterv, in, counts, starts, type, out, 3, type, 0);
    BOTH(gather, Gather, in, 3, type, out, 3, type, 0);
    BOTH(gatherv, Gatherv, in, 3, type, out, counts, starts, type, 0);
    BOTH(allgather, Allgather, in, 3, type, out, 3, type);
    BOTH(allgatherv, Allgatherv, in, 3, type, out, counts, starts, type);
    BOTH(alltoall, Alltoall, in, 3, type, out, 3, type);
    BOTH(alltoallv, Alltoallv, in, counts, starts, type, out, counts, starts, type);
    BOTH(alltoallw, Alltoallw, in, counts, bytes, types, out, counts, bytes, types);
    BOTH(reduce, Reduce, in, out, 3, type, MPI_SUM, 0);
    BOTH(allreduce, Allreduce, in, out, 3, type, MPI_SUM);
    BOTH(reduce_scatter, Reduce_scatter, in, out, counts, type, MPI_SUM);
    BOTH(reduce_scatter_block, Reduce_scatter_block, in, out, 3, type, MPI_SUM);
    BOTH(scan, Scan, in, out, 3, type, MPI_SUM);
    BOTH(exscan, Exscan, in, out, 3, type, MPI_SUM);
    NEIGHBORS(allgather, in, 3, type, out, 3, type);
    NEIGHBORS(allgatherv, in, 3, type, out, counts, starts, type);
    NEIGHBORS(alltoall, in, 3, type, out, 3, type);
    NEIGHBORS(alltoallv, in, counts, starts, type, out, counts, starts, type);
    NEIGHBORS(alltoallw, in, counts, places, types, out, counts, places, types);
#if MPI_VERSION >= 4
    MPI_Count large_counts[MOST];
    MPI_Aint large_starts[MOST];
    for (int i = 0; i < MOST; ++i) {
        large_counts[i] = counts[i];
        large_starts[i] = starts[i];
    }
    BLOCKING(Bcast_c, in, 3, type, 0);
    BLOCKING(Scatter_c, in, 3, type, out, 3, type, 0);
    BLOCKING(Gather_c, in, 3, type, out, 3, type, 0);
    BLOCKING(Allgather_c, in, 3, type, out, 3, type);
    BLOCKING(Alltoall_c, in, 3, type, out, 3, type);
    BLOCKING(Reduce_c, in, out, 3, type, MPI_SUM, 0);
    BLOCKING(Allreduce_c, in, out, 3, type, MPI_SUM);
    BLOCKING(Reduce_scatter_block_c, in, out, 3, type, MPI_SUM);
    BLOCKING(Scan_c, in, out, 3, type, MPI_SUM);
    BLOCKING(Exscan_c, in, out, 3, type, MPI_SUM);
    BLOCKING(Scatterv_c, in, large_counts, large_starts, type, out, 3, type, 0);
    BLOCKING(Gatherv_c, in, 3, type, out, large_counts, large_starts, type, 0);
    BLOCKING(Allgatherv_c, in, 3, type, out, large_counts, large_starts, type);
    BLOCKING(Alltoallv_c, in, large_counts, large_starts, type, out, large_counts, large_starts,
             type);
    BLOCKING(Alltoallw_c, in, large_counts, places, types, out, large_counts, places, types);
    BLOCKING(Reduce_scatter_c, in, out, large_counts, type, MPI_SUM);
#endif
    if (rank == 0) printf("%d calls\n", calls);
    MPI_Finalize();
    return 0;
}
