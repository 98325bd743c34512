// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/job/team.hpp"
#include "messages/comm.hpp"

namespace laneway::bench {

/// Several nodes of equally many, consecutive ranks: rank j of each node is on lane j, whose ranks are
/// the nodes.
struct Grid {
    /// Of all ranks of a team. Collective. Throws Misunderstood, alike on all ranks, where they are none.
    explicit Grid(const Team& team);

    Comm world;
    Comm node;  ///< Of the calling process,
    Comm lane;  ///< as this.
};

}  // namespace laneway::bench
