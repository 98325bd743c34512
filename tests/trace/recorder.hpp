// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

/// Records what an algorithm does: the point-to-point messages of the calling process in the order of
/// the program, and what it gives to component collectives. The linker hands us its calls of PMPI_
/// functions (CMakeLists.txt); what the MPI library itself sends goes unseen.
namespace laneway::trace {

/// A message sent, when it was posted, or received, when its arrival was waited for.
struct Event {
    std::int64_t is_send;
    std::int64_t peer;  ///< rank in MPI_COMM_WORLD
    std::int64_t bytes;
    std::int64_t channel;  ///< tag and communicator: messages of a channel arrive in order
};

/// From now on, into an empty record.
void start();

/// What has been recorded since; nothing is from now on.
std::vector<Event> stop();

/// Bytes that the calling process has to send or receive, whichever is more, in the best known
/// implementation of the component collectives that it took part in since `start`.
struct Components {
    std::int64_t on_lane;
    std::int64_t on_node;
};
Components components();
enum class Where : unsigned char { lane, node };
void record_component(Where where, std::int64_t bytes);

}  // namespace laneway::trace
