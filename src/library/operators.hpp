// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>

namespace laneway {

/// Whether an operator is one that MPI has for reductions: those work element by element. Others are the user's, and
/// may look at a whole message.
inline bool is_predefined(MPI_Op op)
{
    const auto known = {MPI_SUM, MPI_MAX, MPI_MIN,  MPI_PROD, MPI_LAND,   MPI_BAND,
                        MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
    return std::ranges::find(known, op) != known.end();
}

}  // namespace laneway
