// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/blocks.hpp"

namespace laneway {

static void scatter_linear(const Scatter& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Tree tree = tree::linear(order.position(on.world.rank()), on.world.size());
    const Partition blocks(call.whole.count, on.world.size());
    walk_blocks(outwards, call.whole, call.mine, blocks, tree, order, on.world);
}

static const Register<Scatter> entry({
    .run = scatter_linear,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "the root sends each block straight to its process",
              .rounds = "1",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = "the straightforward algorithm"},
});

}  // namespace laneway
