/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: introspection
 * The tools interface (MPI_T) around a job: initialized before MPI_Init, control variables looked at there and those
 * of performance between collectives. Prints "right". */
#include "check.h"

/* Reads what can be read of all control variables of integers. (Before MPI_Init: Open MPI 4.1 does not bear it later.) */
static void look_at_controls(void)
{
    int number = 0;
    CHECK(MPI_T_cvar_get_num(&number) == MPI_SUCCESS);
    for (int i = 0; i < number; ++i) {
        char name[512], text[4096];
        int length = sizeof name, described = sizeof text, verbosity, bind, scope, count, value[64];
        MPI_Datatype type;
        MPI_T_enum words;
        MPI_T_cvar_handle handle;
        if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &words, text, &described,
                                &bind, &scope) != MPI_SUCCESS)
            continue;
        if (bind != MPI_T_BIND_NO_OBJECT || type != MPI_INT) continue;
        if (MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) != MPI_SUCCESS) continue;
        if (count <= 64) MPI_T_cvar_read(handle, value);
        MPI_T_cvar_handle_free(&handle);
    }
}

/* Starts, reads and stops what belongs to no object. */
static void look_at_performance(MPI_T_pvar_session session)
{
    int number = 0;
    CHECK(MPI_T_pvar_get_num(&number) == MPI_SUCCESS);
    for (int i = 0; i < number; ++i) {
        char name[512], text[4096];
        int length = sizeof name, described = sizeof text, verbosity, class, bind, read_only,
            goes_on, atomic, count;
        MPI_Datatype type;
        MPI_T_enum words;
        MPI_T_pvar_handle handle;
        static char value[65536];
        if (MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &words, text,
                                &described, &bind, &read_only, &goes_on, &atomic) != MPI_SUCCESS)
            continue;
        if (bind != MPI_T_BIND_NO_OBJECT) continue;
        if (MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &count) != MPI_SUCCESS) continue;
        if (!goes_on) MPI_T_pvar_start(session, handle);
        if (count <= 4096) MPI_T_pvar_read(session, handle, value);
        if (!goes_on) MPI_T_pvar_stop(session, handle);
        MPI_T_pvar_handle_free(session, &handle);
    }
}

static void collectives(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 20; ++i) {
        static int data[5000], sum[5000];
        for (int j = 0; j < 5000; ++j) data[j] = rank == i % size ? i + j : -1;
        MPI_Bcast(data, 5000, MPI_INT, i % size, comm);
        MPI_Allreduce(data, sum, 5000, MPI_INT, MPI_SUM, comm);
        for (int j = 0; j < 5000; ++j) CHECK(data[j] == i + j && sum[j] == size * (i + j));
    }
}

int main(int argc, char** argv)
{
    int provided, rank;
    MPI_T_pvar_session session;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    look_at_controls();
    MPI_Init(&argc, &argv);
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    look_at_performance(session);
    collectives(MPI_COMM_WORLD);
    look_at_performance(session);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    collectives(copy);
    look_at_performance(session);
    MPI_Comm_free(&copy);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
    /* Before MPI_Finalize: Open MPI 4.1 does not bear it later. */
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
