// SPDX-License-Identifier: BSD-3-Clause
// Answers to questions that come before anything is sent. There is no MPI library: it has no name, and no world.
#include <mpi.h>

#include <stdexcept>
#include <string>

extern "C" int laneway_no_mpi(const char* function);
int laneway_no_mpi(const char* function)
{
    throw std::logic_error(std::string(function) + " is called where there is no MPI");
}

int PMPI_Get_library_version(char* version, int* length)
{
    *version = '\0';
    *length = 0;
    return MPI_SUCCESS;
}

int PMPI_Initialized(int* flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

int PMPI_Finalized(int* flag) { return PMPI_Initialized(flag); }

int PMPI_Op_commutative(MPI_Op, int* commutative)
{
    *commutative = 1;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }
