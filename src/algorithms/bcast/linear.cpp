// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/down.hpp"

namespace laneway {

static void bcast_linear(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Tree tree = tree::linear(order.position(on.world.rank()), on.world.size());
    send_down(call.data, whole_message, links_of(tree, order, on.world));
}

static const Register<Bcast> entry({
    .run = bcast_linear,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "the root sends the message to everyone",
              .rounds = "1",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = "Pjesivac-Grbovic et al. 2007, flat tree"},
});

}  // namespace laneway
