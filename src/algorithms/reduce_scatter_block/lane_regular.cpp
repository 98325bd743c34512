// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

static void reduce_scatter_block_lane_regular(const ReduceScatterBlock& call,
                                              const Decomposition& on)
{
    const MPI_Datatype type = call.input.type;
    const Shares shares(call.result.count, on);
    const Scratch permuted(call.input.count, type);
    copy(shares.places(call.input).first, permuted.buffer(), on.world);

    const Scratch column(on.nodes() * call.result.count, type);
    serve(ReduceScatterBlock{permuted.buffer(), column.buffer(), call.op}, on.node);
    serve(ReduceScatterBlock{column.buffer(), call.result, call.op}, on.lane(on.node.rank()));
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_lane_regular,
    .needs = {.rank_order = true, .regular = true, .elementwise = true},
    .otherwise = "lane",
    .memory = {.message = 1, .shares = 1},
    .about = {.idea = "lane with the regular reduce-scatter-block on node and lanes",
              .rounds = "2; 1 where n < 2",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "(p + N) m",
              .source = "Traeff and Hunold 2020, Section 3.4 and Listing 8"},
});

}  // namespace laneway
