// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/blocks_by_lanes.hpp"
#include "decomposition/segmented.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

static void reduce_scatter_block_lane_segmented(const ReduceScatterBlock& call,
                                                const Decomposition& on, const Tunables& tunables)
{
    const std::int64_t block = call.result.count;
    in_segments(
        block, call.result.extent, tunables, on, [&](std::int64_t first, std::int64_t count) {
            const Shares shares(count, block, on);
            const Scratch served(shares.served(), call.input.type);
            reduce_to_servers(call.input.slice(first, 0), served.buffer(), shares, call.op, on);
            reduce_scatter_on_lanes(served.buffer(), call.result.slice(first, count), shares,
                                    call.op, on);
        });
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_lane_segmented,
    .needs = {.rank_order = true, .regular = true},
    .otherwise = "lane",
    .concurrent = true,
    .memory = {.message = 1, .shares = 1},
    .tunables = {under_way_segment, ahead_tunable.with_preset(2)},
    .about = {.idea = lane_in_segments,
              .rounds = "(n + N) m/(a s), a segments of s bytes of a block under way",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "p a s, a segments of s bytes under way",
              .source = source_of_segments},
});

}  // namespace laneway
