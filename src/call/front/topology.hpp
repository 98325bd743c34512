// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

namespace laneway {

/// The edges of the calling process to others in a topology, or from others, in the order of the others' ranks. Several
/// from one process stand in the order in which that one has its edges to this one.
struct Edges {
    int count = 0;               ///< all, with edges to nobody, as a call has blocks
    std::vector<int> numbers{};  ///< numbers of edges to somebody, as a call counts them
    std::vector<int> ranks{};    ///< where these lead to
};

struct Neighbors {
    Edges sources, destinations;
};

/// The neighbours of the calling process; none where the communicator has no topology. Local. Throws Error.
std::optional<Neighbors> neighbors_of(MPI_Comm comm);

}  // namespace laneway
