/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: sessions N [world]
 *
 * MPI started by sessions, N times in a row, communicators left at the end of all but the second. With "world" it is
 * started by MPI_Init, too, which the session outlives. With LANEWAY_PRELOADED it knows nothing of Laneway. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef MPI_SESSION_NULL
#ifndef LANEWAY_PRELOADED
#include <laneway.h>
#define MPI_Bcast laneway_bcast
#define MPI_Session_finalize laneway_session_finalize
#endif

#define REQUIRE(condition)                                 \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            exit(1);                                       \
        }                                                  \
    } while (0)

int main(int argc, char** argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int round = 0; round < rounds; ++round) {
        if (argc > 2) MPI_Init(&argc, &argv);
        MPI_Session session;
        MPI_Group group;
        MPI_Comm comm;
        REQUIRE(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
        REQUIRE(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
        REQUIRE(MPI_Comm_create_from_group(group, "laneway.test", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                           &comm) == MPI_SUCCESS);
        MPI_Group_free(&group);
        if (argc > 2) MPI_Finalize();
        int rank, size;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        for (int root = 0; root < size; ++root) {
            int data[3];
            for (int i = 0; i < 3; ++i) data[i] = rank == root ? root + i : -1;
            REQUIRE(MPI_Bcast(data, 3, MPI_INT, root, comm) == MPI_SUCCESS);
            for (int i = 0; i < 3; ++i) REQUIRE(data[i] == root + i);
        }
#ifndef LANEWAY_PRELOADED
        if (rank == 0) printf("served by %s\n", laneway_served_by(comm));
#endif
        if (round == 1) MPI_Comm_free(&comm);
        REQUIRE(MPI_Session_finalize(&session) == MPI_SUCCESS);
    }
    return 0;
}
#else
int main(void)
{
    puts("no sessions");
    return 0;
}
#endif
