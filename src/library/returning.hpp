// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace laneway {

/// Has errors on a communicator return as codes, whatever library it is. Returns an MPI error code.
int return_errors(MPI_Comm comm);

}  // namespace laneway
