// SPDX-License-Identifier: BSD-3-Clause
#include "library/returning.hpp"

#include "library/quirks.hpp"

namespace laneway {
namespace {

// NOLINTNEXTLINE(cert-dcl50-cpp): MPI wants it so
void return_it(MPI_Comm*, int*, ...) {}

}  // namespace

int return_errors(MPI_Comm comm)
{
    if (!quirks().ends_at_errors_that_return)
        return PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int code = PMPI_Comm_create_errhandler(return_it, &handler);
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);  // the communicator keeps it
    return code;
}

}  // namespace laneway
