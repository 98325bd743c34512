// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void reduce_scatter_lane(const ReduceScatter& call, const Decomposition& on)
{
    reduce_scatter_by_lanes(call.input, call.result, call.op, Shares(call.part, on), on);
}

static const Register<ReduceScatter> entry({
    .run = reduce_scatter_lane,
    .needs = {.rank_order = true, .elementwise = true},
    .memory = {.message = 5},
    .about =
        {.idea = "the blocks of a node are cut into equal shares whatever the counts, one a lane; "
                 "reduce-scatter of "
                 "shares on every node, then on all lanes at once",
         .rounds = "2; 1 where n < 2",
         .volume = "(p-1) m a process; (p-n) m a node",
         .memory = "(p + N) m",
         .source =
             "Traeff and Hunold 2020, Section 3.4 and Listing 8; shares of any counts are ours"},
});

}  // namespace laneway
