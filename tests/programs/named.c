/* SPDX-License-Identifier: BSD-3-Clause */
/* A call names its algorithm with tunables. Prints the messages in which the root of a chain sends 64 KiB, by the
 * segment that each call asks for. Prints also how calls end that name what does not exist. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <laneway.h>
#include <mpi.h>
#include <stdio.h>

enum { bytes = 64 << 10 };

static char data[bytes];
static int messages;

int PMPI_Isend(const void* buffer, int count, MPI_Datatype datatype, int to, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    ++messages;
    return ((__typeof__(&PMPI_Isend))dlsym(RTLD_NEXT, "PMPI_Isend"))(buffer, count, datatype, to,
                                                                     tag, comm, request);
}

/* Now and then a message is synchronous. */
int PMPI_Issend(const void* buffer, int count, MPI_Datatype datatype, int to, int tag,
                MPI_Comm comm, MPI_Request* request)
{
    ++messages;
    return ((__typeof__(&PMPI_Issend))dlsym(RTLD_NEXT, "PMPI_Issend"))(buffer, count, datatype, to,
                                                                       tag, comm, request);
}

static int sent_by(const char* algorithm)
{
    const int before = messages;
    laneway_bcast_with(algorithm, data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    return messages - before;
}

static int sent_by_large(const char* algorithm)
{
    const int before = messages;
    const MPI_Count count = bytes;
    MPI_Request request;
    laneway_bcast_with_c(algorithm, data, count, MPI_BYTE, 0, MPI_COMM_WORLD);
    laneway_decompose(MPI_COMM_WORLD);
    laneway_ibcast_with_c(algorithm, data, count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    laneway_bcast_init_with_c(algorithm, data, count, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return messages - before;
}

static const char* refused(const char* algorithm)
{
    int class = 0;
    MPI_Error_class(laneway_bcast_with(algorithm, data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD),
                    &class);
    return class == MPI_ERR_ARG ? "refused" : "taken";
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int small = sent_by("chain(segment=1K)"), large = sent_by("chain(segment=64K)");
    const int again = sent_by(" chain ( segment = 1K ) ");
    const int in_all_forms = sent_by_large("chain(segment=1K)");
    const char* const by = laneway_served_by(MPI_COMM_WORLD);
    const char* const no_tunable = refused("chain(speed=1)");
    const char* const no_value = refused("chain(segment=)");
    const char* const two = refused("chain(segment=1K),binomial");
    const char* const comma = refused("chain(segment=1K),");
    if (rank == 0)
        printf("%d, %d, %d, %d by %s; %s, %s, %s, %s\n", small, large, again, in_all_forms, by,
               no_tunable, no_value, two, comma);
    MPI_Finalize();
    return 0;
}
