// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace laneway {

/// Ends the job of `comm`'s processes with exit code 1, after the message that says why.
void end_job(MPI_Comm comm);

}  // namespace laneway
