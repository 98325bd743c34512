// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

static void allreduce_lane_segmented(const Allreduce& call, const Decomposition& all,
                                     const Tunables& tunables)
{
    const Decomposition on = all.with_leaders(tunables["leaders"]);
    in_segments(
        call.input.count, call.input.extent, as_told(tunables), on,
        [&](std::int64_t first, std::int64_t length) {
            by_text_of<Allreduce>(
                "lane",
                {call.input.slice(first, length), call.result.slice(first, length), call.op}, on);
        });
}

static const Register<Allreduce> entry({
    .run = allreduce_lane_segmented,
    .needs = {.rank_order = true, .shares = true, .elementwise = true},
    .otherwise = "hierarchical",
    .concurrent = true,
    .memory = {.message = 2},
    .tunables = {under_way_segment, ahead_tunable, all_leaders},
    .about =
        {.idea = lane_in_segments,
         .rounds = "(n + 2f) ceil(S/a); at most 2 max(f, log_4 N) where S < 2 and n < 2; at most "
                   "1 + log_4 n + 2 max(f, log_4 N) where S < 2; 2f ceil(S/a) where n < 2 - where "
                   "f is the number of prime factors of N",
         .volume = "2m (p-1)/p a process; 2m (N-1)/N a node",
         .memory =
             "a s, a segments of s bytes under way; less than 2 a s where nodes have one process",
         .source = source_of_segments},
});

}  // namespace laneway
