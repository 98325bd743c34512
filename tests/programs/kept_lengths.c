/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector collectives are called again and again, at one root and at several. Lengths are those of the last call, or
 * others on one process alone, or others in each call. Results are checked, and holes stay as they are. */
#include "check.h"

enum { most = 16, longest = 40, row = most * longest, calls = 48 };

static int rank, size;
static int in[row], out[row], counts_in[most], counts_out[most], places[most];

/* How the lengths of calls differ. */
enum phase { all_equal, one_differs, each_call, phases };

static int version_of(int call)
{
    switch (call / 12 % phases) {
    case all_equal:
        return 0;
    case one_differs:
        return call % 4 == 1;
    default:
        return call;
    }
}

/* Ints of the block from one rank for another. With another version, those of some ranks alone differ. */
static int length(int from, int to, int version)
{
    const int odd = version != 0 && (from + to) % size == version % size;
    return ((3 * from + 5 * to) % 7 + odd * (1 + version % 9)) % longest;
}

static int value(int from, int to, int i, int call) { return from * 1000 + to * 100 + i + call; }

static void clear(void)
{
    for (int i = 0; i < row; ++i) in[i] = out[i] = -7;
}

static void alltoallv(int call)
{
    const int version = version_of(call);
    clear();
    for (int peer = 0; peer < size; ++peer) {
        places[peer] = peer * longest;
        counts_in[peer] = length(rank, peer, version);
        counts_out[peer] = length(peer, rank, version);
        for (int i = 0; i < counts_in[peer]; ++i) in[places[peer] + i] = value(rank, peer, i, call);
    }
    MPI_Alltoallv(in, counts_in, places, MPI_INT, out, counts_out, places, MPI_INT, MPI_COMM_WORLD);
    for (int peer = 0; peer < size; ++peer)
        for (int i = 0; i < longest; ++i)
            CHECK(out[places[peer] + i] ==
                  (i < counts_out[peer] ? value(peer, rank, i, call) : -7));
}

static void gatherv(int call, int root)
{
    const int version = version_of(call), own = length(rank, root, version);
    clear();
    for (int i = 0; i < own; ++i) in[i] = value(rank, root, i, call);
    for (int peer = 0; peer < size; ++peer) {
        places[peer] = peer * longest;
        counts_out[peer] = length(peer, root, version);
    }
    const int is_root = rank == root;
    MPI_Gatherv(in, own, MPI_INT, out, is_root ? counts_out : NULL, is_root ? places : NULL,
                MPI_INT, root, MPI_COMM_WORLD);
    for (int peer = 0; peer < size; ++peer)
        for (int i = 0; i < longest; ++i)
            CHECK(out[places[peer] + i] ==
                  (is_root && i < counts_out[peer] ? value(peer, root, i, call) : -7));
}

static void scatterv(int call, int root)
{
    const int version = version_of(call), own = length(root, rank, version);
    clear();
    const int is_root = rank == root;
    for (int peer = 0; peer < size; ++peer) {
        places[peer] = peer * longest;
        counts_in[peer] = length(root, peer, version);
        for (int i = 0; is_root && i < counts_in[peer]; ++i)
            in[places[peer] + i] = value(root, peer, i, call);
    }
    MPI_Scatterv(in, is_root ? counts_in : NULL, is_root ? places : NULL, MPI_INT, out, own,
                 MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < row; ++i) CHECK(out[i] == (i < own ? value(root, rank, i, call) : -7));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= most);
    for (int call = 0; call < calls; ++call) {
        const int root = call % 16 == 0 ? call / 16 % size : 1;
        alltoallv(call);
        gatherv(call, root);
        scatterv(call, root);
    }
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
