// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/down.hpp"

namespace laneway {

static void bcast_chain(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Tree tree = tree::chain(order.position(on.world.rank()), on.world.size());
    send_down(call.data, tunables["segment"], links_of(tree, order, on.world));
}

static const Register<Bcast> entry({
    .run = bcast_chain,
    .flat = true,
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea = "segments along a chain of all ranks, from the root on",
              .rounds = "p - 2 + S",
              .volume = "m a process; m a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 5, the single-ported linear pipeline"},
});

}  // namespace laneway
