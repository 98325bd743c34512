/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of other_mpi.c. */
#include <stdint.h>

int MPI_Bcast(void* buffer, int count, void* datatype, int root, void* comm);
int PMPI_Bcast(void* buffer, int count, void* datatype, int root, void* comm);

int main(void)
{
    return MPI_Bcast((void*)1, -2, (void*)3, -4, (void*)5) +
           PMPI_Bcast((void*)1, -2, (void*)3, -4, (void*)5);
}
