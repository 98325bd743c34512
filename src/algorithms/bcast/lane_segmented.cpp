// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

static void bcast_lane_segmented(const Bcast& call, const Decomposition& all,
                                 const Tunables& tunables)
{
    const Decomposition on = all.with_leaders(tunables["leaders"]);
    const std::int64_t count = call.data.count, extent = call.data.extent;
    in_segments(count, extent, fill_soon(count * extent, tunables, on, on.nodes() / 4), on,
                [&](std::int64_t first, std::int64_t length) {
                    by_text_of<Bcast>("lane", {call.data.slice(first, length), call.root}, on);
                });
}

static const Register<Bcast> entry({
    .run = bcast_lane_segmented,
    .concurrent = true,
    .tunables = {filling_segment.with_preset(32 << 10), ahead_tunable, all_leaders},
    .about = {.idea = lane_in_segments,
              .rounds = "at most N - 1 + max(3, n) ceil(S/a); log_4(3N+1) - 1 where S < 2 and n < "
                        "2; log_4 n + log_4(3N+1) where S < 2; N - 2 + ceil(S/a) where n < 2",
              .volume = "2m (n-1)/n + m/n a process; m a node",
              .memory = "none",
              .source = source_of_segments},
});

}  // namespace laneway
