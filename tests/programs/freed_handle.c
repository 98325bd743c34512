/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: freed_handle free|disconnect|pending
 * The delete function of an attribute, set before a communicator's first collective, makes collectives on the
 * communicator that is being freed. The next one often gets its handle, and has other processes. With "pending", a
 * message and a barrier are under way when it is freed: some libraries delete attributes when that is over. Prints how
 * many of them had the handle of the one before. */
#ifdef LINKED
#include <laneway.h>
#define ALLREDUCE laneway_allreduce
#else
#define ALLREDUCE MPI_Allreduce
#endif
#include <string.h>

#include "check.h"

enum { ROUNDS = 15 };

static int rank, size, deleted;

static void sum(MPI_Comm comm)
{
    int members, mine, expected = 0, result = -1;
    MPI_Group all, own;
    MPI_Comm_size(comm, &members);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(comm, &own);
    for (int i = 0; i < members; ++i) {
        MPI_Group_translate_ranks(own, 1, &i, all, &mine);
        expected += 1 << mine;
    }
    MPI_Group_free(&own);
    MPI_Group_free(&all);
    mine = 1 << rank;
    CHECK(ALLREDUCE(&mine, &result, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    CHECK(result == expected);
}

static int on_delete(MPI_Comm comm, int keyval, void* value, void* extra)
{
    (void)keyval, (void)value, (void)extra;
    ++deleted;
    sum(comm);
    sum(comm);
    return MPI_SUCCESS;
}

/* The peer comes late. */
static void free_beside_others(MPI_Comm* comm)
{
    int here, data = 0, go = 0;
    MPI_Request requests[2];
    MPI_Comm_rank(*comm, &here);
    if (here == 0) {
        MPI_Irecv(&data, 1, MPI_INT, 1, 0, *comm, &requests[0]);
        MPI_Ibarrier(*comm, &requests[1]);
        MPI_Send(&go, 1, MPI_INT, 1, 1, *comm);
        MPI_Comm_free(comm);
        for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&go, 1, MPI_INT, 0, 1, *comm, MPI_STATUS_IGNORE);
        MPI_Send(&data, 1, MPI_INT, 0, 0, *comm);
        MPI_Ibarrier(*comm, &requests[1]);
        MPI_Comm_free(comm);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
}

int main(int argc, char** argv)
{
    int keyval, same = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 2 && size == 4);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
    sum(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; ++round) {
        MPI_Comm first, next;
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &first);
        const MPI_Comm was = first;
        MPI_Comm_set_attr(first, keyval, NULL);
        if (round % 3 > 0) sum(first);
        if (strcmp(argv[1], "disconnect") == 0)
            MPI_Comm_disconnect(&first);
        else if (strcmp(argv[1], "pending") == 0)
            free_beside_others(&first);
        else
            MPI_Comm_free(&first);
        CHECK(deleted == round + 1);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &next);
        same += next == was;
        for (int call = 0; call < 3; ++call) sum(next);
        MPI_Comm_free(&next);
    }
    sum(MPI_COMM_WORLD);
    MPI_Comm_free_keyval(&keyval);
    if (rank == 0) printf("%d\n", same);
    MPI_Finalize();
    return 0;
}
