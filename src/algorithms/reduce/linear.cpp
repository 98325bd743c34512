// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/up.hpp"

namespace laneway {

static void reduce_linear(const Reduce& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_for(call.op, call.root, on, tunables);
    const Tree tree = tree::linear(order.position(on.world.rank()), on.world.size());
    reduce_up(call.input, call.result, call.op, whole_message, tree, order, call.root, on.world);
}

static const Register<Reduce> entry({
    .run = reduce_linear,
    .flat = true,
    .memory = {.message = 2},
    .tunables = {order_tunable},
    .about = {.idea = "the root receives from everyone and combines in order; where the operator "
                      "does not commute, in rank order to rank 0, which gives it to the root",
              .rounds = "1",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory =
                  "m at the root; 2m there where in place or where the operator does not commute",
              .source = "Pjesivac-Grbovic et al. 2007, flat tree"},
});

}  // namespace laneway
