// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

static void reduce_lane_segmented(const Reduce& call, const Decomposition& all,
                                  const Tunables& tunables)
{
    const Decomposition on = all.with_leaders(tunables["leaders"]);
    const std::int64_t count = call.input.count, extent = call.input.extent;
    in_segments(count, extent, fill_soon(count * extent, tunables, on, on.nodes() / 4), on,
                [&](std::int64_t first, std::int64_t length) {
                    by_text_of<Reduce>("lane",
                                       {call.input.slice(first, length),
                                        call.result.slice(first, length), call.op, call.root},
                                       on);
                });
}

static const Register<Reduce> entry({
    .run = reduce_lane_segmented,
    .needs = {.rank_order = true, .shares = true, .elementwise = true},
    .otherwise = "hierarchical",
    .concurrent = true,
    .memory = {.message = 2},
    .tunables = {filling_segment.with_preset(32 << 10), ahead_tunable, all_leaders},
    .about =
        {.idea = lane_in_segments,
         .rounds = "at most max(4 ceil(S/a), N - 1 + 2 ceil(S/a)); at most log_4(3N+1) where S < "
                   "2 and n < 2; at most log_4(3N+1) + 2 where S < 2; at most max(2 ceil(S/a), N "
                   "- 2 + ceil(S/a)) where n < 2",
         .volume = "m a process, the root 2m (n-1)/n + m/n; m a node",
         .memory =
             "a s, a segments of s bytes under way; at most 3 a s/n where nodes have fewer than 3 "
             "processes",
         .source = source_of_segments},
});

}  // namespace laneway
