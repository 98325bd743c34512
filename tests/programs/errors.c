/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments: the error class that the library itself gives, raised once. */
#include <laneway.h>

#include "check.h"

static int raised = 0;

static void on_error(MPI_Comm* comm, int* code, ...)
{
    (void)comm, (void)code;
    ++raised;
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

#define SAME_ERROR(ours, native)                   \
    do {                                           \
        raised = 0;                                \
        const int code = ours;                     \
        CHECK(code != MPI_SUCCESS);                \
        CHECK(raised == 1);                        \
        CHECK(class_of(code) == class_of(native)); \
    } while (0)

int main(int argc, char** argv)
{
    int rank, size, data[8] = {0}, result[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    laneway_set_node(rank / 2);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    CHECK(laneway_bcast_with("lane", data, 8, MPI_INT, 0, comm) == MPI_SUCCESS);

    SAME_ERROR(laneway_bcast_with("lane", data, 1, MPI_INT, size, comm),
               PMPI_Bcast(data, 1, MPI_INT, size, comm));
    SAME_ERROR(laneway_bcast_with("lane", data, 1, MPI_INT, -7, comm),
               PMPI_Bcast(data, 1, MPI_INT, -7, comm));
    SAME_ERROR(laneway_bcast_with("lane", data, -1, MPI_INT, 0, comm),
               PMPI_Bcast(data, -1, MPI_INT, 0, comm));
    SAME_ERROR(laneway_bcast_with("lane", data, 1, MPI_DATATYPE_NULL, 0, comm),
               PMPI_Bcast(data, 1, MPI_DATATYPE_NULL, 0, comm));
    SAME_ERROR(laneway_allreduce_with("lane", data, result, 1, MPI_INT, MPI_OP_NULL, comm),
               PMPI_Allreduce(data, result, 1, MPI_INT, MPI_OP_NULL, comm));
    SAME_ERROR(laneway_allreduce_with("lane", data, result, 1, MPI_DOUBLE, MPI_BAND, comm),
               PMPI_Allreduce(data, result, 1, MPI_DOUBLE, MPI_BAND, comm));
    SAME_ERROR(laneway_allgather_with("lane", data, 1, MPI_INT, result, -1, MPI_INT, comm),
               PMPI_Allgather(data, 1, MPI_INT, result, -1, MPI_INT, comm));
    SAME_ERROR(laneway_allgather_with("lane", data, -1, MPI_INT, result, 1, MPI_INT, comm),
               PMPI_Allgather(data, -1, MPI_INT, result, 1, MPI_INT, comm));
    raised = 0;
    CHECK(class_of(laneway_bcast_with("no such", data, 1, MPI_INT, 0, comm)) == MPI_ERR_ARG);
    CHECK(raised == 1);

    CHECK(laneway_bcast_with("lane", data, 8, MPI_INT, 0, comm) == MPI_SUCCESS);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
