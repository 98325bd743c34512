// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"

namespace laneway {

static void reduce_lane_regular(const Reduce& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const Scratch partial(call.input.count / on.node.size(), call.input.type);

    serve(ReduceScatterBlock{call.input, partial.buffer(), call.op}, on.node);
    serve(Reduce{partial.buffer(), partial.buffer(), call.op, root_node}, on.lane(on.node.rank()));
    if (on.node_index() == root_node)
        serve(Gather{partial.buffer(), call.result, root_local}, on.node);
}

static const Register<Reduce> entry({
    .run = reduce_lane_regular,
    .needs = {.rank_order = true, .regular = true, .divisible = true, .elementwise = true},
    .otherwise = "lane",
    .memory = {.shares = 2},
    .about = {.idea = "lane with the regular reduce-scatter-block and gather on the node",
              .rounds = "at most log_4(3N+1) + 2; at most log_4(3N+1) where n < 2",
              .volume = "m a process, the root 2m (n-1)/n + m/n; m a node",
              .memory = "m/n; 2m/n where MPICH reduces to a rank but 0",
              .source = "Traeff and Hunold 2020, Section 3.4"},
});

}  // namespace laneway
