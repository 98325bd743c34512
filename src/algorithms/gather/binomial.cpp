// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/blocks.hpp"

namespace laneway {

static void gather_binomial(const Gather& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Tree tree = tree::binomial(order.position(on.world.rank()), on.world.size());
    const Partition blocks(call.whole.count, on.world.size());
    walk_blocks(inwards, call.whole, call.mine, blocks, tree, order, on.world);
}

static const Register<Gather> entry({
    .run = gather_binomial,
    .flat = true,
    .memory = {.message = 1},
    .tunables = {order_tunable},
    .about =
        {.idea =
             "in each round, every second process that has blocks gives them to the one before it",
         .rounds = "log(p+1) - 1",
         .volume = "(p-1) m a process; (p-n) m a node",
         .memory = "floor(p/2) m; p m at the root where its subtrees do not lie side by side in "
                   "rank order",
         .source = "Chan, Heimlich, Purkayastha, van de Geijn 2007, minimum spanning tree gather"},
});

}  // namespace laneway
