/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: joined
 *
 * Collectives among processes that have come together in all ways that MPI has. Some were spawned, and merged with who
 * spawned them. Some are two halves of a job, joined by a port. Others are in communicators made again of what was
 * freed. */
#include "check.h"

static void use(MPI_Comm comm)
{
    enum { ints = 3000 };
    static int in[ints], out[ints];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < ints; ++i) in[i] = rank + i + round, out[i] = -1;
        CHECK(MPI_Allreduce(in, out, ints, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
        for (int i = 0; i < ints; ++i) CHECK(out[i] == size * (size - 1) / 2 + size * (i + round));
        for (int i = 0; i < ints; ++i) out[i] = rank == round % size ? i + round : -1;
        CHECK(MPI_Bcast(out, ints, MPI_INT, round % size, comm) == MPI_SUCCESS);
        for (int i = 0; i < ints; ++i) CHECK(out[i] == i + round);
    }
}

static void use_merged(MPI_Comm others, int is_high)
{
    for (int again = 0; again < 2; ++again) {
        MPI_Comm all;
        MPI_Intercomm_merge(others, is_high, &all);
        use(all);
        MPI_Comm_free(&all);
    }
}

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Comm others, half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&others);
    const int is_child = others != MPI_COMM_NULL;
    use(MPI_COMM_WORLD);
    if (!is_child)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                       MPI_ERRCODES_IGNORE);
    use_merged(others, is_child);
    MPI_Comm_disconnect(&others);

    if (!is_child && size > 1) {
        char port[MPI_MAX_PORT_NAME] = "";
        const int accepts = rank < size / 2;
        MPI_Comm_split(MPI_COMM_WORLD, accepts, rank, &half);
        if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (accepts)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &others);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &others);
        use_merged(others, !accepts);
        MPI_Comm_disconnect(&others);
        if (rank == 0) MPI_Close_port(port);
        MPI_Comm_free(&half);
    }
    use(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0 && !is_child) puts("right");
    return 0;
}
