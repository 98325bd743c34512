// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/blocks.hpp"

namespace laneway {

static void gather_linear(const Gather& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Tree tree = tree::linear(order.position(on.world.rank()), on.world.size());
    const Partition blocks(call.whole.count, on.world.size());
    walk_blocks(inwards, call.whole, call.mine, blocks, tree, order, on.world);
}

static const Register<Gather> entry({
    .run = gather_linear,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "everyone sends its block straight to the root",
              .rounds = "1",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = "the straightforward algorithm"},
});

}  // namespace laneway
