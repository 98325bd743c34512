/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of all kinds: freed and used again, duplicated, of one process, between groups. */
#include <laneway.h>
#include <string.h>

#include "check.h"

static int copies = 0;

static int on_copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag)
{
    (void)comm, (void)keyval, (void)extra;
    ++copies;
    *(void**)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void broadcast(MPI_Comm comm, const char* served_by)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; ++root) {
        int data[7];
        for (int i = 0; i < 7; ++i) data[i] = rank == root ? 10 * root + i : -1;
        CHECK(laneway_bcast_with("lane", data, 7, MPI_INT, root, comm) == MPI_SUCCESS);
        for (int i = 0; i < 7; ++i) CHECK(data[i] == 10 * root + i);
        CHECK(strcmp(laneway_served_by(comm), served_by) == 0);
    }
}

static void reuse_handles(int rank, int size)
{
    for (int round = 0; round < 20; ++round) {
        MPI_Comm comm;
        const int color = round % 3 == 0 ? 0 : rank % (round % 3 + 1);
        MPI_Comm_split(MPI_COMM_WORLD, color, round % 2 ? rank : -rank, &comm);
        int members;
        MPI_Comm_size(comm, &members);
        CHECK(strcmp(laneway_served_by(comm), "native") == 0);
        broadcast(comm, members > 1 ? "lane" : "native");
        MPI_Comm_free(&comm);
    }
    (void)size;
}

static void duplicate(void)
{
    int keyval, value = 42;
    MPI_Comm comm, copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, &value);
    broadcast(comm, "lane");
    CHECK(copies == 0); /* nothing of ours duplicates a communicator of the user's */

    MPI_Comm_dup(comm, &copy);
    CHECK(copies == 1);
    CHECK(strcmp(laneway_served_by(copy), "native") == 0);
    MPI_Comm_free(&comm);
    broadcast(copy, "lane");
    MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&keyval);
}

static void between_groups(int rank, int size)
{
    MPI_Comm half, both;
    const int side = rank < size / 2 ? 0 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side == 0 ? size / 2 : 0, 1, &both);
    int data = rank == 0 ? 5 : -1;
    const int root = side == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    CHECK(laneway_bcast_with("lane", &data, 1, MPI_INT, root, both) == MPI_SUCCESS);
    CHECK(side == 0 || data == 5);
    int one = 1, sum = 0, remote = 0;
    MPI_Comm_remote_size(both, &remote);
    CHECK(laneway_allreduce_with("lane", &one, &sum, 1, MPI_INT, MPI_SUM, both) == MPI_SUCCESS);
    CHECK(sum == remote);
    CHECK(strcmp(laneway_served_by(both), "native") == 0);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    laneway_set_node(rank / 2);

    reuse_handles(rank, size);
    duplicate();
    between_groups(rank, size);
    broadcast(MPI_COMM_SELF, "native");
    broadcast(MPI_COMM_WORLD, "lane");
    MPI_Finalize();
    return 0;
}
