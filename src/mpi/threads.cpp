// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/threads.hpp"

#include <mpi.h>

#include "mpi/error.hpp"
#include "mpi/library.hpp"
#include "mpi/quirks.hpp"

namespace laneway {

bool may_call_in_threads()
{
    int level = MPI_THREAD_MULTIPLE;
    if (world_is_there()) check(PMPI_Query_thread(&level));
    return level == MPI_THREAD_MULTIPLE;
}

bool may_ever_call_in_threads()
{
    return quirks().sessions_have_own_threads || may_call_in_threads();
}

}  // namespace laneway
