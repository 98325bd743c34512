/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: decide [dup] [RANK=NAME=VALUE] BYTES...
 *
 * A broadcast of so many bytes each, as the settings choose, or, after dup, on a duplicate of MPI_COMM_WORLD. On RANK a
 * variable is set beforehand. Says what served each, and checks that it was the same on all ranks and right. */
#define _POSIX_C_SOURCE 200112L
#include <laneway.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void set(int rank, const char* assignment)
{
    const char* name = strchr(assignment, '=') + 1;
    const char* value = strchr(name, '=') + 1;
    char buffer[256];
    snprintf(buffer, sizeof buffer, "%.*s", (int)(value - name - 1), name);
    if (atoi(assignment) == rank) setenv(buffer, value, 1);
}

int main(int argc, char** argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm comm = MPI_COMM_WORLD;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "dup") == 0) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            continue;
        }
        if (strchr(argv[i], '=')) {
            set(rank, argv[i]);
            continue;
        }
        const int bytes = atoi(argv[i]);
        char* data = calloc((size_t)bytes + 1, 1);
        if (rank == 1) memset(data, 7, (size_t)bytes);
        CHECK(laneway_bcast(data, bytes, MPI_BYTE, 1, comm) == MPI_SUCCESS);
        for (int k = 0; k < bytes; ++k) CHECK(data[k] == 7);
        free(data);

        char served[64] = {0}, first[64];
        strncpy(served, laneway_served_by(comm), sizeof served - 1);
        memcpy(first, served, sizeof served);
        PMPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
        CHECK(strcmp(first, served) == 0);
        if (rank == 0) printf("%d by %s\n", bytes, served);
    }
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
