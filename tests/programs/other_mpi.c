/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI library that Laneway has never heard of: calls say their name and their arguments. */
#include <stdint.h>
#include <stdio.h>

int PMPI_Get_library_version(char* version, int* length)
{
    *length = sprintf(version, "Another MPI 1.0");
    return 0;
}

int PMPI_Bcast(void* buffer, int count, void* datatype, int root, void* comm)
{
    printf("PMPI_Bcast %d %d %d %d %d\n", (int)(intptr_t)buffer, count, (int)(intptr_t)datatype,
           root, (int)(intptr_t)comm);
    return 0;
}

int MPI_Bcast(void* buffer, int count, void* datatype, int root, void* comm)
{
    printf("MPI_Bcast, ");
    return PMPI_Bcast(buffer, count, datatype, root, comm);
}
