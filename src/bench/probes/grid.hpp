// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/job/team.hpp"
#include "messages/comm.hpp"

namespace laneway::bench {

/// Several nodes of equally many, consecutive ranks: rank j of each node is on lane j, whose ranks are
/// the nodes.
struct Grid {
    /// The grid of all ranks of a team. Collective. Throws Misunderstood, alike on all ranks, where they form none.
    explicit Grid(const Team& team);

    Comm world;
    Comm node;  ///< The calling process's node.
    Comm lane;  ///< The calling process's lane.
};

}  // namespace laneway::bench
