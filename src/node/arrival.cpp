// SPDX-License-Identifier: BSD-3-Clause
#include "node/arrival.hpp"

#include "library/real.hpp"

namespace laneway {

bool is_in_status(int code)
{
    if (code == MPI_SUCCESS) [[likely]]
        return false;
    int its_class = code;
    PMPI_Error_class(code, &its_class);
    return its_class == MPI_ERR_IN_STATUS;
}

int outcome_of(const MPI_Status& status, bool failed, std::int64_t length)
{
    if (failed && status.MPI_ERROR != MPI_SUCCESS) return status.MPI_ERROR;
    if (length == any_length) return MPI_SUCCESS;
    int bytes = 0;
    // The number of bytes is undefined where an int does not count so many.
    if (PMPI_Get_count(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes == MPI_UNDEFINED)
        return MPI_SUCCESS;
    return bytes == length ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

void give_up(MPI_Request& request)
{
    if (request == MPI_REQUEST_NULL) return;
    real::Cancel(&request);
    real::Request_free(&request);
}

}  // namespace laneway
