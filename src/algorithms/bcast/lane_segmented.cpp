// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

static void bcast_lane_segmented(const Bcast& call, const Decomposition& on,
                                 const Tunables& tunables)
{
    in_segments(call.data.count, call.data.extent, tunables, on,
                [&](std::int64_t first, std::int64_t length) {
                    by_text_of<Bcast>("lane", {call.data.slice(first, length), call.root}, on);
                });
}

static const Register<Bcast> entry({
    .run = bcast_lane_segmented,
    .concurrent = true,
    .tunables = {under_way_segment.with_preset(32 << 10), ahead_tunable},
    .about = {.idea = lane_in_segments,
              .rounds = "at most N - 1 + max(3, n) ceil(S/a); N - 2 + ceil(S/a) where n < 2",
              .volume = "2m (n-1)/n + m/n a process; m a node",
              .memory = "none",
              .source = source_of_segments},
});

}  // namespace laneway
