// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/gossip_by_lanes.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

/// A step gathers the same stretch of every block.
static void allgather_lane_segmented(const Allgather& call, const Decomposition& all,
                                     const Tunables& tunables)
{
    const Decomposition on = all.with_leaders(tunables["leaders"]);
    const std::int64_t block = call.result.count / on.world.size();
    in_segments(block, call.result.extent, as_told(tunables), on,
                [&](std::int64_t first, std::int64_t length) {
                    const Shares shares(length, block, on);
                    const Buffer row = call.result.slice(first, 0);
                    const Buffer mine = call.mine.slice(first, length);
                    const Buffer own = shares.block(row, on.world.rank());
                    if (mine.data != own.data) copy(mine, own, on.world);
                    gossip_by_lanes(row, shares, Travel::straight, on);
                });
}

static const Register<Allgather> entry({
    .run = allgather_lane_segmented,
    .concurrent = true,
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable.with_preset(2),
                 all_leaders},
    .about = {.idea = lane_in_segments,
              .rounds = "2 ceil(S/a); ceil(S/a) where n < 2",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = "the text of lane; several leaders as in Kandalla et al. 2009; several "
                        "segments under way at once are ours"},
});

}  // namespace laneway
