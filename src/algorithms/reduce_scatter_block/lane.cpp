// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void reduce_scatter_block_lane(const ReduceScatterBlock& call, const Decomposition& on)
{
    reduce_scatter_by_lanes(call.input, call.result, call.op, Shares(call.result.count, on), on);
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_lane,
    .needs = {.rank_order = true, .elementwise = true},
    .memory = {.message = 1, .shares = 1, .redistributed = 1},
    .about = {.idea = "reduce-scatter on every node, then on all lanes at once, blocks permuted "
                      "beforehand",
              .rounds = "2; 1 where n < 2",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "(p + N) m; at most 3 p m where nodes differ in size",
              .source =
                  "Traeff and Hunold 2020, Section 3.4 and Listing 8; irregular communicators are "
                  "ours"},
});

}  // namespace laneway
