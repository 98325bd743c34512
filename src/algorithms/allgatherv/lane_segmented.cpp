// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "algorithms/families/gossip_by_lanes.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"
#include "walks/gossip.hpp"

namespace laneway {

/// A step gathers the same part of every block.
static void allgatherv_lane_segmented(const Allgatherv& call, const Decomposition& on,
                                      const Tunables& tunables)
{
    const std::int64_t element = size_of(call.result.type);
    const Travel travel = travel_of(call.part, element, tunables["around"], on);
    place(call.mine, call.result, call.part, on.world);
    in_stretches(call.part, element, as_told(tunables), on, [&](int at, int stretches) {
        gossip_by_lanes(call.result, Shares(call.part, at, stretches, on), travel, on);
    });
}

static const Register<Allgatherv> entry({
    .run = allgatherv_lane_segmented,
    .concurrent = true,
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable, around_tunable},
    .about = {.idea = "lane for a part of each block, several of them under way at once, straight "
                      "to their places: while one is on the lanes, others are on the nodes; round "
                      "a ring of nodes where some have much more than others",
              .rounds = "2 ceil(S/a); ceil(S/a) where n < 2",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = source_of_segments},
});

}  // namespace laneway
