/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent vector collectives are made, started again and again, and freed. Prints a line for each, with numbers of
 * all ranks together: messages of numbers when it is made, and in all its starts. The last number is 1 if each start
 * has as many messages as the first. Results are checked. Under count_lengths.c. */
#include "check.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

extern void count_messages(int* of_numbers, int* all) __attribute__((weak));

enum { most = 16, longest = 40, row = most * longest, starts = 5 };

static int rank, size;
static int in[row], out[row], counts_in[most], counts_out[most], places[most];

static int length(int from, int to) { return (3 * from + 5 * to) % 7; }
static int value(int from, int to, int i, int turn) { return from * 1000 + to * 100 + i + turn; }

static int made, made_all; /* messages before something is made */

static void begin(void) { count_messages(&made, &made_all); }

/* `target`: the rank that gets data, `origin`: the one that sends any; negative: all do. */
static void start(const char* name, MPI_Request request, int target, int origin)
{
    int numbers, all, first = 0, sums[3], told[3] = {0, 0, 1};
    count_messages(&numbers, &all);
    told[0] = numbers - made;
    for (int turn = 0; turn < starts; ++turn) {
        for (int i = 0; i < row; ++i) {
            in[i] = value(rank, i / longest, i % longest, turn);
            out[i] = -7;
        }
        int before, before_all;
        MPI_Barrier(MPI_COMM_WORLD);
        count_messages(&before, &before_all);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        count_messages(&numbers, &all);
        told[1] += numbers - before;
        if (turn == 0) first = all - before_all;
        told[2] &= all - before_all == first;
        for (int peer = 0; peer < size; ++peer) {
            const int comes = (target < 0 || rank == target) && (origin < 0 || peer == origin);
            for (int i = 0; comes && i < counts_out[peer]; ++i)
                CHECK(out[places[peer] + i] == value(peer, rank, i, turn));
        }
    }
    MPI_Request_free(&request);
    MPI_Reduce(told, sums, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s %d %d %d\n", name, sums[0], sums[1], sums[2] == size);
}

int main(int argc, char** argv)
{
    enum { root = 1 };
    int ranks[most];
    MPI_Request request;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(count_messages && size <= most);
    for (int peer = 0; peer < size; ++peer) {
        places[peer] = peer * longest;
        counts_in[peer] = length(rank, peer);
        counts_out[peer] = length(peer, rank);
        ranks[peer] = peer;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size, ranks, ranks, size, ranks, ranks,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Barrier(graph);
    MPI_Barrier(MPI_COMM_WORLD);
    begin();
    INIT(Alltoallv)(in, counts_in, places, MPI_INT, out, counts_out, places, MPI_INT,
                    MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    start("alltoallv_init", request, -1, -1);
    begin();
    INIT(Gatherv)(in + root * longest, length(rank, root), MPI_INT, out, counts_out, places,
                  MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    start("gatherv_init", request, root, -1);
    begin();
    INIT(Scatterv)(in, counts_in, places, MPI_INT, out + root * longest, length(root, rank),
                   MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    start("scatterv_init", request, -1, root);
    begin();
    INIT(Neighbor_alltoallv)(in, counts_in, places, MPI_INT, out, counts_out, places, MPI_INT,
                             graph, MPI_INFO_NULL, &request);
    start("neighbor_alltoallv_init", request, -1, -1);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
