// SPDX-License-Identifier: BSD-3-Clause
// For the preload alone: the preparation that it needs of the core besides.
#include <mpi.h>

#include "call/agree/agreement.hpp"
#include "machine/node.hpp"

#define FOR_THE_PRELOAD extern "C" __attribute__((visibility("default")))

using namespace laneway;

/// Does work that is better done before the first collective: there, a process may have no free file descriptor
/// and the thread a small stack. To be called when the preload has loaded this library. Uses no MPI.
FOR_THE_PRELOAD void laneway_prepare()
{
    Agreement::may_be_left_under_way();
    try {
        Settings::prepare();
        prepare_node();
    } catch (...) {  // NOLINT(bugprone-empty-catch)
        // Then it is done, and what is wrong is said, at the first collective: the program has hardly
        // begun, and may make none.
    }
}
