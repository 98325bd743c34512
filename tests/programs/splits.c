/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: splits PPN ALGORITHM COUNT...
 *
 * An allreduce each of so many doubles by that algorithm on nodes of PPN processes. After each, prints how many private
 * communicators rank 0 has made until then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <laneway.h>
#include <stdlib.h>

#include "check.h"

static int made;

/* Takes the place of the library's: all private communicators are made by splitting. */
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* child)
{
    int (*split)(MPI_Comm, int, int, MPI_Comm*) = 0;
    *(void**)&split = dlsym(RTLD_NEXT, "PMPI_Comm_split");
    const int code = split(comm, color, key, child);
    int size = 0;  // Laneway keeps one of a process alone to ask the library on
    if (code == MPI_SUCCESS && *child != MPI_COMM_NULL) PMPI_Comm_size(*child, &size);
    made += size > 1;
    return code;
}

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    laneway_set_node(rank / atoi(argv[1]));
    for (int at = 3; at < argc; ++at) {
        const int count = atoi(argv[at]);
        double* const sums = calloc((size_t)count, sizeof *sums);
        for (int i = 0; i < count; ++i) sums[i] = rank + i;
        CHECK(laneway_allreduce_with(argv[2], MPI_IN_PLACE, sums, count, MPI_DOUBLE, MPI_SUM,
                                     MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < count; ++i) CHECK(sums[i] == size * (size - 1) / 2 + size * i);
        free(sums);
        if (rank == 0) printf("%d\n", made);
    }
    MPI_Finalize();
    return 0;
}
