// SPDX-License-Identifier: BSD-3-Clause
#include "library/threads.hpp"

#include <mpi.h>

#include "library/error.hpp"
#include "library/identity.hpp"
#include "library/quirks.hpp"

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
