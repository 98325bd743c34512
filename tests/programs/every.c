/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: every
 *
 * Every collective of MPI once, in all its forms, on MPI_COMM_WORLD or a graph of it; persistent ones
 * and large counts where MPI has them. Persistent ones are made, not started, as MPICH 4.0 fails in
 * some. Each vector collective has blocks of 3 ints of every process. At the end rank 0 says how many
 * calls a process has made. */
#include <mpi.h>
#include <stdio.h>

#define MOST 8

static int calls;

static void waiting(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

#define BLOCKING(name, ...) ++calls, MPI_##name(__VA_ARGS__, world)
#define NONBLOCKING(name, ...) ++calls, MPI_I##name(__VA_ARGS__, world, &request), waiting(request)
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define PERSISTENT(init, ...) \
    ++calls, MPI_##init(__VA_ARGS__, MPI_INFO_NULL, &request), MPI_Request_free(&request)
#else
#define PERSISTENT(init, ...) (void)0
#endif
#if MPI_VERSION >= 4
#define LARGE(low, name, ...)                                           \
    BLOCKING(name##_c, __VA_ARGS__), NONBLOCKING(low##_c, __VA_ARGS__), \
        PERSISTENT(name##_init_c, __VA_ARGS__, world)
#define LARGE_NEIGHBORS(name, ...) \
    OF_NEIGHBORS(name##_c, __VA_ARGS__), PERSISTENT(Neighbor_##name##_init_c, __VA_ARGS__, graph)
#endif
#define EACH(low, name, ...)                                    \
    BLOCKING(name, __VA_ARGS__), NONBLOCKING(low, __VA_ARGS__), \
        PERSISTENT(name##_init, __VA_ARGS__, world)
#define OF_NEIGHBORS(name, ...)                                \
    ++calls, MPI_Neighbor_##name(__VA_ARGS__, graph), ++calls, \
        MPI_Ineighbor_##name(__VA_ARGS__, graph, &request), waiting(request)
#define NEIGHBORS(name, ...) \
    OF_NEIGHBORS(name, __VA_ARGS__), PERSISTENT(Neighbor_##name##_init, __VA_ARGS__, graph)

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
    PERSISTENT(Barrier_init, world);
    EACH(bcast, Bcast, in, 3, type, 0);
    EACH(scatter, Scatter, in, 3, type, out, 3, type, 0);
    EACH(scatterv, Scatterv, in, counts, starts, type, out, 3, type, 0);
    EACH(gather, Gather, in, 3, type, out, 3, type, 0);
    EACH(gatherv, Gatherv, in, 3, type, out, counts, starts, type, 0);
    EACH(allgather, Allgather, in, 3, type, out, 3, type);
    EACH(allgatherv, Allgatherv, in, 3, type, out, counts, starts, type);
    EACH(alltoall, Alltoall, in, 3, type, out, 3, type);
    EACH(alltoallv, Alltoallv, in, counts, starts, type, out, counts, starts, type);
    EACH(alltoallw, Alltoallw, in, counts, bytes, types, out, counts, bytes, types);
    EACH(reduce, Reduce, in, out, 3, type, MPI_SUM, 0);
    EACH(allreduce, Allreduce, in, out, 3, type, MPI_SUM);
    EACH(reduce_scatter, Reduce_scatter, in, out, counts, type, MPI_SUM);
    EACH(reduce_scatter_block, Reduce_scatter_block, in, out, 3, type, MPI_SUM);
    EACH(scan, Scan, in, out, 3, type, MPI_SUM);
    EACH(exscan, Exscan, in, out, 3, type, MPI_SUM);
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
    LARGE(bcast, Bcast, in, 3, type, 0);
    LARGE(scatter, Scatter, in, 3, type, out, 3, type, 0);
    LARGE(scatterv, Scatterv, in, large_counts, large_starts, type, out, 3, type, 0);
    LARGE(gather, Gather, in, 3, type, out, 3, type, 0);
    LARGE(gatherv, Gatherv, in, 3, type, out, large_counts, large_starts, type, 0);
    LARGE(allgather, Allgather, in, 3, type, out, 3, type);
    LARGE(allgatherv, Allgatherv, in, 3, type, out, large_counts, large_starts, type);
    LARGE(alltoall, Alltoall, in, 3, type, out, 3, type);
    LARGE(alltoallv, Alltoallv, in, large_counts, large_starts, type, out, large_counts,
          large_starts, type);
    LARGE(alltoallw, Alltoallw, in, large_counts, places, types, out, large_counts, places, types);
    LARGE(reduce, Reduce, in, out, 3, type, MPI_SUM, 0);
    LARGE(allreduce, Allreduce, in, out, 3, type, MPI_SUM);
    LARGE(reduce_scatter, Reduce_scatter, in, out, large_counts, type, MPI_SUM);
    LARGE(reduce_scatter_block, Reduce_scatter_block, in, out, 3, type, MPI_SUM);
    LARGE(scan, Scan, in, out, 3, type, MPI_SUM);
    LARGE(exscan, Exscan, in, out, 3, type, MPI_SUM);
    LARGE_NEIGHBORS(allgather, in, 3, type, out, 3, type);
    LARGE_NEIGHBORS(allgatherv, in, 3, type, out, large_counts, large_starts, type);
    LARGE_NEIGHBORS(alltoall, in, 3, type, out, 3, type);
    LARGE_NEIGHBORS(alltoallv, in, large_counts, large_starts, type, out, large_counts,
                    large_starts, type);
    LARGE_NEIGHBORS(alltoallw, in, large_counts, places, types, out, large_counts, places, types);
#endif
    if (rank == 0) printf("%d calls\n", calls);
    MPI_Finalize();
    return 0;
}
