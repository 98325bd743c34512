// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

static const Register<Scatter> entry({
    .run = blocks_in_segments<Scatter>,
    .concurrent = true,
    .memory = {.shares = 1, .redistributed = 1},
    .tunables = {under_way_segment.with_preset(32 << 10), ahead_tunable},
    .about =
        {.idea = lane_in_segments,
         .rounds = "2 ceil(S/a); ceil(S/a) where n < 2",
         .volume = "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
         .memory = "N a s on the root's node; at most q (p + n) a s/k where nodes differ in size",
         .source = source_of_segments},
});

}  // namespace laneway
