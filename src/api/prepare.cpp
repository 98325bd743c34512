// SPDX-License-Identifier: BSD-3-Clause
// For the preload alone: what else it needs of the core.
#include <mpi.h>

#include "call/state.hpp"
#include "choose/node.hpp"
#include "mpi/error.hpp"
#include "mpi/real.hpp"

#define FOR_THE_PRELOAD extern "C" __attribute__((visibility("default")))

using namespace laneway;

namespace {

template <class End>
int end(MPI_Comm* comm, const End& real)
{
    try {
        State* const state = comm && *comm != MPI_COMM_NULL ? State::existing(*comm) : nullptr;
        if (state) state->finish_agreement();
    } catch (const Error& error) {
        return error.code();
    }
    return real(comm);
}

}  // namespace

/// To be called when it has loaded this: what is better done before the first collective, in which a
/// process may have no free file descriptor and the thread a small stack. Uses no MPI.
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

FOR_THE_PRELOAD int laneway_comm_free(MPI_Comm* comm) { return end(comm, real::Comm_free); }

FOR_THE_PRELOAD int laneway_comm_disconnect(MPI_Comm* comm)
{
    return end(comm, real::Comm_disconnect);
}
